/**
 * A machine of its own for one test: private home, configuration, database and project, a model API on loopback, and the
 * plugin. Removed when the test ends; then every request that was sent is held against the rules of the API.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { inject, onTestFinished } from 'vitest';
import { startModelApi, type ModelApi } from './api.ts';
import type { Host } from './hosts.ts';
import { endAllWith, endOfAllBut, serversWith } from './leftovers.ts';
import { assertNoOrphans } from './requests.ts';
import { Session } from './session.ts';

const KEY = 'sk-ant-not-a-key-0000000000000000000000';
/** The least that the host accepts; it compacts above 67,000 tokens then. */
const SMALL_WINDOW = '100000';
/** Mode replace says why a compaction was the host's. */
const LEFT = 'compact --mod: left to the host: ';
const LATE = ' user-prompt-submit: gave up after ';
/** Two hooks wrote at once; what one of them had to say waits in a file for the next, and nothing is lost. */
const SPOOLED = /^\S+ \d+ of \d+ records were spooled: memory\.db is in use/;
/** What runs behind the turn before held it for longer than a prompt may wait. */
const HELD = ' user-prompt-submit: ChittaError: memory.db is in use: ';
const NO_DAEMON = ' no daemon: unsafe: /dev/null is not a folder';

export interface RigOptions {
  /** `full` with native packages (default), `bare` without, `own` a full copy that the test may damage, `none` no plugin. */
  readonly plugin?: 'full' | 'bare' | 'own' | 'none';
  /** The only events at which the plugin is called; all that it knows by default. */
  readonly events?: readonly string[];
  /** Whether a daemon may be started; otherwise there is no place for its socket. */
  readonly daemon?: boolean;
  /** Files of the project. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Open {
  /** Id of a session to go on with; `true` for the newest of the project. */
  readonly resume?: string | true;
  readonly fork?: boolean;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Rig {
  readonly host: Host;
  readonly folder: string;
  readonly project: string;
  /** chitta's home. */
  readonly home: string;
  readonly runtime: string;
  readonly plugin: string | undefined;
  readonly api: ModelApi;
  readonly env: Readonly<Record<string, string>>;
  open(options?: Open): Session;
  /** Resolves once what runs behind the turns has ended: no hook is at work any more. */
  settled(): Promise<void>;
  /** Ids of the MCP servers of this machine's sessions. */
  servers(): number[];
  /** Runs the plugin's `chitta …` as a user of this machine would. */
  chitta(...args: readonly string[]): Promise<{ stdout: string; exitCode: number | undefined }>;
  /** What chitta's log complains of, but for a daemon that has no place here, prompts that a busy machine let wait too long, and hooks that wrote at once. */
  complaints(): string[];
  /** Files of main conversations, or of that session alone. */
  transcripts(session?: string): string[];
}

function isFileNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function readOr(path: string, absent: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isFileNotFound(error)) return absent;
    throw error;
  }
}

function pluginOf({ plugin = 'full', events }: RigOptions, folder: string): string | undefined {
  if (plugin === 'none') return undefined;
  const source = inject(plugin === 'bare' ? 'barePlugin' : 'plugin');
  if (plugin !== 'own' && events === undefined) return source;
  const own = join(folder, 'plugin', 'chitta');
  cpSync(source, own, { recursive: true, verbatimSymlinks: true });
  if (events === undefined) return own;
  const file = join(own, 'hooks', 'hooks.json');
  // The plugin's own file, of which a test of its own says that it is in order.
  const declared = JSON.parse(readFileSync(file, 'utf8')) as { hooks: Record<string, unknown> };
  const hooks = Object.fromEntries(Object.entries(declared.hooks).filter(([event]) => events.includes(event)));
  writeFileSync(file, JSON.stringify({ hooks }));
  return own;
}

function configure(config: string, project: string): void {
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const state = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: '9.9.9',
    theme: 'dark',
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: { [project]: trusted },
  };
  const permissions = { allow: ['Bash', 'Read', 'Write', 'Edit', 'Agent', 'Task', 'Glob', 'Grep'] };
  writeFileSync(join(config, '.claude.json'), JSON.stringify(state));
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ permissions }));
}

/** Variables of the host: nothing of this machine's, no traffic but to the API. */
function environment(at: {
  folder: string;
  config: string;
  home: string;
  runtime: string;
  url: string;
}): Record<string, string> {
  const tmp = join(at.folder, 'tmp');
  return {
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: at.folder,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    TMPDIR: tmp,
    CLAUDE_CODE_TMPDIR: tmp,
    CLAUDE_CONFIG_DIR: at.config,
    ANTHROPIC_BASE_URL: at.url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: SMALL_WINDOW,
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CHITTA_HOME: at.home,
    CHITTA_RUNTIME_DIR: at.runtime,
  };
}

/** Sets up a rig for the running test. */
export async function setUp(host: Host, options: RigOptions = {}): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'chitta-e2e-'));
  const [project, config, home] = [join(folder, 'project'), join(folder, 'config'), join(folder, 'chitta')];
  const runtime = options.daemon === true ? join(folder, 'run') : '/dev/null';
  for (const path of [project, config, join(folder, 'tmp')]) mkdirSync(path);
  for (const [name, content] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), content);
  }
  configure(config, project);
  const plugin = pluginOf(options, folder);
  const api = await startModelApi();
  const env = { ...environment({ folder, config, home, runtime, url: api.url }), ...options.env };
  const sessions: Session[] = [];

  const rig: Rig = {
    host,
    folder,
    project,
    home,
    runtime,
    plugin,
    api,
    env,
    open: ({ resume, fork, args = [], env: more } = {}) => {
      const wanted = plugin === undefined ? [] : ['--plugin-dir', plugin];
      if (resume !== undefined) wanted.push(...(resume === true ? ['--continue'] : ['--resume', resume]));
      if (fork === true) wanted.push('--fork-session');
      const session = new Session({
        path: host.path,
        args: [...wanted, ...args],
        env: { ...env, ...more },
        cwd: project,
      });
      sessions.push(session);
      return session;
    },
    settled: async () => {
      const hosts = sessions.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
      await endOfAllBut(hosts, `CHITTA_HOME=${env['CHITTA_HOME']}`);
    },
    servers: () => serversWith(`CHITTA_HOME=${env['CHITTA_HOME']}`),
    chitta: async (...args) => {
      const cli = join(plugin ?? inject('plugin'), 'dist', 'cli.mjs');
      const options = { cwd: project, env, extendEnv: false, reject: false } as const;
      const { stdout, exitCode } = await execa(process.execPath, [cli, ...args], options);
      return { stdout, exitCode };
    },
    complaints: () =>
      readOr(join(home, 'chitta.log'), '')
        .split('\n')
        .filter(
          (line) =>
            line !== '' &&
            !line.endsWith(NO_DAEMON) &&
            !line.includes(LATE) &&
            !line.includes(HELD) &&
            !line.includes(LEFT) &&
            !SPOOLED.test(line),
        ),
    transcripts: (session = '') => {
      const projects = join(config, 'projects');
      return readdirSync(projects, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith(`${session}.jsonl`) && !name.includes('subagents'))
        .map((name) => join(projects, name));
    },
  };
  onTestFinished(async () => {
    await Promise.all(sessions.map(async (session) => session.close()));
    await endAllWith(`CHITTA_HOME=${env['CHITTA_HOME']}`);
    await api.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    assertNoOrphans(api.requests);
  });
  return rig;
}
