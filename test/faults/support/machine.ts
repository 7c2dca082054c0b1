/**
 * A machine for one test: chitta as it is built, a home with a memory in it, a place for the daemon, a session. What is run is a real
 * process, and its wall time is held against its deadline and against what a bare start of Node takes at that moment.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { connect, type Outcome } from '../../../src/daemon/client.ts';
import { type Endpoint, endpointOf } from '../../../src/daemon/places.ts';
import { defaultModel } from '../../../src/embedding/model.ts';
import { probeLlama } from '../../../src/platform/native.ts';
import { eventually, repository } from '../../daemon/support/rig.ts';
import { CLI } from '../../support/cli.ts';
import { startNone } from '../../support/start-none.ts';
import { TranscriptBuilder } from '../../support/transcript.ts';

export { eventually, exitOf } from '../../daemon/support/rig.ts';

/** Why there can be no real daemon on this machine; undefined if there can. */
const absence = ((): string | undefined => {
  const llama = probeLlama();
  if (llama.state !== 'ok') return llama.reason;
  const { path } = defaultModel(repository);
  return existsSync(path) ? undefined : `${path} is missing`;
})();
/** For the name of a test that is skipped. */
export const skipped: string = absence === undefined ? '' : ` (skipped: ${absence})`;

export const isRoot: boolean = process.getuid?.() === 0;
/** Another user; nobody's. */
export const STRANGER_UID: number = 54_321;

/** As in docs/hooks.md, in milliseconds from the start of the work. */
const DEADLINES = { 'user-prompt-submit': 250, 'pre-compact': 3_600, 'session-start': 4_000 } as const;
type HookName = keyof typeof DEADLINES;
/** Beyond its deadline a process has this, and so many bare starts of Node, of which its own start takes two on a quiet machine. */
const SLACK_MS = 100;
/** A daemon has loaded its model by then, also where much else runs. */
const READY_MS = 50_000;
const BARE_STARTS = 10;

export const MEMORY = 'The staging database listens on port 6543 behind the bastion.';
/** Turns of the session. */
const TURNS = 12;
const PROMPT = 'On which port does the staging database listen?';
const RULE = 'Rename the column user_id. Never drop data.';

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly tookMs: number;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly uid?: number;
  /** A line of bash to run it by; `"$@"` stands for the program and its arguments. */
  readonly by?: string;
  /** Flags of Node's. */
  readonly flags?: readonly string[];
  /** Another build than the machine's own. */
  readonly cli?: string;
}

export interface Machine {
  readonly folder: string;
  readonly home: string;
  readonly runtimeDir: string;
  readonly endpoint: Endpoint;
  readonly env: Readonly<Record<string, string>>;
  readonly cli: string;
  /** Runs `chitta …` to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Fires an event as the host does: it exits 0 in time, without a word on standard error. The answer is its standard output. */
  hook(name: HookName, options?: RunOptions): Promise<string>;
  /** Fires PreCompact; the answer is a guide, or nothing where the machine was too busy for one within the deadline. */
  guide(options?: RunOptions): Promise<void>;
  /** What the host asks while someone waits, each in time and as useful as it can be: a prompt's answer is the memory or nothing, a guide is a guide. */
  session(options?: RunOptions): Promise<void>;
  /** `chitta daemon status --json`. */
  status(options?: RunOptions): Promise<Record<string, unknown>>;
  /** The daemon's status, asked from here; undefined if it does not say. */
  ask(): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** `chitta daemon run`, ready, or as soon as it answers. Killed with the machine if it is there still. */
  daemon(options?: Pick<RunOptions, 'env' | 'cli'> & { readonly until?: 'ready' | 'answers' }): Promise<ChildProcess>;
  /** No process starts a daemon: one that was started a moment ago has failed, and many before it. */
  startNone(): void;
  log(): string;
}

export function runProcess(
  program: string,
  args: readonly string[],
  options: RunOptions & { cwd: string },
): Promise<Ran> {
  const { uid, input = '', env, cwd, by } = options;
  const [file, argv] = by === undefined ? [program, args] : ['/bin/bash', ['-c', by, 'bash', program, ...args]];
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(file, argv, {
      cwd,
      stdio: 'pipe',
      env: { ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let tookMs = 0;
    child.stdout.on('data', (bytes: Buffer) => out.push(bytes));
    child.stderr.on('data', (bytes: Buffer) => err.push(bytes));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', reject);
    child.on('exit', () => (tookMs = performance.now() - startedAt));
    child.on('close', (exitCode) => {
      resolve({ stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString(), exitCode, tookMs });
    });
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

let bareMs: number | undefined;

async function bareStart(): Promise<number> {
  return (await runProcess(process.execPath, ['-e', '0'], { cwd: '/', env: process.env })).tookMs;
}

/** Holds a process to its deadline. A machine that has become busy meanwhile is measured again before anyone is blamed. */
export async function expectInTime({ tookMs }: Ran, deadlineMs: number): Promise<void> {
  const limit = (): number => deadlineMs + SLACK_MS + BARE_STARTS * (bareMs ?? 0);
  bareMs ??= await bareStart();
  for (let round = 0; round < 3 && tookMs > limit(); round++) bareMs = Math.max(bareMs, await bareStart());
  expect(tookMs).toBeLessThan(limit());
}

/** chitta as it is built, in a folder of its own: what others build meanwhile does not disturb. `models`: instead of its models. */
export function install(options: { readonly version?: string; readonly models?: string } = {}): {
  cli: string;
  root: string;
  remove: () => void;
} {
  mkdirSync(join(repository, '.cache'), { recursive: true });
  const root = mkdtempSync(join(repository, '.cache', 'faults-'));
  chmodSync(root, 0o755);
  cpSync(join(repository, 'dist'), join(root, 'dist'), { recursive: true });
  cpSync(join(repository, 'package.json'), join(root, 'package.json'));
  symlinkSync(options.models ?? join(repository, 'models'), join(root, 'models'));
  if (existsSync(join(repository, 'native'))) symlinkSync(join(repository, 'native'), join(root, 'native'));
  const cli = join(root, 'dist', 'cli.mjs');
  if (options.version !== undefined) {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const path of [cli, join(root, 'dist', 'hook-script.cjs')]) {
      const text = readFileSync(path, 'utf8');
      // In the quotes that the build chose.
      const named = ['"', "'", '`'].find((mark) => text.includes(mark + version + mark));
      if (named === undefined) throw new Error('the build does not name its version where it did');
      writeFileSync(path, text.replaceAll(named + version + named, named + options.version + named));
    }
  }
  return { cli, root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Gives everything below a folder to another user. */
export function giveTo(uid: number, path: string): void {
  chownSync(path, uid, uid);
  for (const name of readdirSync(path, { recursive: true })) chownSync(join(path, String(name)), uid, uid);
}

/** The script that the plugin's hooks start, of the build with this command line. */
export function hookScript(cli: string): string {
  return join(dirname(cli), 'hook.cjs');
}

const EVENTS: readonly HookName[] = ['user-prompt-submit', 'pre-compact', 'session-start'];

/** What the machines of a test file have in common. */
interface Site {
  readonly base: string;
  readonly project: string;
  /** A home with a memory in it, and with what Node has compiled of the hooks, as all sessions but the first find it. */
  readonly template: string;
  readonly installation: ReturnType<typeof install>;
  inputOf(promptId: string): string;
}

async function makeSite(): Promise<Site> {
  if (!existsSync(CLI)) throw new Error(`${CLI} is missing: npm run build`);
  const installation = install();
  const { cli } = installation;
  const base = mkdtempSync(join(tmpdir(), 'chf-'));
  chmodSync(base, 0o755);
  const [project, template, used] = [join(base, 'project'), join(base, 'home'), join(base, 'used')];
  const transcript = join(project, 'session.jsonl');
  mkdirSync(project);
  mkdirSync(used, { mode: 0o700 });
  const rows = new TranscriptBuilder();
  rows.prompt(RULE);
  for (let turn = 0; turn < TURNS; turn++)
    rows.text(`m${turn}`, `Part ${turn}: \`user_id\` is called \`account_${turn}\` now.`);
  writeFileSync(transcript, rows.bytes);
  const inputOf = (promptId: string): string =>
    JSON.stringify({
      session_id: '31a1f7e0-0000-4000-8000-000000000000',
      transcript_path: transcript,
      cwd: project,
      trigger: 'auto',
      source: 'startup',
      prompt: PROMPT,
      prompt_id: promptId,
    });
  const env = { PATH: process.env['PATH'], HOME: base, CHITTA_RUNTIME_DIR: '/dev/null' };
  const start = (home: string, args: readonly string[], input = ''): Promise<Ran> =>
    runProcess(process.execPath, args, { cwd: project, env: { ...env, CHITTA_HOME: home }, input });
  expect(await start(template, [cli, 'memory', 'add', MEMORY])).toMatchObject({ exitCode: 0 });
  for (const event of EVENTS) await start(used, [hookScript(cli), 'hook', event], inputOf('p'));
  if (existsSync(join(used, 'code'))) cpSync(join(used, 'code'), join(template, 'code'), { recursive: true });
  return { base, project, template, installation, inputOf };
}

let site: Promise<Site> | undefined;
let rigs = 0;

/** A machine for each test, or one for all tests of its block. */
export function machineRig(per: 'test' | 'block' = 'test'): () => Machine {
  let machine: Machine | undefined;
  let daemons: ChildProcess[] = [];
  rigs++;
  beforeAll(async () => {
    site ??= makeSite();
    await site;
  }, 60_000);
  afterAll(async () => {
    const made = await site;
    rigs--;
    if (rigs > 0 || made === undefined) return;
    made.installation.remove();
    rmSync(made.base, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const [before, after] = per === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => {
    if (site === undefined) throw new Error('nothing is installed');
    const { base, project, template, installation, inputOf } = await site;
    const folder = mkdtempSync(join(base, 'm'));
    // For other users as well.
    chmodSync(folder, 0o755);
    const home = join(folder, 'home');
    const runtimeDir = join(folder, 'run');
    cpSync(template, home, { recursive: true });
    // Copied by umask, and refused as a home then.
    chmodSync(home, 0o700);
    rmSync(join(home, 'chitta.log'), { force: true });
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, CHITTA_HOME: home, CHITTA_RUNTIME_DIR: runtimeDir };
    const { cli } = installation;
    const endpoint = endpointOf({ env, home, model: defaultModel(repository).id });
    const start = (script: string, args: readonly string[], options: RunOptions): Promise<Ran> =>
      runProcess(process.execPath, [...(options.flags ?? []), script, ...args], {
        ...options,
        env: { ...env, ...options.env },
        cwd: project,
      });
    const run: Machine['run'] = (args, options = {}) => start(options.cli ?? cli, args, options);
    const fire = async (name: HookName, options: RunOptions = {}): Promise<Ran> => {
      const ran = await start(hookScript(options.cli ?? cli), ['hook', name], {
        ...options,
        input: inputOf(`p${performance.now()}`),
      });
      expect({ stderr: ran.stderr, exitCode: ran.exitCode }).toEqual({ stderr: '', exitCode: 0 });
      await expectInTime(ran, DEADLINES[name]);
      return ran;
    };
    const hook: Machine['hook'] = async (name, options) => (await fire(name, options)).stdout;
    const guide: Machine['guide'] = async (options) => {
      const { stdout, tookMs } = await fire('pre-compact', options);
      if (stdout !== '' || tookMs < DEADLINES['pre-compact']) expect(stdout).toContain(RULE);
    };
    const ask: Machine['ask'] = async () => {
      const connection = await connect(endpoint, '0.0.0', 2_000);
      if (connection.state === 'absent') return undefined;
      const outcome: Outcome = await connection.call('status', {}, 2_000);
      connection.close();
      return outcome.state === 'answered' ? outcome.result : undefined;
    };
    machine = {
      folder,
      home,
      runtimeDir,
      endpoint,
      env,
      cli,
      run,
      hook,
      guide,
      session: async (options) => {
        expect(await hook('user-prompt-submit', options)).toMatch(/^(?:$|[^]*port 6543)/);
        await guide(options);
      },
      status: async (options) => {
        const { stdout, exitCode } = await run(['daemon', 'status', '--json'], options);
        expect(exitCode).toBe(0);
        return JSON.parse(stdout);
      },
      ask,
      daemon: async (options = {}) => {
        const child = spawn(process.execPath, [options.cli ?? cli, 'daemon', 'run'], {
          cwd: project,
          env: { ...env, ...options.env },
          stdio: 'ignore',
        });
        daemons.push(child);
        const isThere = async (): Promise<boolean> => {
          const state = (await ask())?.['state'];
          return options.until === 'answers' ? state !== undefined : state === 'ready';
        };
        await eventually(isThere, `a daemon that ${options.until ?? 'is ready'}`, READY_MS);
        return child;
      },
      startNone: () => startNone(endpoint),
      log: () => (existsSync(join(home, 'chitta.log')) ? readFileSync(join(home, 'chitta.log'), 'utf8') : ''),
    };
  });

  after(async () => {
    if (!machine) return;
    for (const child of daemons) child.kill('SIGKILL');
    daemons = [];
    // One that a hook started may still be loading its model, for nobody.
    const pid = Number((await machine.ask())?.['pid'] ?? 0);
    if (pid > 0) {
      process.kill(pid, 'SIGKILL');
      await eventually(() => !isAlive(pid), 'the end of the daemon');
    }
    // A daemon that could not start may still be writing why.
    const { folder } = machine;
    await eventually(() => {
      try {
        rmSync(folder, { recursive: true, force: true });
        return true;
      } catch {
        return false;
      }
    }, 'the end of its folder');
  });

  return () => {
    if (!machine) throw new Error('there is a machine only in a test');
    return machine;
  };
}
