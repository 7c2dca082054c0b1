/** What hooks know of sessions: SQL only. Rows come in masked. */
import type Database from 'better-sqlite3';
import type { MemoryStats } from '../ports/memory.ts';
import type { PromptRecord, SessionActivity, SessionState } from '../ports/sessions.ts';
import type { MemoryTable } from './memories.ts';

interface Row {
  transcript: string | null;
  archived_bytes: number;
  told_directive: number;
}

/** How a memory is named among what was put into a context. */
const MEMORY_NAME = /^memory (\d{1,15})$/;

export interface Progress {
  readonly session: string;
  readonly project: string | undefined;
  readonly transcript: string;
  readonly archivedBytes: number;
}

export interface SessionTable {
  get(session: string): SessionState | undefined;
  /** Of a project, the session that was last heard of, but for one. */
  newest(project: string, except: string): SessionState | undefined;
  activity(query: { readonly project: string; readonly sinceMs: number; readonly limit: number }): SessionActivity[];
  begin(
    session: string,
    begun: {
      readonly project: string | undefined;
      readonly transcript: string | undefined;
      readonly toldDirective: number;
    },
    atMs: number,
  ): void;
  /** How far a transcript was read; it never goes back, unless the transcript is another one. */
  proceed(progress: Progress, atMs: number): void;
  addPrompt(prompt: PromptRecord, atMs: number): void;
  injected(session: string): ReadonlySet<string>;
  /** What was put into the context of a session is there no more. */
  leave(session: string, atMs: number): void;
  prompts(): MemoryStats['prompts'];
}

function stateOf(row: Row | undefined): SessionState | undefined {
  return (
    row && {
      transcript: row.transcript ?? undefined,
      archivedBytes: row.archived_bytes,
      toldDirective: row.told_directive,
    }
  );
}

export function sessionTable(db: Database.Database, memories: Pick<MemoryTable, 'use'>): SessionTable {
  const get = db.prepare<[string], Row>('SELECT * FROM sessions WHERE session = ?');
  const newest = db.prepare<[string, string], Row>(
    // Sub-agents have a slash in their name.
    `SELECT * FROM sessions WHERE project = ? AND session <> ? AND instr(session, '/') = 0 ORDER BY seen_ms DESC LIMIT 1`,
  );
  const activity = db.prepare<[{ project: string; sinceMs: number; limit: number }], SessionActivity>(
    `SELECT session, seen_ms AS seenMs,
       (SELECT count(*) FROM prompts WHERE session = sessions.session AND at_ms >= @sinceMs) AS prompts,
       (SELECT count(*) FROM turns WHERE session = sessions.session AND archived_ms >= @sinceMs) AS turns,
       min(seen_ms,
         ifnull((SELECT min(at_ms) FROM prompts WHERE session = sessions.session), seen_ms),
         ifnull((SELECT min(archived_ms) FROM turns WHERE session = sessions.session), seen_ms)) AS beganMs
     FROM sessions WHERE project = @project AND seen_ms >= @sinceMs AND instr(session, '/') = 0
     ORDER BY seen_ms DESC, session LIMIT @limit`,
  );
  const begin = db.prepare(
    `INSERT INTO sessions (session, project, transcript, told_directive, seen_ms)
     VALUES (@session, @project, @transcript, @toldDirective, @atMs)
     ON CONFLICT (session) DO UPDATE SET project = excluded.project, transcript = coalesce(excluded.transcript, transcript),
       told_directive = max(told_directive, excluded.told_directive), seen_ms = max(seen_ms, excluded.seen_ms)`,
  );
  const proceed = db.prepare(
    `INSERT INTO sessions (session, project, transcript, archived_bytes, seen_ms)
     VALUES (@session, @project, @transcript, @archivedBytes, @atMs)
     ON CONFLICT (session) DO UPDATE SET
       archived_bytes = iif(transcript IS excluded.transcript, max(archived_bytes, excluded.archived_bytes), excluded.archived_bytes),
       transcript = excluded.transcript, seen_ms = max(seen_ms, excluded.seen_ms)`,
  );
  const addPrompt = db.prepare(
    `INSERT INTO prompts (session, key, project, tokens, at_ms) VALUES (@session, @key, @project, @tokens, @atMs)
     ON CONFLICT (session, key) DO NOTHING`,
  );
  const inject = db.prepare(
    'INSERT INTO injections (session, what, at_ms) VALUES (?, ?, ?) ON CONFLICT (session, what) DO NOTHING',
  );
  const injected = db.prepare<[string], string>('SELECT what FROM injections WHERE session = ?').pluck();
  const leave = db.prepare('DELETE FROM injections WHERE session = ? AND at_ms <= ?');
  const prompts = db.prepare<[], MemoryStats['prompts']>(
    'SELECT count(*) AS seen, count(nullif(tokens, 0)) AS injected, ifnull(sum(tokens), 0) AS tokens FROM prompts',
  );
  const starts: SessionTable['begin'] = (session, { project = null, transcript = null, toldDirective }, atMs) => {
    begin.run({ session, project, transcript, toldDirective, atMs });
  };
  return {
    get: (session) => stateOf(get.get(session)),
    newest: (project, except) => stateOf(newest.get(project, except)),
    activity: (query) => activity.all(query),
    begin: starts,
    proceed: ({ session, project = null, transcript, archivedBytes }, atMs) => {
      proceed.run({ session, project, transcript, archivedBytes, atMs });
    },
    addPrompt: ({ session, key, project, tokens, injected: names, toldDirective }, atMs) => {
      const isNew = addPrompt.run({ session, key, project: project ?? null, tokens, atMs }).changes > 0;
      for (const name of names) {
        inject.run(session, name, atMs);
        const id = isNew ? MEMORY_NAME.exec(name)?.[1] : undefined;
        if (id !== undefined) memories.use(Number(id), atMs);
      }
      if (toldDirective !== undefined) starts(session, { project, transcript: undefined, toldDirective }, atMs);
    },
    injected: (session) => new Set(injected.all(session)),
    leave: (session, atMs) => {
      leave.run(session, atMs);
    },
    prompts: () => prompts.get() ?? { seen: 0, injected: 0, tokens: 0 },
  };
}
