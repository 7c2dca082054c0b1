/** A home of its own for a test, the store in it, and rows to put there. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../src/platform/native.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { Episode } from '../../src/ports/episodes.ts';
import type { NewDirective } from '../../src/ports/ledger.ts';
import type { NewMemory } from '../../src/ports/memories.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import type { NewSummary } from '../../src/ports/sessions.ts';
import type { ArchivedTurn } from '../../src/ports/turns.ts';

/** Long enough for a busy machine. */
export const MS = 20_000;

export function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'chitta-memory-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

export interface Opened {
  readonly memory: MemoryDatabase;
  readonly home: string;
  readonly path: string;
  /** What the store told. */
  readonly lines: string[];
}

export function openedAt(home: string, now?: () => number): Opened {
  const lines: string[] = [];
  const memory = openMemory({ home, log: (line) => lines.push(line), ...(now === undefined ? {} : { now }) });
  onTestFinished(() => memory.close());
  return { memory, home, path: join(home, 'memory.db'), lines };
}

export function opened(now?: () => number): Opened {
  return openedAt(newHome(), now);
}

const sqlite = await loadSqlite();

/** SQLite itself, of the build that fits this Node. */
export function openSqlite(path: string, options: Sqlite.Options = {}): Sqlite.Database {
  if (sqlite.state !== 'ok') throw new Error(sqlite.reason);
  return sqlite.open(path, options);
}

/** A connection beside the store's, as another program would have it. */
export function beside(path: string): Sqlite.Database {
  const db = openSqlite(path);
  onTestFinished(() => {
    db.close();
  });
  return db;
}

export function turn(number: number, more: Partial<ArchivedTurn> = {}): ArchivedTurn {
  return {
    handle: `#turn${String(number).padStart(3, 'a')}`,
    session: 'session',
    project: '/project',
    uuid: `uuid-${number}`,
    role: 'assistant',
    text: `turn number ${number}`,
    tokens: 5,
    ...more,
  };
}

export function episode(more: Partial<Episode> = {}): Episode {
  return {
    session: 'session',
    project: '/project',
    lastUuid: 'last',
    state: 'proposed',
    trigger: 'auto',
    strategy: 'formula',
    beforeTokens: 48_200,
    afterTokens: 18_600,
    dropped: 41,
    covered: 3,
    embedding: true,
    tookMs: 84.5,
    transcript: '/transcripts/session.jsonl',
    transcriptBytes: 5_000_000,
    ...more,
  };
}

export function fact(text: string, more: Partial<NewMemory> = {}): NewMemory {
  return { text, kind: 'fact', project: '/project', session: undefined, origin: 'person', sourceIds: [], ...more };
}

export function summary(more: Partial<NewSummary> = {}): NewSummary {
  return {
    session: 's',
    project: '/p',
    generation: 1,
    upTo: 'uuid 1',
    messages: 12,
    tokens: 300,
    model: 'scripted:model',
    text: '[CONVERSATION SUMMARY — 12 messages compressed]\n\n## Goal\nx',
    ...more,
  };
}

export function directive(text: string, more: Partial<NewDirective> = {}): NewDirective {
  return { text, status: 'accepted', replaces: undefined, project: '/project', session: undefined, ...more };
}

/** Names of the files whose bytes hold `text`. */
export function filesWith(home: string, text: string): string[] {
  return readdirSync(home).filter((name) => readFileSync(join(home, name)).includes(text));
}
