/** What `chitta doctor` says about the plugin in Claude Code: whether it is there, switched on, and can answer. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Probe } from '../ports/check.ts';
import type { InstalledPlugin } from '../ports/host.ts';
import { openClaude, probeClaude } from './claude.ts';
import type { Env } from './env.ts';
import { reasonOf } from './small-file.ts';

const TIMEOUT_MS = 10_000;
/** The first that knows modules of plugins, which mode replace is made of. */
const FIRST_WITH_MODULES: readonly number[] = [2, 1, 287];

function isOlder(version: string, than: readonly number[]): boolean {
  const parts = (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);
  for (const [index, wanted] of than.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part < wanted;
  }
  return false;
}

/** Starts the plugin's own launcher as Claude Code does for a hook. */
async function checkHooks({ folder }: InstalledPlugin, env: Env): Promise<Check> {
  const name = 'hooks';
  const fix = 'chitta install; the PATH that Claude Code is started with must have Node 20.19 or newer';
  if (folder === undefined) return { name, state: 'warn', detail: 'Claude Code does not say where they are', fix };
  const { execa } = await import('execa');
  const ran = await execa('sh', [join(folder, 'bin', 'chitta'), '--version'], {
    env: { ...env },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: TIMEOUT_MS,
  });
  if (!ran.failed) return { name, state: 'ok', detail: `answer from ${folder}` };
  return { name, state: 'fail', detail: `cannot answer: ${ran.stderr.split('\n', 1)[0] || ran.shortMessage}`, fix };
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'chitta doctor', version: '0' } },
};

/** Starts the plugin's MCP server as Claude Code does, and says hello to it. */
async function checkServer({ folder }: InstalledPlugin, env: Env, isOn: boolean): Promise<Check> {
  const name = 'mcp';
  if (!isOn) return { name, state: 'ok', detail: 'switched off by the setting mcp' };
  if (folder === undefined || !existsSync(join(folder, '.mcp.json'))) {
    return { name, state: 'warn', detail: 'the plugin has no MCP server', fix: 'chitta install' };
  }
  const { execa } = await import('execa');
  const ran = await execa('sh', [join(folder, 'bin', 'chitta'), 'mcp'], {
    env: { ...env },
    extendEnv: false,
    reject: false,
    input: `${JSON.stringify(INITIALIZE)}\n`,
    timeout: TIMEOUT_MS,
  });
  if (!ran.failed && ran.stdout.includes('"instructions"')) return { name, state: 'ok', detail: 'the server answers' };
  const reason = ran.stderr.split('\n', 1)[0] || ran.shortMessage || 'it offers nothing';
  return { name, state: 'fail', detail: `the server does not answer: ${reason}`, fix: 'chitta install' };
}

function checkPlugin(one: InstalledPlugin, version: string): Check {
  const name = 'plugin';
  const what = `${one.id} ${one.version}, scope ${one.scope}`;
  if (!one.enabled) {
    const fix = `claude plugin enable ${one.id} --scope ${one.scope}`;
    return { name, state: 'warn', detail: `${what}: switched off`, fix };
  }
  if (one.version === version) return { name, state: 'ok', detail: what };
  const fix = one.id === 'chitta@chitta' ? 'chitta install' : `claude plugin update ${one.id}`;
  return { name, state: 'warn', detail: `${what}: this is ${version}`, fix };
}

/** One check for each scope in which the plugin is installed, one each for its hooks, its MCP server and the mode; none where there is no Claude Code. */
export function pluginProbe(at: {
  readonly env: Env;
  readonly cwd: string;
  readonly version: string;
  readonly settings: () => { readonly mode: 'guide' | 'replace'; readonly mcp: boolean };
}): Probe {
  const name = 'plugin';
  return {
    name,
    run: async () => {
      const claude = await probeClaude(at.env);
      if (claude.state !== 'ok') return [];
      let plugins: readonly InstalledPlugin[];
      try {
        plugins = await openClaude(at.env, at.cwd).plugins();
      } catch (error) {
        return [{ name, state: 'warn', detail: reasonOf(error), fix: 'claude doctor' }];
      }
      const here = plugins.filter(({ project }) => project === undefined || project === at.cwd);
      if (here.length === 0) {
        return [{ name, state: 'warn', detail: 'not installed in Claude Code', fix: 'chitta install' }];
      }
      const checks: Check[] = here.map((one) => checkPlugin(one, at.version));
      const [first] = here.filter(({ enabled }) => enabled);
      const { mode, mcp } = at.settings();
      if (first !== undefined) {
        checks.push(...(await Promise.all([checkHooks(first, at.env), checkServer(first, at.env, mcp)])));
      }
      if (mode === 'replace' && isOlder(claude.version, FIRST_WITH_MODULES)) {
        const detail = `replace needs Claude Code ${FIRST_WITH_MODULES.join('.')}; this one is guided instead`;
        checks.push({ name: 'mode', state: 'warn', detail, fix: 'claude update, or chitta config set mode guide' });
      } else checks.push({ name: 'mode', state: 'ok', detail: mode });
      return checks;
    },
  };
}
