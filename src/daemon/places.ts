/**
 * Where a daemon and its clients meet: a private folder, and in it a socket whose name carries protocol, model and home, so that
 * two versions, two models or two databases never share a daemon by mistake.
 */
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Env } from '../platform/env.ts';
import { makeFolders, OPEN_TO_OTHERS, userId } from '../platform/paths.ts';
import { reasonOf } from '../platform/small-file.ts';
import { PROTOCOL } from '../protocol/frames.ts';

/** What a Unix socket's address can hold, less its closing zero, on every system: macOS and BSD have 104 bytes, Linux 108. */
const MAX_SOCKET_BYTES = 103;

/** Everything that belongs to one daemon; all in `folder`. */
export interface Endpoint {
  readonly folder: string;
  /** What the environment asked for; another folder only where that path is too long for a socket. */
  readonly wanted: string;
  /** Name of the socket without its folder and ending; the other files begin with it. */
  readonly name: string;
  readonly socket: string;
  readonly lock: string;
  /** Id of the model that the daemon must have. */
  readonly model: string;
}

function shortTmp(env: Env): string {
  const named = env['TMPDIR'];
  return named && isAbsolute(named) ? named : tmpdir();
}

function personalTmp(base: string): string {
  return join(base, `chitta-${userId() ?? 'user'}`);
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** `CHITTA_RUNTIME_DIR`, else `XDG_RUNTIME_DIR/chitta` if the session has one, else a folder of this user's in the temporary directory. */
export function runtimeFolder(env: Env): string {
  const { CHITTA_RUNTIME_DIR: own, XDG_RUNTIME_DIR: session } = env;
  if (own) return resolve(own);
  if (session && isAbsolute(session) && isFolder(session)) return join(session, 'chitta');
  return personalTmp(shortTmp(env));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** The endpoint for a model and a home. A folder whose path is too long for a socket is replaced by a short one in the temporary directory. */
export function endpointOf(at: { readonly env: Env; readonly home: string; readonly model: string }): Endpoint {
  const { env, home, model } = at;
  const wanted = runtimeFolder(env);
  const name = `d${PROTOCOL}-${hashOf(model)}-${hashOf(home)}`;
  const fits = (folder: string, file: string): boolean =>
    Buffer.byteLength(join(folder, `${file}.sock`)) <= MAX_SOCKET_BYTES;
  const inFolder = (folder: string, file: string): Endpoint => ({
    folder,
    wanted,
    name: file,
    socket: join(folder, `${file}.sock`),
    lock: join(folder, `${file}.lock`),
    model,
  });
  if (fits(wanted, name)) return inFolder(wanted, name);
  const short = `${name}-${hashOf(wanted)}`;
  const near = personalTmp(shortTmp(env));
  return inFolder(fits(near, short) ? near : personalTmp('/tmp'), short);
}

/** Why the folder must not be used, `missing` if it is not there, or undefined if all is well. Never throws. */
export function flawOf(folder: string): string | undefined {
  try {
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (!stat) return 'missing';
    if (stat.isSymbolicLink()) return `${folder} is a link`;
    if (!stat.isDirectory()) return `${folder} is not a folder`;
    const user = userId();
    if (user === undefined) return undefined;
    if (stat.uid !== user) return `${folder} belongs to user ${stat.uid}, not to ${user}`;
    if ((stat.mode & OPEN_TO_OTHERS) !== 0) return `${folder} is open to other users (chmod 700 closes it)`;
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Makes the folder if it is missing; why it cannot be used, or undefined. Changes nothing about one that is there: it may not be chitta's. */
export function ensureFolder(folder: string): string | undefined {
  try {
    makeFolders(folder);
  } catch (error) {
    return flawOf(folder) ?? reasonOf(error);
  }
  return flawOf(folder);
}
