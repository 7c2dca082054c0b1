/** Claude Code as an installed program: whether it is there, which version, and its commands for plugins. */
import { ChittaError } from '../errors.ts';
import type { HostPort, InstalledPlugin } from '../ports/host.ts';
import type { Env } from './env.ts';
import { codeOf } from './small-file.ts';

/** `claude --version` takes well under a second; a doctor does not wait for a hanging one. */
const TIMEOUT_MS = 5_000;
/** A plugin is copied file by file, on a machine that may be busy. */
const PLUGIN_MS = 300_000;
const MAX_SAID = 600;

export type ClaudeProbe =
  | { readonly state: 'ok'; readonly version: string }
  | { readonly state: 'missing' }
  | { readonly state: 'broken'; readonly reason: string };

interface Answer {
  readonly failed: boolean;
  readonly missing: boolean;
  readonly stdout: string;
  readonly said: string;
}

async function claude(env: Env, cwd: string, argv: readonly string[], timeout: number): Promise<Answer> {
  const { execa } = await import('execa');
  const asked = await execa('claude', argv, {
    cwd,
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout,
  });
  const missing = asked.failed && (asked.code === 'ENOENT' || codeOf(asked.cause) === 'ENOENT');
  const said = asked.failed ? asked.stderr.trim() || asked.shortMessage || 'no reason given' : '';
  return { failed: asked.failed, missing, stdout: asked.stdout, said };
}

/** Asks the `claude` on the environment's PATH for its version. Never rejects. */
export async function probeClaude(env: Env): Promise<ClaudeProbe> {
  const { failed, missing, stdout, said } = await claude(env, '/', ['--version'], TIMEOUT_MS);
  if (!failed) return { state: 'ok', version: stdout.split('\n', 1)[0] ?? '' };
  return missing ? { state: 'missing' } : { state: 'broken', reason: said.split('\n', 1)[0] ?? '' };
}

function objectsIn(json: string): Readonly<Record<string, unknown>>[] {
  const value: unknown = JSON.parse(json);
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  // Any object can be read as one of unknown values.
  return list.filter((one): one is Readonly<Record<string, unknown>> => typeof one === 'object' && one !== null);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Entries of `claude plugin list --json` that are chitta's. Throws on what is not JSON. */
export function pluginsIn(json: string): InstalledPlugin[] {
  return objectsIn(json)
    .filter(({ id }) => text(id)?.startsWith('chitta@'))
    .map((one) => ({
      id: String(one['id']),
      version: text(one['version']) ?? 'unknown',
      scope: text(one['scope']) ?? 'user',
      enabled: one['enabled'] === true,
      folder: text(one['readFromFolder']) ?? text(one['installPath']),
      copy: text(one['installPath']),
      project: text(one['projectPath']),
    }));
}

/** Claude Code, asked in a folder: what is installed for a project it says only there. */
export function openClaude(env: Env, cwd: string): HostPort {
  const ask = async (argv: readonly string[]): Promise<string> => {
    const { failed, said, stdout } = await claude(env, cwd, ['plugin', ...argv], PLUGIN_MS);
    if (!failed) return stdout;
    throw new ChittaError('E_HOST', `claude plugin ${argv.join(' ')}: ${said.slice(0, MAX_SAID)}`, {
      hint: 'claude doctor, then try again',
    });
  };
  const list = async <T>(argv: readonly string[], read: (json: string) => T): Promise<T> => {
    const json = await ask(argv);
    try {
      return read(json);
    } catch (cause) {
      throw new ChittaError('E_HOST', `claude plugin ${argv.join(' ')} answered no JSON`, { cause });
    }
  };
  return {
    version: async () => {
      const probe = await probeClaude(env);
      if (probe.state === 'broken') {
        throw new ChittaError('E_HOST', `claude does not answer: ${probe.reason}`, { hint: 'claude doctor' });
      }
      return probe.state === 'ok' ? probe.version : undefined;
    },
    plugins: () => list(['list', '--json'], pluginsIn),
    marketplaces: () =>
      list(['marketplace', 'list', '--json'], (json) =>
        objectsIn(json).map(({ name, path }) => ({ name: text(name) ?? '', path: text(path) })),
      ),
    plugin: async (...argv) => void (await ask(argv)),
  };
}
