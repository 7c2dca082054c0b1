/** Opens memory.db: private to its user, in WAL mode, at the newest format. */
import { chmodSync, closeSync, lstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { ChittaError } from '../errors.ts';
import type { SqliteReady } from '../platform/native.ts';
import { ensurePrivateDir, OPEN_TO_OTHERS, userId } from '../platform/paths.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';
import { type Deadline, pause } from './deadline.ts';
import { failureOf, tooNew, unavailable } from './failure.ts';
import { migrate, versionOf } from './migrate.ts';
import { MIGRATIONS } from './schema.ts';

/** Between attempts where SQLite answers "busy" without waiting, as when two processes switch to WAL at once. */
const RETRY_MS = 15;
/** The write-ahead log is cut back to this after a checkpoint. */
const JOURNAL_LIMIT_BYTES = 4_194_304;

export interface Connection {
  readonly db: Database.Database;
  /** Whether `path` still names the file that is open; not so after it was set aside or deleted. */
  current(): boolean;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/**
 * Makes the file if it is missing, so that it is private from its first byte (SQLite gives its journal the same mode).
 * An existing file is never opened here: closing it would drop the locks that this process holds on it through SQLite.
 */
export function ensurePrivateFile(path: string): void {
  try {
    ensurePrivateDir(dirname(path));
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined) {
      create(path);
    } else if (!entry.isFile()) {
      throw unavailable(`${path} is not a regular file`);
    } else if (userId() !== undefined && (entry.mode & OPEN_TO_OTHERS) !== 0) {
      chmodSync(path, 0o600);
    }
  } catch (error) {
    throw error instanceof ChittaError ? error : unavailable(reasonOf(error), error);
  }
}

function create(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process may have made it in this moment.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function prepare(db: Database.Database, path: string, deadline: Deadline): void {
  const version = versionOf(db);
  // Before anything is set: a file of a newer format stays as it is.
  if (version > MIGRATIONS.length) throw tooNew(version, MIGRATIONS.length);
  db.pragma('secure_delete = ON');
  db.pragma('foreign_keys = ON');
  if (db.pragma('journal_mode', { simple: true }) !== 'wal') db.pragma('journal_mode = WAL');
  // In WAL mode a crash of the process loses nothing, and a crash of the machine at most the last commits.
  db.pragma('synchronous = NORMAL');
  db.pragma(`journal_size_limit = ${JOURNAL_LIMIT_BYTES}`);
  if (version < MIGRATIONS.length) migrate(db, path, deadline);
}

/** Opens the database, waiting for others at most as long as the deadline allows. Throws what SQLite throws, or a ChittaError. */
export async function connect(sqlite: SqliteReady, path: string, deadline: Deadline): Promise<Connection> {
  for (;;) {
    ensurePrivateFile(path);
    const inode = inodeOf(path);
    let db: Database.Database | undefined;
    try {
      db = sqlite.open(path, { timeout: deadline.busyMs() });
      prepare(db, path, deadline);
      const opened = db;
      return { db: opened, current: () => opened.open && inodeOf(path) === inode };
    } catch (error) {
      db?.close();
      if (failureOf(error) !== 'busy' || deadline.busyMs() === 0) throw error;
      await pause(RETRY_MS);
    }
  }
}
