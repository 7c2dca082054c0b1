/** Opens memory.db: private to its user, in WAL mode, at the newest format. */
import type Database from 'better-sqlite3';
import type { SqliteReady } from '../platform/native.ts';
import { createDatabase } from './damage.ts';
import { type Deadline, pause } from './deadline.ts';
import { failureOf, tooNew, unavailable } from './failure.ts';
import { migrate, versionOf } from './migrate.ts';
import { ensurePrivateFile, inodeOf } from './private-file.ts';
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

function prepare(db: Database.Database, path: string, deadline: Deadline, isThere: () => boolean): void {
  // What is read first opens the journal, by its name: from here on they belong together, or to nobody.
  const version = versionOf(db);
  if (!isThere()) throw replaced();
  // Before anything is set: a file of a newer format stays as it is.
  if (version > MIGRATIONS.length) throw tooNew(version, MIGRATIONS.length);
  db.pragma('secure_delete = ON');
  db.pragma('foreign_keys = ON');
  if (db.pragma('journal_mode', { simple: true }) !== 'wal') {
    db.pragma('journal_mode = WAL');
    if (!isThere()) throw replaced();
  }
  // In WAL mode a crash of the process loses nothing, and a crash of the machine at most the last commits.
  db.pragma('synchronous = NORMAL');
  db.pragma(`journal_size_limit = ${JOURNAL_LIMIT_BYTES}`);
  if (version < MIGRATIONS.length) migrate(db, path, deadline);
}

function replaced(): Error {
  return unavailable('it was just replaced');
}

/** Opens the database, waiting for others at most as long as the deadline allows. Throws what SQLite throws, or a ChittaError. */
export async function connect(sqlite: SqliteReady, path: string, deadline: Deadline): Promise<Connection> {
  for (;;) {
    let inode: bigint | undefined;
    let isMade = false;
    let db: Database.Database | undefined;
    const isThere = (): boolean => inode !== undefined && inodeOf(path) === inode;
    try {
      ensurePrivateFile(path, () => createDatabase(sqlite, path, deadline));
      isMade = true;
      inode = inodeOf(path);
      db = sqlite.open(path, { timeout: deadline.atOnceMs(), fileMustExist: true });
      prepare(db, path, deadline, isThere);
      const opened = db;
      return { db: opened, current: () => opened.open && isThere() };
    } catch (error) {
      db?.close();
      // Looked at first: what is wrong with a file that was set aside is no matter any more.
      const isReplaced = isMade && !isThere();
      if ((!isReplaced && failureOf(error) !== 'busy') || deadline.busyMs() === 0) throw error;
      await pause(RETRY_MS);
    }
  }
}
