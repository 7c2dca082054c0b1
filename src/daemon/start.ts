/**
 * Starts a daemon in the background. It outlives its parent, has none of its secrets, and writes to nobody's terminal. Whether it
 * becomes the daemon the lock decides; here it is only seen to that not every hook tries.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../platform/env.ts';
import { ensurePrivateDir } from '../platform/paths.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';
import { type Endpoint, ensureFolder } from './places.ts';

/** The first pause between two attempts; each further one doubles it. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
const MAX_LOG_BYTES = 1_048_576;

export interface StartOptions {
  readonly endpoint: Endpoint;
  readonly home: string;
  readonly env: Env;
  /** Program and arguments that run a daemon in the foreground. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export type Started =
  | { readonly state: 'started'; readonly pid: number }
  /** Someone tried a moment ago. */
  | { readonly state: 'backing-off' }
  | { readonly state: 'impossible'; readonly reason: string };

const KEPT: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'LANG',
  'TMPDIR',
  'USER',
  'SYSTEMROOT',
  'USERPROFILE',
  'CLAUDE_PLUGIN_DATA',
]);
const KEPT_STARTS: readonly string[] = ['LC_', 'XDG_', 'CHITTA_'];
const SECRET = /TOKEN|SECRET|PASSWORD|CREDENTIAL|_KEY$/;

/** Of an environment, what a daemon needs: where things are and in which language; no token of the host's, no options for Node. */
export function scrubbed(env: Env): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const known = KEPT.has(name.toUpperCase()) || KEPT_STARTS.some((start) => name.startsWith(start));
    if (value !== undefined && known && !SECRET.test(name.toUpperCase())) kept[name] = value;
  }
  return kept;
}

/** Where the standard streams of a daemon go: what native code prints. chitta's own lines are in the log of the home. */
export function outputFile(home: string): string {
  return join(home, 'daemon.log');
}

function openOutput(home: string): number | undefined {
  try {
    ensurePrivateDir(home);
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    const flags = O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
    const descriptor = openSync(outputFile(home), flags, 0o600);
    const stat = fstatSync(descriptor);
    if (stat.isFile() && stat.size > MAX_LOG_BYTES) ftruncateSync(descriptor);
    if (stat.isFile()) return descriptor;
    closeSync(descriptor);
  } catch {
    // A home that cannot be written must not keep the daemon from starting; it says less then.
  }
  return undefined;
}

function attemptsOf({ folder, name }: Endpoint): number[] {
  const prefix = `${name}.start-`;
  return readdirSync(folder)
    .filter((file) => file.startsWith(prefix))
    .map((file) => Number(file.slice(prefix.length)))
    .filter((count) => Number.isSafeInteger(count) && count > 0)
    .sort((a, b) => a - b);
}

function attemptFile({ folder, name }: Endpoint, count: number): string {
  return join(folder, `${name}.start-${count}`);
}

/** Takes the next attempt for this process: a file with its number, whose making only one process can succeed in. */
function claim(endpoint: Endpoint, nowMs: number): boolean {
  const past = attemptsOf(endpoint);
  const count = past.at(-1) ?? 0;
  if (count > 0) {
    const atMs = statSync(attemptFile(endpoint, count), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(count - 1, 20));
    // A time in the future is a clock that was set back: no reason to wait.
    if (atMs <= nowMs && nowMs - atMs < pauseMs) return false;
  }
  try {
    closeSync(openSync(attemptFile(endpoint, count + 1), 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  for (const older of past) rmSync(attemptFile(endpoint, older), { force: true });
  return true;
}

/** Forgets past attempts: a daemon is there and works, or was told to end. Never throws. */
export function clearAttempts(endpoint: Endpoint): void {
  try {
    for (const count of attemptsOf(endpoint)) rmSync(attemptFile(endpoint, count), { force: true });
  } catch {
    // The next start waits a little longer than it need.
  }
}

function launch({ endpoint, home, env, command }: StartOptions): Promise<Started> {
  const [program, ...args] = command;
  const output = openOutput(home);
  const stream = output ?? 'ignore';
  try {
    const child = spawn(program, args, {
      detached: true,
      stdio: ['ignore', stream, stream],
      // HOME: node-llama-cpp asks for one when it is loaded, and not everyone has one. The others as the client sees them: the daemon
      // must not come to another conclusion in another folder.
      env: { HOME: home, ...scrubbed(env), CHITTA_HOME: home, CHITTA_RUNTIME_DIR: endpoint.wanted },
      cwd: '/',
      windowsHide: true,
    });
    child.unref();
    return new Promise((resolve) => {
      child.once('error', (error) => resolve({ state: 'impossible', reason: reasonOf(error) }));
      child.once('spawn', () => resolve({ state: 'started', pid: child.pid ?? 0 }));
    });
  } finally {
    if (output !== undefined) closeSync(output);
  }
}

/**
 * Starts a daemon unless one was started a moment ago; does not wait for it to be ready. Never rejects. `eagerly`: a person asks,
 * who does not want to wait for what failed before.
 */
export async function startDaemon(options: StartOptions, eagerly = false): Promise<Started> {
  const { endpoint, now = Date.now } = options;
  try {
    const flaw = ensureFolder(endpoint.folder);
    if (flaw !== undefined) return { state: 'impossible', reason: flaw };
    if (eagerly) clearAttempts(endpoint);
    if (!claim(endpoint, now())) return { state: 'backing-off' };
    return await launch(options);
  } catch (error) {
    return { state: 'impossible', reason: reasonOf(error) };
  }
}
