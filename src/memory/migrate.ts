/**
 * Brings a database to the newest format: one transaction per step, so that a process that dies in between leaves the
 * database at a step, never between two. A copy is made before the first one.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import type { Deadline } from './deadline.ts';
import { tooNew, unavailable } from './failure.ts';
import { MIGRATIONS } from './schema.ts';

/** The format of a database; 0 for a new one. */
export function versionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/** What stands between the name of the database and the format of the copy. */
export const BACKUP = '.backup-v';

/** What is copied in a millisecond on a busy machine (measured: 100 kB). */
const COPIED_BYTES_PER_MS = 50_000;
/** A copy that is still being made is younger than this. */
const LEFT_BEHIND_MS = 600_000;

/** Deletes what processes that were killed left of their copies. */
function removeLeftBehind(path: string): void {
  const start = basename(path) + BACKUP;
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(start) || !/^\d+\.[\da-f]{12}$/.test(name.slice(start.length))) continue;
    const file = join(dirname(path), name);
    const madeMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - madeMs > LEFT_BEHIND_MS) rmSync(file, { force: true });
  }
}

/** A consistent copy, journal included. Through SQLite: opening the file by itself would drop this process's locks on it. */
function backUp(db: Database.Database, path: string, version: number): void {
  removeLeftBehind(path);
  const temporary = `${path}${BACKUP}${version}.${randomBytes(6).toString('hex')}`;
  // VACUUM INTO takes an empty file, which has the permissions that SQLite would not set.
  closeSync(openSync(temporary, 'wx', 0o600));
  try {
    db.prepare('VACUUM INTO ?').run(temporary);
    renameSync(temporary, `${path}${BACKUP}${version}`);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Takes the missing steps. Throws E_STORE_VERSION if the database is newer than chitta, E_STORE_UNAVAILABLE if a large one would take
 * longer than there is time, else what SQLite throws.
 */
export function migrate(db: Database.Database, path: string, deadline: Deadline): void {
  const start = versionOf(db);
  if (start > MIGRATIONS.length) throw tooNew(start, MIGRATIONS.length);
  if (start > 0 && !deadline.allows(statSync(path).size / COPIED_BYTES_PER_MS)) {
    throw unavailable(`there was no time to bring it from format ${start} to ${MIGRATIONS.length}`);
  }
  if (start > 0 && start < MIGRATIONS.length) backUp(db, path, start);
  const step = db.transaction((): boolean => {
    // Read again under the lock: another process may have been faster.
    const version = versionOf(db);
    if (version > MIGRATIONS.length) throw tooNew(version, MIGRATIONS.length);
    const sql = MIGRATIONS[version];
    if (sql === undefined) return false;
    db.exec(sql);
    db.pragma(`user_version = ${version + 1}`);
    return true;
  });
  if (start < MIGRATIONS.length) while (step.immediate());
}
