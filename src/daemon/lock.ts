/**
 * One daemon per endpoint: an exclusive transaction held on a file. The kernel lets go of it when its process ends, however it
 * ends, so there is no stale lock, and no process number that may belong to someone else by now.
 */
import { closeSync, constants, fchmodSync, fstatSync, futimesSync, openSync, rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { loadSqlite, type SqliteReady } from '../platform/native.ts';
import { OPEN_TO_OTHERS } from '../platform/paths.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';

export type Lock =
  | { readonly state: 'held'; readonly release: () => void }
  /** Another daemon is there. */
  | { readonly state: 'busy' }
  /** There can be no lock: no SQLite, or a file system without locks. */
  | { readonly state: 'impossible'; readonly reason: string };

/** What SQLite says of a file that is no database. */
const DAMAGED: ReadonlySet<string> = new Set(['SQLITE_NOTADB', 'SQLITE_CORRUPT']);

/** Makes the file, private, and notes that it is in use. Before SQLite has it: closing a descriptor would drop this process's locks on it. */
function makeFile(path: string): void {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const descriptor = openSync(path, O_RDWR | O_CREAT | (O_NOFOLLOW ?? 0), 0o600);
  try {
    if ((fstatSync(descriptor).mode & OPEN_TO_OTHERS) !== 0) fchmodSync(descriptor, 0o600);
    const now = new Date();
    futimesSync(descriptor, now, now);
  } finally {
    closeSync(descriptor);
  }
}

type Open = SqliteReady['open'];

/** The lock, or what SQLite says. */
function attempt(path: string, open: Open): Database.Database | { readonly error: unknown } {
  let database: Database.Database | undefined;
  try {
    makeFile(path);
    database = open(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    return { error };
  }
}

/** Whether a file that nobody else knows can be locked: where a file system has no locks, SQLite says that another has it. */
function hasLocks(path: string, open: Open): boolean {
  const mine = `${path}-${process.pid}`;
  const taken = attempt(mine, open);
  if (!('error' in taken)) taken.close();
  rmSync(mine, { force: true });
  return !('error' in taken);
}

/** Takes the lock if it is free; never waits, never throws. */
export async function takeLock(path: string): Promise<Lock> {
  const sqlite = await loadSqlite();
  if (sqlite.state !== 'ok') return { state: 'impossible', reason: sqlite.reason };
  const { open } = sqlite;
  const impossible = (reason: string): Lock => ({ state: 'impossible', reason: `${path} cannot be locked: ${reason}` });
  try {
    let taken = attempt(path, open);
    // Something else was written there. Nobody can hold a lock on that, and nothing is lost with it.
    if ('error' in taken && DAMAGED.has(codeOf(taken.error) ?? '')) {
      rmSync(path, { force: true });
      taken = attempt(path, open);
    }
    if (!('error' in taken)) {
      const held = taken;
      return { state: 'held', release: () => held.close() };
    }
    if (codeOf(taken.error)?.startsWith('SQLITE_BUSY') !== true) return impossible(reasonOf(taken.error));
    return hasLocks(path, open) ? { state: 'busy' } : impossible('its file system has no locks');
  } catch (error) {
    return impossible(reasonOf(error));
  }
}
