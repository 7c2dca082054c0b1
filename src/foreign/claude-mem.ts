/**
 * The database of claude-mem: its observations, of one project. They were written by a language model from tool calls, so they are
 * `auto` here, and cover nothing: which messages they were made of is not known. Columns as of its schema of version 35; older names
 * of the session's column are known, too.
 */
import { basename } from 'node:path';
import type { MemoryKind } from '../ports/memories.ts';
import type { ImportEntry } from '../ports/transfer.ts';
import { cellText, columnsOf, openForeign, rowsOf } from './database.ts';

/** Characters; a longer account is cut. */
const MAX_CHARS = 8_000;
/** A time below is in seconds. */
const LEAST_MS = 100_000_000_000;

type Row = Readonly<Record<string, unknown>>;

const KINDS: ReadonlyMap<unknown, MemoryKind> = new Map<unknown, MemoryKind>([
  ['decision', 'decision'],
  ['bugfix', 'fix'],
]);

function factsIn(json: string | undefined): string[] {
  if (json === undefined) return [];
  try {
    const facts: unknown = JSON.parse(json);
    return Array.isArray(facts) ? facts.filter((fact) => typeof fact === 'string' && fact.trim() !== '') : [];
  } catch {
    // A version that keeps them as text.
    return [json];
  }
}

/** Title, then what is said of it: single facts, else the account, else the text of old versions. */
function textOf(row: Row): string {
  const facts = factsIn(cellText(row, 'facts')).map((fact) => `- ${fact.trim()}`);
  const account = cellText(row, 'narrative') ?? cellText(row, 'text');
  const body = facts.length > 0 ? facts.join('\n') : account;
  const text = [cellText(row, 'title'), body].filter((part) => part !== undefined).join('\n');
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1).trimEnd()}…`;
}

function createdOf({ created_at_epoch: epoch, created_at: iso }: Row): number {
  if (typeof epoch === 'number' && epoch > 0) return Math.round(epoch < LEAST_MS ? epoch * 1_000 : epoch);
  const ms = typeof iso === 'string' ? Date.parse(iso) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 ? ms : 0;
}

/** Observations of the project whose folder has the same name, which is all that claude-mem knows of a project. */
export async function* claudeMemEntries(path: string, project: string): AsyncGenerator<ImportEntry> {
  const db = await openForeign(path, ['observations']);
  try {
    const columns = columnsOf(db, 'observations');
    const session = ['memory_session_id', 'sdk_session_id'].find((name) => columns.has(name));
    const sessions = columnsOf(db, 'sdk_sessions');
    const joins = session !== undefined && sessions.has('content_session_id') && sessions.has(session);
    const query = joins
      ? `SELECT observations.*, content_session_id AS session FROM observations
           LEFT JOIN sdk_sessions ON sdk_sessions.${session} = observations.${session} ORDER BY observations.id`
      : 'SELECT * FROM observations ORDER BY id';
    const name = basename(project);
    for (const row of rowsOf(db, query)) {
      const at = `observation ${String(row['id'])}`;
      if (row['project'] !== name && row['merged_into_project'] !== name) {
        yield { at, elsewhere: true };
        continue;
      }
      const text = textOf(row);
      if (text === '') {
        yield { at, problem: 'it holds no text' };
        continue;
      }
      yield {
        at,
        memory: {
          text,
          kind: KINDS.get(row['type']) ?? 'fact',
          project,
          session: cellText(row, 'session'),
          origin: 'auto',
          sourceIds: [],
          status: 'active',
          createdMs: createdOf(row),
          imported: `claude-mem ${at}`,
        },
      };
    }
  } finally {
    db.close();
  }
}
