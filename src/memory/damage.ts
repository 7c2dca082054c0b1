/**
 * Sets a damaged database aside. Only when a second look, under a lock, finds it damaged as well: an error alone may come
 * from a file that another process has replaced in the meantime.
 */
import { renameSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { SqliteReady } from '../platform/native.ts';
import { ensurePrivateFile } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { failureOf } from './failure.ts';

/** What stands between the name of the database and the time at which it was set aside. */
export const SET_ASIDE = '.corrupt-';

function isDamaged(sqlite: SqliteReady, path: string, deadline: Deadline): boolean {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  let db: Database.Database | undefined;
  try {
    db = sqlite.open(path, { fileMustExist: true, timeout: deadline.busyMs() });
    return db.pragma('quick_check(1)', { simple: true }) !== 'ok';
  } catch (error) {
    if (failureOf(error) === 'damaged') return true;
    throw error;
  } finally {
    // Before the file is renamed: what closing deletes, it deletes by name.
    db?.close();
  }
}

/**
 * Renames a damaged database, its journal first, to `<path>.corrupt-<time>`, and returns that name; undefined if it is not damaged.
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
