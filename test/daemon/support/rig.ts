/** Daemons with a scripted model in folders of their own; whatever a test starts is ended when it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'tsdown';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { connect, type Connection } from '../../../src/daemon/client.ts';
import { type Endpoint, endpointOf } from '../../../src/daemon/places.ts';
import type { Verb } from '../../../src/protocol/frames.ts';
import type { Script } from './entry.ts';

export const BUILD = '1.0.0';
export const MODEL = 'letters-1';

export const repository: string = join(import.meta.dirname, '..', '..', '..');

export interface Rig {
  readonly folder: string;
  readonly home: string;
  readonly runtimeDir: string;
  readonly endpoint: Endpoint;
  readonly entry: string;
  /** Arguments of a daemon that is started in the background. */
  command(script?: Partial<Script>): [string, ...string[]];
  /** Starts a daemon and waits for its hello. */
  daemon(script?: Partial<Script>): Promise<ChildProcess>;
  /** Starts a daemon; it may be gone at once. */
  spawn(script?: Partial<Script>): ChildProcess;
  connected(withinMs?: number): Promise<Connection>;
  /** The reply to a request with a deadline, waited for without one: it counts however late this process is woken for it. */
  told(verb: Verb, params: object, deadlineMs: number): Promise<Record<string, unknown>>;
  /** Lines of the journal that begin with a word. */
  journal(word: string): string[];
}

/** Asks until the answer is something; fails after `withinMs`. */
export async function eventually<T>(
  ask: () => T | false | undefined | Promise<T | false | undefined>,
  what: string,
  withinMs = 40_000,
): Promise<T> {
  const until = performance.now() + withinMs;
  while (performance.now() < until) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await pause(10);
  }
  throw new Error(`it never came: ${what}`);
}

/** When a process is over. */
export function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode ?? child.signalCode);
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
}

/** A program of the tests, bundled: Node does not read TypeScript. Within the repository, so that its packages are found. */
export async function bundleEntry(name: string): Promise<{ path: string; remove: () => void }> {
  mkdirSync(join(repository, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(repository, '.cache', 'daemon-entry-'));
  await build({
    config: false,
    cwd: repository,
    entry: { entry: join(import.meta.dirname, name) },
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: true,
    dts: false,
    logLevel: 'silent',
    deps: { neverBundle: ['better-sqlite3', 'node-llama-cpp'], alwaysBundle: [/.*/] },
  });
  const path = join(folder, 'entry.mjs');
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A rig per test. */
export function daemonRig(): () => Rig {
  let removeBundle = (): void => undefined;
  let entry = '';
  let rig: Rig | undefined;
  let children: ChildProcess[] = [];
  let folder = '';

  beforeAll(async () => {
    ({ path: entry, remove: removeBundle } = await bundleEntry('entry.ts'));
  });
  afterAll(() => removeBundle());

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chd-'));
    const home = join(folder, 'home');
    const runtimeDir = join(folder, 'run');
    const journal = join(folder, 'journal');
    const endpoint = endpointOf({ env: { CHITTA_RUNTIME_DIR: runtimeDir }, home, model: MODEL });
    const argsOf = (script: Partial<Script>): string[] => [
      entry,
      JSON.stringify({ home, runtimeDir, journal, ...script }),
    ];
    const start = (script: Partial<Script> = {}): ChildProcess => {
      const child = spawn(process.execPath, argsOf(script), { stdio: 'inherit' });
      children.push(child);
      return child;
    };
    const reach = async (withinMs = 300): Promise<Connection | undefined> => {
      const connection = await connect(endpoint, BUILD, withinMs);
      return connection.state === 'connected' ? connection : undefined;
    };
    rig = {
      folder,
      home,
      runtimeDir,
      endpoint,
      entry,
      command: (script = {}) => [process.execPath, ...argsOf(script)],
      spawn: start,
      connected: () => eventually(reach, 'a daemon that says hello'),
      daemon: async (script = {}) => {
        const child = start(script);
        (await eventually(reach, 'a daemon that says hello')).close();
        return child;
      },
      told: async (verb, params, deadlineMs) => {
        const socket = connectSocket(endpoint.socket);
        socket.on('error', () => undefined);
        const lines = createInterface({ input: socket });
        const request = { id: 1, verb, deadline_ms: deadlineMs, build: BUILD, params };
        socket.write(`${JSON.stringify(request)}\n`);
        // The first is the hello.
        for await (const line of lines) {
          const reply = JSON.parse(line);
          if (reply.id !== request.id) continue;
          socket.destroy();
          return reply;
        }
        throw new Error('it hung up');
      },
      journal: (word) =>
        existsSync(journal)
          ? readFileSync(journal, 'utf8')
              .split('\n')
              .filter((line) => line.startsWith(word))
          : [],
    };
  });

  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children = [];
    // Those that were started in the background are told; one that is stopped or hangs ends with its folder.
    const endpoint = rig?.endpoint;
    const connection = endpoint && (await connect(endpoint, BUILD, 300));
    if (connection?.state === 'connected') {
      await connection.call('shutdown', {}, 2_000);
      connection.close();
    }
    // One that is just ending may still write there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  return () => {
    if (!rig) throw new Error('there is a rig only in a test');
    return rig;
  };
}
