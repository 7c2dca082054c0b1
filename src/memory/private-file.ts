/** Files that are private from their first byte, and which file a path names. */
import { chmodSync, closeSync, lstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ChittaError } from '../errors.ts';
import { ensurePrivateDir, OPEN_TO_OTHERS, userId } from '../platform/paths.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';
import { unavailable } from './failure.ts';

/** Tells apart the files that a path names one after the other; undefined: none. */
export function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/**
 * Makes the file if it is missing, by `create`, so that it is private from its first byte (SQLite gives its journal the same mode).
 * An existing file is never opened here: closing it would drop the locks that this process holds on it through SQLite. Throws
 * ChittaErrors, and what `create` throws.
 */
export function ensurePrivateFile(path: string, create: (path: string) => void = createPrivate): void {
  let isThere: boolean;
  try {
    ensurePrivateDir(dirname(path));
    const entry = lstatSync(path, { throwIfNoEntry: false });
    isThere = entry !== undefined;
    if (entry !== undefined && !entry.isFile()) throw unavailable(`${path} is not a regular file`);
    if (entry !== undefined && userId() !== undefined && (entry.mode & OPEN_TO_OTHERS) !== 0) chmodSync(path, 0o600);
  } catch (error) {
    throw error instanceof ChittaError ? error : unavailable(reasonOf(error), error);
  }
  if (!isThere) create(path);
}

/** Makes a file that is not there. Throws a ChittaError. */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process may have made it in this moment.
    if (codeOf(error) !== 'EEXIST') throw unavailable(reasonOf(error), error);
  }
}
