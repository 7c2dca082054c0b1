/** Runs the built command line as a process, with a home of its own and nothing of this machine's settings. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** What `npm run build` made. */
export const CLI: string = join(import.meta.dirname, '..', '..', 'dist', 'cli.mjs');

/** Whether a program is on this machine; tests that need it say so in their name and are skipped without. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).status === 0;
}

export interface RunOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

export interface CliRig {
  /** A folder for the tests of this file; removed afterwards. */
  readonly folder: string;
  /** The environment the command line gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs `chitta …` to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs a line of bash in which `chitta` is the command line. */
  shell(command: string, options?: RunOptions): Promise<Finished>;
  /** Starts `chitta …`; the caller ends it. */
  start(args: readonly string[], options?: RunOptions): ChildProcess;
}

function finish(child: ChildProcess, input: string | Buffer | undefined): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    // It may end without having read all its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
    child.on('error', reject);
    child.on('close', (exitCode) => {
      resolve({ stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), exitCode });
    });
  });
}

/** Sets up a rig for the tests of one file. */
export function cliRig(): CliRig {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-cli-'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    CHITTA_HOME: join(folder, 'home'),
    // No folder: the daemon has tests of its own, and each one started here would load the model.
    CHITTA_RUNTIME_DIR: '/dev/null',
  };
  beforeAll(() => {
    if (!existsSync(CLI)) throw new Error(`${CLI} is missing: npm run build`);
  });
  afterAll(() => {
    // What a hook left to a process of its own may still write there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const start = (file: string, args: readonly string[], options: RunOptions): ChildProcess =>
    spawn(file, args, { cwd: options.cwd ?? folder, env: { ...env, ...options.env }, stdio: 'pipe' });
  const alias = `chitta() { '${process.execPath}' '${CLI}' "$@"; }; export -f chitta; `;
  return {
    folder,
    env,
    run: (args, options = {}) => finish(start(process.execPath, [CLI, ...args], options), options.input),
    shell: (command, options = {}) =>
      finish(start('bash', ['-o', 'pipefail', '-c', alias + command], options), options.input),
    start: (args, options = {}) => start(process.execPath, [CLI, ...args], options),
  };
}
