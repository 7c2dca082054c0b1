/**
 * One daemon per endpoint: an exclusive transaction held on a file. The kernel lets go of it when its process ends, however it
 * ends, so there is no stale lock, and no process number that may belong to someone else by now.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { loadSqlite } from '../platform/native.ts';
import { OPEN_TO_OTHERS } from '../platform/paths.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';

export type Lock =
  | { readonly state: 'held'; readonly release: () => void }
  /** Another daemon is there. */
  | { readonly state: 'busy' }
  /** There can be no lock: no SQLite, or a file system without locks. */
  | { readonly state: 'impossible'; readonly reason: string };

/** Makes the file, private. Before SQLite has it: closing a descriptor would drop this process's locks on it. */
function makeFile(path: string): void {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const descriptor = openSync(path, O_RDWR | O_CREAT | (O_NOFOLLOW ?? 0), 0o600);
  try {
    if ((fstatSync(descriptor).mode & OPEN_TO_OTHERS) !== 0) fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}

/** Takes the lock if it is free; never waits, never throws. */
export async function takeLock(path: string): Promise<Lock> {
  const sqlite = await loadSqlite();
  if (sqlite.state !== 'ok') return { state: 'impossible', reason: sqlite.reason };
  let database: Database.Database | undefined;
  try {
    makeFile(path);
    const held = sqlite.open(path, { timeout: 0 });
    database = held;
    held.exec('BEGIN EXCLUSIVE');
    return { state: 'held', release: () => held.close() };
  } catch (error) {
    database?.close();
    if (codeOf(error)?.startsWith('SQLITE_BUSY')) return { state: 'busy' };
    return { state: 'impossible', reason: `${path} cannot be locked: ${reasonOf(error)}` };
  }
}
