/** What `chitta doctor` says about the memory database. It looks only: nothing is repaired, brought to a newer format or taken in. */
import { lstatSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { loadSqlite, nativeFix, type SqliteReady } from '../platform/native.ts';
import type { Check, Probe } from '../ports/check.ts';
import { storeBytes } from './copies.ts';
import { setAsideFiles } from './damage.ts';
import { type Failure, failureOf, storeError, tooNew } from './failure.ts';
import { versionOf } from './migrate.ts';
import { MIGRATIONS } from './schema.ts';
import { SPOOL_MAX_BYTES, spoolBytes } from './spool.ts';
import { Tables } from './tables.ts';
import { archivedSince } from './usage.ts';

const NAME = 'memory';
const WAIT_MS = 2_000;
/** With less than this, a compaction or a change of format may not fit. */
const LEAST_FREE_BYTES = 67_108_864;
/** From this size on a person is told, if the archive has no limit; and from so much text on that came in 30 days. */
const GROWN_BYTES = 1_000_000_000;
const FAST_BYTES = 250_000_000;
const MONTH_MS = 30 * 86_400_000;
/** A record more and it is full. */
const NEARLY_FULL_BYTES = SPOOL_MAX_BYTES * 0.9;

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function warning(detail: string, fix: string): Check {
  return { name: NAME, state: 'warn', detail, fix };
}

function fixOf(failure: Failure, path: string): string {
  switch (failure) {
    case 'busy':
      return `end the process that holds it: fuser -v '${path}'`;
    case 'index':
      return 'chitta memory search WORD, which makes the index anew where it meets the damage';
    case 'unavailable':
      return `see that you may write these, and that the disk has room: ls -ld '${dirname(path)}' '${path}'*; df '${path}'`;
    default: {
      // With its journal.
      const away = join(dirname(path), 'away');
      return `move it away, and chitta makes a new one: mkdir '${away}' && mv '${path}'* '${away}'`;
    }
  }
}

function failed(error: unknown, path: string): Check {
  const told = storeError(error, WAIT_MS);
  const detail = told instanceof Error ? told.message : String(told);
  return { name: NAME, state: 'fail', detail, fix: fixOf(failureOf(error), path) };
}

/** Whether it could be written, without writing: what is written is taken back. The lock alone is given for a read-only file as well. */
function tryToWrite(db: Database.Database, version: number): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.pragma(`user_version = ${version}`);
  } finally {
    db.exec('ROLLBACK');
  }
}

function schemaOf(db: Database.Database): string {
  return JSON.stringify(db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').raw().all());
}

/** Whether the tables of a file are exactly those of this chitta's format, whatever number it has. */
function isOfThisFormat(db: Database.Database, sqlite: SqliteReady): boolean {
  const fresh = sqlite.open(':memory:');
  try {
    for (const step of MIGRATIONS) fresh.exec(step);
    return schemaOf(fresh) === schemaOf(db);
  } finally {
    fresh.close();
  }
}

function checkOpen(db: Database.Database, path: string, sqlite: SqliteReady, hasLimit: boolean): Check {
  const version = versionOf(db);
  const newest = MIGRATIONS.length;
  if (version > newest && isOfThisFormat(db, sqlite)) {
    const detail = `memory.db says that it has format ${version}, and all else in it is of format ${newest}: the number is damaged, unless a newer chitta was used here`;
    return { name: NAME, state: 'fail', detail, fix: `sqlite3 '${path}' 'PRAGMA user_version = ${newest}'` };
  }
  if (version > newest) {
    const { message, hint = '' } = tooNew(version, newest);
    return { name: NAME, state: 'fail', detail: message, fix: hint };
  }
  // A file that SQLite would open, and that chitta did not make.
  const holdsOthers = version < 1 && db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
  if (holdsOthers) {
    const detail = `memory.db is not as chitta made it: format ${version}, with tables in it`;
    return { name: NAME, state: 'fail', detail, fix: fixOf('foreign', path) };
  }
  tryToWrite(db, version);
  const verdict = String(db.pragma('quick_check(1)', { simple: true }));
  if (verdict !== 'ok') {
    const isIndex = /fts5/i.test(verdict);
    const detail = `${isIndex ? 'the full-text index of memory.db' : 'memory.db'} is damaged: ${verdict}`;
    return { name: NAME, state: isIndex ? 'warn' : 'fail', detail, fix: fixOf(isIndex ? 'index' : 'damaged', path) };
  }
  if (version < MIGRATIONS.length) {
    const detail = `format ${version}; the next use brings it to ${MIGRATIONS.length}, after a copy`;
    return { name: NAME, state: 'ok', detail };
  }
  const { memories, turns, episodes } = new Tables(db);
  const bytes = storeBytes(path);
  const lately = archivedSince(db, Date.now() - MONTH_MS);
  const size = `${megabytes(bytes)}, ${megabytes(lately)} of text came in 30 days`;
  if (!hasLimit && (bytes > GROWN_BYTES || lately > FAST_BYTES)) {
    return warning(
      `memory.db has grown to ${size}, with ${turns.count()} archived turns, and nothing limits it`,
      'chitta config set archive_max_days 180, or archive_max_mb 1000; chitta memory stats shows how it grows',
    );
  }
  const counts = `${memories.counts().active} memories, ${turns.count()} archived turns, ${episodes.count()} episodes`;
  return { name: NAME, state: 'ok', detail: `${counts}, ${size}` };
}

function checkFile(sqlite: SqliteReady, path: string, hasLimit: boolean): Check {
  let db: Database.Database | undefined;
  try {
    db = sqlite.open(path, { fileMustExist: true, timeout: WAIT_MS });
    return checkOpen(db, path, sqlite, hasLimit);
  } catch (error) {
    return failed(error, path);
  } finally {
    db?.close();
  }
}

async function checkDatabase(path: string, hasLimit: boolean): Promise<Check> {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return { name: NAME, state: 'ok', detail: 'nothing is stored yet' };
  if (!entry.isFile()) {
    return { name: NAME, state: 'fail', detail: `${path} is not a regular file`, fix: fixOf('foreign', path) };
  }
  const sqlite = await loadSqlite();
  if (sqlite.state === 'ok') return checkFile(sqlite, path, hasLimit);
  return {
    name: NAME,
    state: 'fail',
    detail: `memory.db cannot be read: ${sqlite.reason}`,
    fix: nativeFix(sqlite, 'better-sqlite3'),
  };
}

function checkSpool(home: string): Check[] {
  const bytes = spoolBytes(home);
  if (bytes === 0) return [];
  const full = bytes < NEARLY_FULL_BYTES ? '' : '; there is no room for more, so that turns are no longer archived';
  return [
    warning(
      `${megabytes(bytes)} could not be written and wait to be taken in${full}`,
      'chitta memory stats takes it in',
    ),
  ];
}

function checkCopies(path: string): Check[] {
  const aside = setAsideFiles(path);
  const [first] = aside;
  if (first === undefined) return [];
  const detail = `a damaged database was set aside, and its memories are in no search: ${aside.join(', ')}`;
  return [warning(detail, `sqlite3 '${first}' .recover shows what can be read of it; then rm '${first}'*`)];
}

function checkDisk(home: string): Check[] {
  const { bavail, bsize } = statfsSync(home);
  if (bavail * bsize >= LEAST_FREE_BYTES) return [];
  return [warning(`only ${megabytes(bavail * bsize)} are free on the disk of ${home}`, `make room: df -h '${home}'`)];
}

/** Looks at the database if there is one, counts what it holds, and names what is wrong with it or around it. */
export function memoryProbe(home: string, hasLimit: () => boolean = () => false): Probe {
  const path = join(home, 'memory.db');
  return {
    name: NAME,
    run: async () => {
      const database = await checkDatabase(path, hasLimit());
      const folder = lstatSync(home, { throwIfNoEntry: false });
      if (folder?.isDirectory() !== true) return [database];
      return [database, ...checkSpool(home), ...checkCopies(path), ...checkDisk(home)];
    },
  };
}
