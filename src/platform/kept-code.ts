/**
 * A script whose compiled code is kept from one process to the next: to compile it takes longer than to run it. What is kept is
 * checked by owner and hash, since V8 trusts it, and made anew when the script, Node or the machine is another.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { ensurePrivateDir, OPEN_TO_OTHERS, userId, writePrivateFile } from './paths.ts';

const HASH_BYTES = 32;

export interface KeptScript {
  /** The value of the script's expression. */
  readonly value: unknown;
  /** Whether it runs with code that was kept. */
  readonly isKept: boolean;
  /** Keeps what was compiled so far, if nothing is kept yet. Never throws. */
  keep(): void;
}

function hashOf(source: Buffer, code: Buffer): Buffer {
  return createHash('sha256').update(source).update(code).digest();
}

/** The bytes of a file that this user alone can have written. */
function readOwn(path: string): Buffer | undefined {
  const file = openSync(path, 'r');
  try {
    const { mode, uid } = fstatSync(file);
    const user = userId();
    return user === undefined || (uid === user && (mode & OPEN_TO_OTHERS) === 0) ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

function readKept(path: string, source: Buffer): Buffer | undefined {
  try {
    const bytes = readOwn(path);
    if (bytes === undefined || bytes.length <= HASH_BYTES) return undefined;
    const code = bytes.subarray(HASH_BYTES);
    return hashOf(source, code).equals(bytes.subarray(0, HASH_BYTES)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** A home that does not exist is not made for it. */
function write(script: Script, source: Buffer, home: string, purpose: string, name: string): void {
  if (!existsSync(home)) return;
  const folder = join(home, 'code');
  ensurePrivateDir(folder);
  const code = script.createCachedData();
  writePrivateFile(join(folder, name), Buffer.concat([hashOf(source, code), code]), false);
  // What another Node has left.
  for (const other of readdirSync(folder)) {
    if (other !== name && other.startsWith(`${purpose}.`)) rmSync(join(folder, other), { force: true });
  }
}

/**
 * Runs a script of ASCII characters that is one expression. What is compiled is kept in `code/` of the home, which may be deleted at
 * any time; `purpose` tells apart what different uses of the script have compiled. Throws what the script throws, and if it cannot be
 * read.
 */
export function runKept(path: string, home: string, purpose: string): KeptScript {
  const source = readFileSync(path);
  const name = `${purpose}.${process.version}-${process.arch}.bin`;
  const kept = readKept(join(home, 'code', name), source);
  const script = new Script(source.toString('latin1'), { filename: path, ...(kept ? { cachedData: kept } : {}) });
  const isKept = kept !== undefined && script.cachedDataRejected === false;
  return {
    value: script.runInThisContext(),
    isKept,
    keep: () => {
      if (isKept) return;
      try {
        write(script, source, home, purpose, name);
      } catch {
        // Then the next process compiles it again.
      }
    },
  };
}
