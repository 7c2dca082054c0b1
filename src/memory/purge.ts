/**
 * Removes what is stored, and its bytes: rows, index entries, free pages, the journal, the spool, copies of the database. On a
 * connection of its own, which waits for others as long as its caller has time.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { ChittaError } from '../errors.ts';
import { loadSqlite } from '../platform/native.ts';
import { reasonOf } from '../platform/small-file.ts';
import type { PurgeCounts, Purged, PurgeScope } from '../ports/purge.ts';
import { connect } from './connection.ts';
import { removeCopies } from './copies.ts';
import { type Deadline, deadlineIn, pause } from './deadline.ts';
import { storeError, unavailable } from './failure.ts';
import { maskedSession } from './masked.ts';
import { MIGRATIONS } from './schema.ts';
import { spoolFiles } from './spool.ts';
import { openMemory } from './store.ts';
import { Tables } from './tables.ts';

const NOTHING: PurgeCounts = { memories: 0, directives: 0, turns: 0, episodes: 0, prompts: 0, summaries: 0 };
const PAUSE_MS = 25;
const CHECKPOINT_WAIT_MS = 50;
const FILES = ['', '-wal', '-shm', '-journal'];

export interface PurgeOptions {
  readonly home: string;
  readonly deadlineMs: number;
  readonly log: (line: string) => void;
}

const isEverything = ({ session, project, beforeMs }: PurgeScope): boolean =>
  session === undefined && project === undefined && beforeMs === undefined;

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** What a statement about a table's rows in scope is given. */
interface Bound {
  readonly session: string | null;
  readonly project: string | null;
  readonly before: number | null;
}

function boundOf({ session, project, beforeMs }: PurgeScope): Bound {
  return {
    session: session === undefined ? null : maskedSession(session),
    project: project ?? null,
    before: beforeMs ?? null,
  };
}

/** `time`: the column that says how old a row is. */
function inScope(time: string): string {
  return `(@session IS NULL OR session = @session OR substr(session, 1, length(@session) + 1) = @session || '/')
    AND (@project IS NULL OR project = @project) AND (@before IS NULL OR ${time} < @before)`;
}

/** The rows that go, by table. */
const ROWS: Readonly<Record<keyof PurgeCounts, string>> = {
  memories: `memories WHERE ${inScope('created_ms')} AND (@before IS NULL OR origin = 'auto')`,
  directives: `ledger JOIN ledger_texts ON entry = id WHERE ${inScope('created_ms')} AND @before IS NULL`,
  turns: `turns WHERE ${inScope('archived_ms')}`,
  episodes: `episodes WHERE ${inScope('created_ms')}`,
  prompts: `prompts WHERE ${inScope('at_ms')}`,
  summaries: `summaries WHERE ${inScope('created_ms')}`,
};

function countIn(db: Database.Database, bound: Bound): PurgeCounts {
  const count = (rows: string): number =>
    Number(db.prepare<[Bound], number>(`SELECT count(*) FROM ${rows}`).pluck().get(bound));
  return {
    memories: count(ROWS.memories),
    directives: count(ROWS.directives),
    turns: count(ROWS.turns),
    episodes: count(ROWS.episodes),
    prompts: count(ROWS.prompts),
    summaries: count(ROWS.summaries),
  };
}

/** A session that goes on is not to be read again from its beginning: what was purged would come back. */
function passTranscripts(db: Database.Database, bound: Bound): void {
  const sessions = db
    .prepare<[Bound], { session: string; transcript: string }>(
      `SELECT session, transcript FROM sessions WHERE ${inScope('seen_ms')} AND @before IS NULL AND transcript IS NOT NULL`,
    )
    .all(bound);
  const pass = db.prepare('UPDATE sessions SET archived_bytes = max(archived_bytes, ?) WHERE session = ?');
  for (const { session, transcript } of sessions) {
    pass.run(statSync(transcript, { throwIfNoEntry: false })?.size ?? 0, session);
  }
}

/** Removes the rows in scope, in the caller's transaction. */
function removeRows(tables: Tables, bound: Bound, nowMs: number): PurgeCounts {
  const { db, memories, directives } = tables;
  const counts = countIn(db, bound);
  passTranscripts(db, bound);
  const ids = db.prepare<[Bound], number>(`SELECT id FROM ${ROWS.memories}`).pluck().all(bound);
  for (const id of ids) memories.remove(id, nowMs);
  const entries = db.prepare<[Bound], number>(`SELECT id FROM ${ROWS.directives}`).pluck().all(bound);
  directives.removeTexts(entries, nowMs);
  db.prepare(
    `DELETE FROM injections WHERE (@before IS NULL OR at_ms < @before)
       AND (@session IS NULL OR session = @session OR substr(session, 1, length(@session) + 1) = @session || '/')
       AND (@project IS NULL OR session IN (SELECT session FROM sessions WHERE project = @project))`,
  ).run(bound);
  for (const rows of [ROWS.turns, ROWS.episodes, ROWS.prompts, ROWS.summaries]) {
    db.prepare(`DELETE FROM ${rows}`).run(bound);
  }
  return counts;
}

/**
 * Takes all tables away and makes them anew, in the caller's transaction: that cannot miss any. Numbers go on where they were, so
 * that one noted elsewhere never comes to mean another row; the store has a new name, by which indexes in memory start over. Of
 * the ledger of directives one entry is left, without a project or a text: that it was emptied, and when.
 */
function removeEverything({ db, directives }: Tables, bound: Bound, nowMs: number): PurgeCounts {
  const counts = countIn(db, bound);
  const sequences = db.prepare<[], { name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence').all();
  db.pragma('defer_foreign_keys = ON');
  const tables = db.prepare<[string], string>(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = ? AND name NOT LIKE 'sqlite_%'`,
  );
  for (const type of ['virtual', 'table']) {
    for (const name of tables.pluck().all(type)) db.exec(`DROP TABLE "${name.replaceAll('"', '""')}"`);
  }
  for (const step of MIGRATIONS) db.exec(step);
  db.exec('DELETE FROM sqlite_sequence');
  const proceed = db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (@name, @seq)');
  for (const sequence of sequences) proceed.run(sequence);
  if (counts.directives > 0) directives.addTombstone(nowMs);
  return counts;
}

/** Gives free pages back and writes all others anew. Not vital: what was in them is overwritten already. */
function rewrite(db: Database.Database, log: (line: string) => void): void {
  try {
    for (const index of ['memories_fts', 'turns_fts']) db.exec(`INSERT INTO ${index}(${index}) VALUES ('optimize')`);
    db.exec('VACUUM');
  } catch (error) {
    log(`memory.db was not made smaller: ${reasonOf(error)}`);
  }
}

async function emptyJournal(tables: Tables, deadline: Deadline): Promise<boolean> {
  for (;;) {
    if (tables.checkpoint(Math.min(CHECKPOINT_WAIT_MS, deadline.busyMs()))) return true;
    if (deadline.busyMs() === 0) return false;
    await pause(PAUSE_MS);
  }
}

/** What waits beside the database goes in first, so that it is found there. */
async function takeInSpool({ home, log }: PurgeOptions, deadline: Deadline): Promise<void> {
  while (spoolFiles(home).length > 0) {
    const memory = openMemory({ home, log });
    try {
      await memory.stats(deadline.left());
    } finally {
      memory.close();
    }
    if (deadline.busyMs() === 0) throw unavailable('what waits in the spool could not be taken in');
    if (spoolFiles(home).length > 0) await pause(PAUSE_MS);
  }
}

async function withTables<T>(path: string, deadline: Deadline, work: (tables: Tables) => Promise<T> | T): Promise<T> {
  const sqlite = await loadSqlite();
  if (sqlite.state !== 'ok') throw unavailable(sqlite.reason);
  try {
    const { db } = await connect(sqlite, path, deadline);
    try {
      db.pragma(`busy_timeout = ${deadline.busyMs()}`);
      return await work(new Tables(db));
    } finally {
      db.close();
    }
  } catch (error) {
    throw storeError(error, deadline.ms);
  }
}

/** Rows that a purge of the scope would remove; 0 where there is no database. Rejects as the store does. */
export async function countStored(scope: PurgeScope, options: PurgeOptions): Promise<PurgeCounts> {
  const path = join(options.home, 'memory.db');
  const deadline = deadlineIn(options.deadlineMs);
  await takeInSpool(options, deadline);
  return exists(path) ? withTables(path, deadline, ({ db }) => countIn(db, boundOf(scope))) : NOTHING;
}

function removeFiles(paths: readonly string[]): string[] {
  const there = paths.filter(exists);
  for (const path of there) rmSync(path, { force: true });
  return there;
}

/** With a database that cannot be used, everything can still be removed: by its files. */
function isHopeless(error: unknown): boolean {
  return (
    error instanceof ChittaError && ['E_STORE_CORRUPT', 'E_STORE_VERSION', 'E_STORE_UNAVAILABLE'].includes(error.code)
  );
}

/** Removes what the scope says, and every copy that may hold it. Rejects as the store does; then something may be left. */
export async function purgeStored(scope: PurgeScope, nowMs: number, options: PurgeOptions): Promise<Purged> {
  const { home, log } = options;
  const path = join(home, 'memory.db');
  const deadline = deadlineIn(options.deadlineMs);
  const everything = isEverything(scope);
  const removed: string[] = [];
  let outcome: { counts: PurgeCounts; erased: boolean } = { counts: NOTHING, erased: true };
  try {
    if (everything) removed.push(...removeFiles(spoolFiles(home).map((name) => join(home, name))));
    else await takeInSpool(options, deadline);
    if (exists(path)) {
      outcome = await withTables(path, deadline, async (tables) => {
        const bound = boundOf(scope);
        const counts = tables.write(() =>
          everything ? removeEverything(tables, bound, nowMs) : removeRows(tables, bound, nowMs),
        );
        rewrite(tables.db, log);
        return { counts, erased: await emptyJournal(tables, deadline) };
      });
    }
  } catch (error) {
    if (!everything || !isHopeless(error)) throw error;
    log(`memory.db was deleted unopened: ${reasonOf(error)}`);
    removed.push(...removeFiles(FILES.map((end) => path + end)));
  }
  const copies = exists(home) ? removeCopies(path) : [];
  return { ...outcome, removedFiles: [...removed.map((file) => file.slice(home.length + 1)), ...copies] };
}
