/**
 * Sets a damaged database aside, and makes the one that takes its place. SQLite finds a journal by the name of its database, and so
 * do processes that have the damaged one open: one of them must never get at the journal of the new one.
 *
 * - One process at a time changes which file the name stands for: the lock is a transaction on a file of its own, which ends with its
 *   process. Nothing is set aside that a second look, under the lock, does not find damaged: an error alone may come from a file that
 *   was replaced in the meantime.
 * - The database is renamed first and its journal after it, while it is held open here: who closes it as the last one deletes the
 *   journal by name. Who opened it before that and finds it renamed looks again (connection.ts).
 * - The new one is made under the same lock, so that the old journal is gone by then.
 */
import { existsSync, readdirSync, renameSync, statSync, truncateSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import type { SqliteReady } from '../platform/native.ts';
import { codeOf } from '../platform/small-file.ts';
import type { Deadline } from './deadline.ts';
import { failureOf } from './failure.ts';
import { createPrivate, ensurePrivateFile } from './private-file.ts';

/** What stands between the name of the database and the time at which it was set aside. */
const SET_ASIDE = '.corrupt-';
const JOURNALS = ['-wal', '-shm'] as const;

/** What is looked at in a millisecond on a busy machine: tables alone, and everything with the full-text indexes (measured: 200 and 33 kB). */
const TABLES_BYTES_PER_MS = 100_000;
const ALL_BYTES_PER_MS = 15_000;

/** Names of the files in the folder of a database that were set aside, journals among them. */
export function setAsideNames(path: string): string[] {
  const start = basename(path) + SET_ASIDE;
  return readdirSync(dirname(path)).filter((name) => name.startsWith(start));
}

/** Paths of the databases that were set aside as damaged, without those of their journals. */
export function setAsideFiles(path: string): string[] {
  const names = setAsideNames(path).filter((name) => !JOURNALS.some((end) => name.endsWith(end)));
  return names.map((name) => join(dirname(path), name)).toSorted();
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

/** Work that no other process does at the same time. Throws SQLite's "busy" if it does not get to it in time. */
function exclusively<T>(sqlite: SqliteReady, path: string, waitMs: number, work: () => T): T {
  const lockPath = lockOf(path);
  ensurePrivateFile(lockPath);
  // It is always empty; with anything in it, SQLite would take no lock on it.
  if (statSync(lockPath).size > 0) truncateSync(lockPath);
  const lock = sqlite.open(lockPath, { timeout: waitMs });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return work();
  } finally {
    lock.close();
  }
}

/** Tables first, which is quick; what only a look at everything finds is left to a process that has the time. */
function holdsDamage(db: Database.Database, bytes: number, deadline: Deadline): boolean {
  const names = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").pluck();
  const isSound = (of: string): boolean => db.pragma(`quick_check(${of})`, { simple: true }) === 'ok';
  if (!deadline.allows(bytes / TABLES_BYTES_PER_MS)) return false;
  if (!names.all().every((name) => isSound(`"${name.replaceAll('"', '""')}"`))) return true;
  return deadline.allows(bytes / ALL_BYTES_PER_MS) && !isSound('1');
}

/** Keeps the shared lock on a file that is no database, which SQLite lets go of when it cannot read it. */
function keepLock(db: Database.Database): void {
  try {
    db.pragma('busy_timeout = 0');
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('user_version');
  } catch {
    // As it must be.
  }
}

/** The database, open, if it is damaged. As long as it is open, nobody else closes it as the last one. */
function openIfDamaged(sqlite: SqliteReady, path: string, deadline: Deadline): Database.Database | undefined {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return undefined;
  const db = sqlite.open(path, { fileMustExist: true, timeout: deadline.busyMs() });
  try {
    if (holdsDamage(db, bytes, deadline)) return db;
  } catch (error) {
    if (failureOf(error) === 'damaged') {
      if (codeOf(error) === 'SQLITE_NOTADB') keepLock(db);
      return db;
    }
    db.close();
    throw error;
  }
  db.close();
  return undefined;
}

function moveJournals(from: string, to: string): void {
  for (const end of JOURNALS) if (existsSync(from + end)) renameSync(from + end, to + end);
}

/** A name that is not taken. */
function asideName(path: string, nowMs: number): string {
  for (let ms = nowMs; ; ms += 1) {
    const name = `${path}${SET_ASIDE}${new Date(ms).toISOString().replace(/[:.]/g, '-')}`;
    if (!existsSync(name)) return name;
  }
}

/** Puts what its journal holds into a database that was set aside, unless others still have it open: it is one file then. */
function putTogether(sqlite: SqliteReady, aside: string): void {
  if (!JOURNALS.some((end) => existsSync(aside + end))) return;
  let db: Database.Database | undefined;
  try {
    db = sqlite.open(aside, { fileMustExist: true, timeout: 0 });
    db.pragma('user_version');
  } catch {
    // It is no database any more, and keeps its journal.
  } finally {
    db?.close();
  }
}

/**
 * Renames a damaged database with its journal to `<path>.corrupt-<time>`, and returns that name; undefined if it is not damaged,
 * or too large to be looked at within the deadline. Throws what SQLite or the file system throws.
 */
export function setAsideIfDamaged(
  sqlite: SqliteReady,
  path: string,
  deadline: Deadline,
  nowMs: number,
): string | undefined {
  return exclusively(sqlite, path, deadline.busyMs(), () => {
    const db = openIfDamaged(sqlite, path, deadline);
    if (db === undefined) return undefined;
    const aside = asideName(path, nowMs);
    // There no file is renamed that somebody has open.
    if (process.platform === 'win32') db.close();
    try {
      renameSync(path, aside);
      moveJournals(path, aside);
    } finally {
      db.close();
    }
    putTogether(sqlite, aside);
    return aside;
  });
}

/** Makes the database where there is none. Whoever set one aside is done by then, or what it left undone is done here. */
export function createDatabase(sqlite: SqliteReady, path: string, deadline: Deadline): void {
  if (!existsSync(lockOf(path))) {
    // Nothing was ever set aside.
    createPrivate(path);
    return;
  }
  exclusively(sqlite, path, deadline.busyMs(), () => {
    if (existsSync(path)) return;
    const aside = setAsideFiles(path).at(-1);
    if (aside !== undefined) moveJournals(path, aside);
    createPrivate(path);
  });
}

/** For a process that had a damaged database open until now: puts it together with its journal, if nobody is in the way. */
export function tidySetAside(sqlite: SqliteReady, path: string): void {
  const isLeft = setAsideNames(path).some((name) => JOURNALS.some((end) => name.endsWith(end)));
  if (isLeft) exclusively(sqlite, path, 0, () => setAsideFiles(path).forEach((aside) => putTogether(sqlite, aside)));
}
