/**
 * That a context has just been replaced, for the hook that runs right behind it: an empty file in the folder of the runtime, named by
 * a hash of the session. For sessions of which nothing is recorded, because it must not be or cannot be.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder, flawOf, runtimeFolder } from '../daemon/places.ts';
import type { Env } from '../platform/env.ts';

/** The hook follows at once; one that finds an older note is behind another compaction. */
const JUST_NOW_MS = 120_000;
const PREFIX = 'replaced-';
const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;

function nameOf(session: string): string {
  return `${PREFIX}${createHash('sha256').update(session).digest('hex').slice(0, 32)}`;
}

function ageOf(path: string): number {
  return Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

/** Notes it, and removes notes that nobody has taken. Throws where there is no folder for it, or what the file system throws. */
export function noteReplaced(env: Env, session: string): void {
  const folder = runtimeFolder(env);
  const flaw = ensureFolder(folder);
  if (flaw !== undefined) throw new Error(flaw);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith(PREFIX) && ageOf(path) > JUST_NOW_MS) rmSync(path, { force: true });
  }
  // Windows has no O_NOFOLLOW.
  closeSync(openSync(join(folder, nameOf(session)), O_CREAT | O_WRONLY | O_TRUNC | (O_NOFOLLOW ?? 0), 0o600));
}

/** Whether it was noted just now; the note is gone then. Never throws. */
export function takeReplaced(env: Env, session: string): boolean {
  const folder = runtimeFolder(env);
  if (flawOf(folder) !== undefined) return false;
  const path = join(folder, nameOf(session));
  try {
    const age = ageOf(path);
    rmSync(path);
    return age <= JUST_NOW_MS;
  } catch {
    // None, most often.
    return false;
  }
}
