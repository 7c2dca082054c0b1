/** Where chitta keeps its files, and how it writes them: folders 0700, files 0600, both only ever its own. */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Env } from './env.ts';

const PRIVATE_DIR = 0o700;
const PRIVATE_FILE = 0o600;
/** Bits that let anyone but the owner in. */
export const OPEN_TO_OTHERS = 0o077;
const STICKY = 0o1000;

/** Names that tell a folder of chitta's from one that merely was named as its home. */
const OWN_FILES: readonly string[] = [
  'config.json',
  'chitta.log',
  'memory.db',
  'model.json',
  'models',
  'native',
  'plugin-options.json',
  'vectors.db',
];

/** The numeric user, or undefined where there is none (Windows). */
export function userId(): number | undefined {
  return process.getuid?.();
}

function homeFromPasswd(): string | undefined {
  try {
    const home = userInfo().homedir;
    return isAbsolute(home) && statSync(home).isDirectory() ? home : undefined;
  } catch {
    // A user without an entry, as in many containers: the caller has another place.
    return undefined;
  }
}

/**
 * The folder of chitta's own files, absolute; it need not exist.
 * `CHITTA_HOME`, else `XDG_DATA_HOME/chitta`, else `~/.local/share/chitta`, else (no home at all) a folder of this user's in the
 * temporary directory. An empty variable counts as unset; a relative `XDG_DATA_HOME` is ignored, as its specification asks.
 */
export function chittaHome(env: Env): string {
  if (env.CHITTA_HOME) return resolve(env.CHITTA_HOME);
  if (env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME)) return join(env.XDG_DATA_HOME, 'chitta');
  const named = process.platform === 'win32' ? (env.USERPROFILE ?? env.HOME) : env.HOME;
  const home = named && isAbsolute(named) ? named : homeFromPasswd();
  if (home) return join(home, '.local', 'share', 'chitta');
  return join(env.TMPDIR && isAbsolute(env.TMPDIR) ? env.TMPDIR : tmpdir(), `chitta-${userId() ?? 'user'}`);
}

/** Why `path` cannot serve as a private folder, or undefined if it can (or does not exist yet). */
export function obstacleOf(path: string): string | undefined {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (!link) return undefined;
  const folder = statSync(path, { throwIfNoEntry: false });
  if (!folder?.isDirectory()) return 'it is not a folder';
  const user = userId();
  if (user === undefined) return undefined;
  // The link too: in a public folder anyone may put a link to a folder of ours.
  const stranger = [link, folder].find(({ uid }) => uid !== user);
  if (stranger) return `it belongs to user ${stranger.uid}, not to ${user}`;
  if ((folder.mode & OPEN_TO_OTHERS) === 0) return undefined;
  if ((folder.mode & STICKY) !== 0) return 'it is a public folder';
  // Closing someone's project, home or /opt to the world would break more than it protects.
  const names = readdirSync(path);
  if (names.length > 0 && !names.some((name) => OWN_FILES.includes(name))) {
    return 'it is open to other users and holds files that are not chitta’s';
  }
  return undefined;
}

/**
 * Makes a folder and those above it that are missing, all 0700. Throws what the file system throws. Node's own recursive mkdir never
 * comes back below /proc, where a folder can neither be made nor looked for (seen on Node 20).
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  for (const folder of missing.toReversed()) {
    try {
      mkdirSync(folder, PRIVATE_DIR);
    } catch (error) {
      // Another process may have been quicker.
      if (!existsSync(folder)) throw error;
    }
  }
}

/**
 * Makes sure that `path` is a folder of this user's that nobody else can enter (0700), making it and its parents if needed.
 * Throws if it belongs to someone else or is a folder with a life of its own: chitta only closes folders that are its own.
 */
export function ensurePrivateDir(path: string): void {
  makeFolders(path);
  const obstacle = obstacleOf(path);
  if (obstacle) throw new Error(`${path} cannot be used: ${obstacle}`);
  if (userId() !== undefined && (statSync(path).mode & OPEN_TO_OTHERS) !== 0) chmodSync(path, PRIVATE_DIR);
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet.
    return path;
  }
}

/**
 * Writes a file that only this user can read (0600), whole or not at all: a temporary neighbour, then a rename.
 * A file that is a link stays one; what it points at is replaced. The folder must exist. With `mustLast`
 * it is on the disk before this returns. Throws what the file system throws.
 */
export function writePrivateFile(path: string, content: string | Uint8Array, mustLast = true): void {
  const target = targetOf(path);
  // Nobody has to fail to guess it: an existing file is never taken. So a hook goes without loading node:crypto for it.
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.${Math.random().toString(36).slice(2)}`);
  const descriptor = openSync(temporary, 'wx', PRIVATE_FILE);
  try {
    try {
      writeFileSync(descriptor, content);
      if (mustLast) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
