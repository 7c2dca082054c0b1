/** The vector cache's SQLite file: float32 blobs by model and text hash, bounded, 0600, overwritten when removed. */
import { chmodSync, closeSync, lstatSync, openSync, rmSync } from 'node:fs';
import { endianness } from 'node:os';
import type Database from 'better-sqlite3';
import { loadSqlite } from '../platform/native.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';

/** Each call throws what SQLite throws. */
export interface VectorFile {
  /** `peek`: it does not count as use. */
  read(space: string, hashes: readonly string[], how?: 'peek'): Map<string, Float32Array>;
  write(space: string, entries: readonly (readonly [hash: string, vector: Float32Array])[]): void;
  /** True once the rows are gone, also if there were none. */
  remove(hashes: readonly string[]): boolean;
  close(): void;
}

export type OpenedFile =
  | { readonly state: 'open'; readonly file: VectorFile }
  | { readonly state: 'absent'; readonly reason: string };

interface FileOptions {
  readonly maxRows: number;
  readonly now: () => number;
}

export const SCHEMA_VERSION = 1;
/** Waiting for another process blocks the event loop, and a vector is not worth more; only at the start there is time. */
const BUSY_MS = 40;
const OPENING_BUSY_MS = 1000;
/** The time of last use is only as exact as this, so that reading seldom means writing. */
const USE_GRAIN_MS: number = 60 * 60 * 1000;
/** Rows written between two looks at the bound. */
const TRIM_EVERY = 500;
/** Share of the bound that is kept when it is reached. */
const KEEP = 0.9;
const PRIVATE_FILE = 0o600;

const SCHEMA = `
  CREATE TABLE spaces (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE vectors (
    hash BLOB NOT NULL, space INTEGER NOT NULL REFERENCES spaces (id), used INTEGER NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (hash, space)
  );
  CREATE INDEX vectors_by_use ON vectors (used);
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Little-endian float32 on every machine. */
function toBlob(vector: Float32Array): Buffer {
  const blob = Buffer.from(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
  return endianness() === 'LE' ? blob : blob.swap32();
}

function fromBlob(blob: Buffer): Float32Array {
  const copy = Buffer.from(new ArrayBuffer(blob.length));
  blob.copy(copy);
  if (endianness() !== 'LE') copy.swap32();
  return new Float32Array(copy.buffer);
}

const keyOf = (hash: string): Buffer => Buffer.from(hash, 'hex');

/** Whether SQLite says that the file itself is no good. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error) ?? '');
}

/** Deletes the file and what SQLite keeps beside it. Never throws. */
export function discardVectorFile(path: string): void {
  for (const part of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      rmSync(part, { force: true });
    } catch {
      // Then the next start meets the same file, and goes without it again.
    }
  }
}

/** Opens the database and brings it to this version's schema. Throws what SQLite throws; an Error if a newer chitta wrote it. */
function prepare(database: Database.Database): void {
  const versionNow = (): number => Number(database.pragma('user_version', { simple: true }));
  // First of all, so that a newer one's file is not even touched.
  if (versionNow() > SCHEMA_VERSION) throw new Error('it was written by a newer chitta');
  database.pragma('journal_mode = WAL');
  // The cache may lose its last rows in a power cut.
  database.pragma('synchronous = NORMAL');
  database.pragma('secure_delete = ON');
  const create = database.transaction(() => {
    if (versionNow() < SCHEMA_VERSION) database.exec(SCHEMA);
  });
  create.immediate();
  database.pragma(`busy_timeout = ${BUSY_MS}`);
}

function fileOn(database: Database.Database, { maxRows, now }: FileOptions): VectorFile {
  const addSpace = database.prepare('INSERT OR IGNORE INTO spaces (name) VALUES (?)');
  const findSpace = database.prepare<[string], { id: number }>('SELECT id FROM spaces WHERE name = ?');
  const select = database.prepare<[Buffer, string], { used: number; vector: Buffer }>(
    'SELECT used, vector FROM vectors JOIN spaces ON spaces.id = space WHERE hash = ? AND name = ?',
  );
  const touch = database.prepare(
    'UPDATE vectors SET used = ? WHERE hash = ? AND space = (SELECT id FROM spaces WHERE name = ?)',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO vectors (hash, space, used, vector) VALUES (?, ?, ?, ?)');
  const erase = database.prepare('DELETE FROM vectors WHERE hash = ?');
  const count = database.prepare<[], { rows: number }>('SELECT count(*) AS rows FROM vectors');
  const trim = database.prepare('DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used LIMIT ?)');
  let untilTrim = 0;

  const readAll = database.transaction((space: string, hashes: readonly string[]) => {
    const found = new Map<string, Float32Array>();
    const stale: string[] = [];
    for (const hash of hashes) {
      const row = select.get(keyOf(hash), space);
      if (!row) continue;
      found.set(hash, fromBlob(row.vector));
      if (now() - row.used > USE_GRAIN_MS) stale.push(hash);
    }
    return { found, stale };
  });
  const touchAll = database.transaction((space: string, hashes: readonly string[]) => {
    for (const hash of hashes) touch.run(now(), keyOf(hash), space);
  });
  const writeAll = database.transaction((space: string, entries: Parameters<VectorFile['write']>[1]) => {
    addSpace.run(space);
    const id = findSpace.get(space)?.id;
    for (const [hash, vector] of entries) insert.run(keyOf(hash), id, now(), toBlob(vector));
    untilTrim -= entries.length;
    if (untilTrim > 0) return;
    untilTrim = Math.min(TRIM_EVERY, maxRows);
    const rows = count.get()?.rows ?? 0;
    if (rows > maxRows) trim.run(rows - Math.floor(maxRows * KEEP));
  });
  const eraseAll = database.transaction((hashes: readonly string[]) => {
    for (const hash of hashes) erase.run(keyOf(hash));
  });

  return {
    read: (space, hashes, how) => {
      const { found, stale } = readAll(space, hashes);
      try {
        if (how !== 'peek' && stale.length > 0) touchAll.immediate(space, stale);
      } catch (error) {
        // What was read is worth more than when it was read.
        if (!codeOf(error)?.startsWith('SQLITE_BUSY')) throw error;
      }
      return found;
    },
    write: (space, entries) => writeAll.immediate(space, entries),
    remove: (hashes) => {
      eraseAll.immediate(hashes);
      // Otherwise what was removed would stand in the write-ahead log for a while.
      // One row with these columns: sqlite.org/pragma.html, wal_checkpoint.
      const [checkpoint] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      return checkpoint?.busy === 0;
    },
    close: () => database.close(),
  };
}

/** Opens or makes the file; a damaged one is replaced. Resolves in any case: with the reason if there is no usable file. */
export async function openVectorFile(path: string, options: FileOptions): Promise<OpenedFile> {
  const sqlite = await loadSqlite();
  if (sqlite.state !== 'ok') return { state: 'absent', reason: sqlite.reason };
  // A link is not followed: what it points at is nobody's cache.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    return { state: 'absent', reason: `${path} is not a regular file` };
  }
  for (let attempt = 1; ; attempt++) {
    let database: Database.Database | undefined;
    try {
      // Made here first, so that it is private from its first byte on; SQLite gives its other files the same mode.
      closeSync(openSync(path, 'a', PRIVATE_FILE));
      chmodSync(path, PRIVATE_FILE);
      database = sqlite.open(path, { timeout: OPENING_BUSY_MS });
      prepare(database);
      return { state: 'open', file: fileOn(database, options) };
    } catch (error) {
      database?.close();
      if (!isDamage(error) || attempt > 1) return { state: 'absent', reason: `${path}: ${reasonOf(error)}` };
      discardVectorFile(path);
    }
  }
}
