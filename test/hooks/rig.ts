/** An application for hooks: real transcripts and a real database in a folder of its own, no daemon. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll } from 'vitest';
import { compactChecked } from '../../src/actions/compact.ts';
import { recallForPrompt } from '../../src/actions/recall-prompt.ts';
import { type HookApp, runHook } from '../../src/hooks/run.ts';
import { openMemory } from '../../src/memory/store.ts';
import { readUnloadedCharter } from '../../src/platform/charter.ts';
import type { Episode } from '../../src/ports/episodes.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import { readTranscript, readTranscriptPart } from '../../src/transcript/index.ts';
import type { TranscriptBuilder } from '../support/transcript.ts';

export interface HookRig extends HookApp {
  readonly logged: string[];
  /** Folders that the application was opened for. */
  readonly opened: (string | undefined)[];
  readonly episodes: Omit<Episode, 'project'>[];
  /** What was asked of the daemon: a path, and whether to stop. */
  readonly followed: [path: string, stop: boolean][];
  /** Transcripts that another process was told to archive. */
  readonly beside: string[];
  readonly home: string;
  readonly project: string;
}

export const SESSION = '31a1f7e0-0000-4000-8000-000000000000';
export const MS = 20_000;

const base = mkdtempSync(join(tmpdir(), 'chitta-hooks-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let made = 0;

/** A folder that is removed after the tests of the file. */
export function newFolder(): string {
  return mkdtempSync(join(base, `${++made}-`));
}

/** A transcript file of these rows. */
export function transcriptOf(rows: TranscriptBuilder, folder: string = newFolder()): string {
  const path = join(folder, 'session.jsonl');
  writeFileSync(path, rows.bytes);
  return path;
}

export function hookRig(overrides: Partial<HookApp> = {}): HookRig {
  const [home, project] = [newFolder(), newFolder()];
  const logged: string[] = [];
  const episodes: Omit<Episode, 'project'>[] = [];
  const followed: [string, boolean][] = [];
  const beside: string[] = [];
  const withMemory = async <T>(work: (memory: MemoryDatabase) => Promise<T>): Promise<T> => {
    const memory = openMemory({ home, log: (line) => logged.push(line) });
    try {
      return await work(memory);
    } finally {
      memory.close();
    }
  };
  return {
    settings: {
      lastTurns: 60,
      maxReadBytes: 1_000_000,
      targetRatio: 0.4,
      disabled: false,
      private: false,
      recall: true,
      learn: true,
      archiveMaxMb: 0,
      archiveMaxDays: 0,
    },
    project,
    readTranscript,
    readTranscriptPart: (path, from, limits) =>
      readTranscriptPart(path, from, { ...limits, maxBytes: Math.min(limits.maxBytes, 1_000_000) }),
    captureBeside: async (path) => void beside.push(path),
    // A host that leaves AGENTS.md to others.
    readUnloadedCharter: async () => readUnloadedCharter(project, 'claude-code_2-1-197_harness'),
    keepPluginOptions: () => undefined,
    takeReplaced: () => false,
    withMemory,
    // A busy machine is no reason to say nothing here.
    answerPrompt: (question) =>
      withMemory((memory) => recallForPrompt(memory, { ...question, project, deadlineMs: MS })),
    follow: async (path, _session, stop = false) => void followed.push([path, stop]),
    compact: async (params) => compactChecked(params),
    recordEpisode: async (episode) => {
      episodes.push(episode);
      await withMemory((memory) => memory.recordEpisode({ ...episode, project }, MS));
    },
    log: (line) => logged.push(line),
    episodes,
    followed,
    beside,
    home,
    logged,
    opened: [],
    ...overrides,
  };
}

/** What the host sends at the end of an answer. */
export const stopped = (transcript: string): object => ({
  session_id: SESSION,
  transcript_path: transcript,
  cwd: '/work',
  hook_event_name: 'Stop',
  stop_hook_active: false,
  last_assistant_message: 'Done.',
});

/** What the host sends at the end of a session. */
export const ended = (transcript: string): object => ({
  ...stopped(transcript),
  hook_event_name: 'SessionEnd',
  reason: 'other',
});

/** Runs an event as the host would. */
export function fire(
  name: string,
  input: unknown,
  app: HookRig,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const text = typeof input === 'string' ? input : `${JSON.stringify(input)}\n`;
  return runHook(name, { stdin: Readable.from([Buffer.from(text)]), env }, (cwd) => {
    app.opened.push(cwd);
    return app;
  });
}
