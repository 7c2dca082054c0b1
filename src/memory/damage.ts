/**
 * Sets a damaged database aside. Only when a second look, under a lock, finds it damaged as well: an error alone may come
 * from a file that another process has replaced in the meantime.
 */
import { renameSync, statSync, truncateSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { SqliteReady } from '../platform/native.ts';
import { ensurePrivateFile } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { failureOf } from './failure.ts';

/** What stands between the name of the database and the time at which it was set aside. */
export const SET_ASIDE = '.corrupt-';

/** What is looked at in a millisecond on a busy machine: tables alone, and everything with the full-text indexes (measured: 200 and 33 kB). */
const TABLES_BYTES_PER_MS = 100_000;
const ALL_BYTES_PER_MS = 15_000;

/** Tables first, which is quick; what only a look at everything finds is left to a process that has the time. */
function holdsDamage(db: Database.Database, bytes: number, deadline: Deadline): boolean {
  const names = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").pluck();
  const isSound = (of: string): boolean => db.pragma(`quick_check(${of})`, { simple: true }) === 'ok';
  if (!deadline.allows(bytes / TABLES_BYTES_PER_MS)) return false;
  if (!names.all().every((name) => isSound(`"${name.replaceAll('"', '""')}"`))) return true;
  return deadline.allows(bytes / ALL_BYTES_PER_MS) && !isSound('1');
}

function isDamaged(sqlite: SqliteReady, path: string, deadline: Deadline): boolean {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return false;
  let db: Database.Database | undefined;
  try {
    db = sqlite.open(path, { fileMustExist: true, timeout: deadline.busyMs() });
    return holdsDamage(db, bytes, deadline);
  } catch (error) {
    if (failureOf(error) === 'damaged') return true;
    throw error;
  } finally {
    // Before the file is renamed: what closing deletes, it deletes by name.
    db?.close();
  }
}

/**
 * Renames a damaged database, its journal first, to `<path>.corrupt-<time>`, and returns that name; undefined if it is not damaged,
 * or too large to be looked at within the deadline.
 * One process at a time: the lock is a transaction on a file of its own, which ends with its process.
 */
export function setAsideIfDamaged(
  sqlite: SqliteReady,
  path: string,
  deadline: Deadline,
  nowMs: number,
): string | undefined {
  const lockPath = `${path}.lock`;
  ensurePrivateFile(lockPath);
  // It is always empty; with anything in it, SQLite would take no lock on it.
  if (statSync(lockPath).size > 0) truncateSync(lockPath);
  const lock = sqlite.open(lockPath, { timeout: deadline.busyMs() });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    if (!isDamaged(sqlite, path, deadline)) return undefined;
    const aside = `${path}${SET_ASIDE}${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}`;
    for (const end of ['-wal', '-shm', '']) {
      if (statSync(path + end, { throwIfNoEntry: false }) !== undefined) renameSync(path + end, aside + end);
    }
    return aside;
  } finally {
    lock.close();
  }
}
