/** `chitta install` and `chitta uninstall`: the plugin in Claude Code. */
import { type Command, Option } from 'commander';
import type { InstallResult, UninstallResult } from '../actions/install.ts';
import type { Scope } from '../ports/host.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import { overruled } from './config.ts';
import type { CommandContext } from './context.ts';
import { printJson } from './json.ts';

const DONE: Readonly<Record<Exclude<InstallResult['state'], 'manual'>, string>> = {
  installed: 'is installed',
  updated: 'is up to date and switched on now',
  present: 'was installed already',
};

const list = (lines: readonly string[]): string => lines.map((line) => `    ${sanitizeLine(line)}\n`).join('');

/** Settings that an installation may set. */
interface Chosen {
  readonly mode: string;
  readonly mcp: boolean;
}

/** What was done, or the steps that are left to a person. */
export function renderInstall({ state, host, plugin, steps }: InstallResult, { mode, mcp }: Chosen): string {
  if (state === 'manual') return `There is no claude on the PATH. Where it is, type:\n\n${list(steps)}`;
  const what = `${plugin?.id ?? 'the plugin'} ${plugin?.version ?? ''}, scope ${plugin?.scope ?? ''}`;
  return `${sanitizeLine(what)}, ${DONE[state]}.\nClaude Code ${sanitizeLine(host ?? '')} calls it from its next session on, in mode ${sanitizeLine(mode)}.\n${mcp ? 'Its MCP server offers the model tools to recall and remember; --mcp off leaves it out.' : 'Its MCP server is left out; --mcp on gives the model tools to recall and remember.'}\n`;
}

/** What is gone, what was left, and the steps that are left to a person. */
export function renderUninstall({ host, plugins, removed, kept, steps }: UninstallResult): string {
  const gone = plugins.map(({ id, scope }) => `${id}, scope ${scope}`);
  const parts: [title: string, lines: readonly string[]][] = [
    ['Taken out of Claude Code:', gone],
    [
      host === undefined ? 'There is no claude on the PATH. Where it is, type:' : 'Still installed in other projects:',
      steps,
    ],
    ['Removed:', removed],
    ['Left in place (--purge removes the database):', kept],
  ];
  const text = parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}\n${list(lines)}`)
    .join('\n');
  return text === '' ? 'There was nothing to remove.\n' : text;
}

/** Adds `chitta install`. Exit code 1 if it is left to a person. */
export function addInstallCommand(program: Command, ctx: CommandContext): void {
  program
    .command('install')
    .summary('give the plugin to Claude Code')
    .description('Give the plugin to Claude Code, through its own commands; it keeps what it is told in its settings.')
    .addOption(
      new Option('--scope <SCOPE>', 'for you everywhere, or for this project')
        .choices(['user', 'project'])
        .default('user'),
    )
    .addOption(
      new Option('--mode <MODE>', 'at a compaction; replace needs Claude Code 2.1.287 or newer').choices([
        'guide',
        'replace',
      ]),
    )
    .addOption(
      new Option('--mcp <STATE>', "the plugin's MCP server, tools for the model (default: on)").choices(['on', 'off']),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The plugin's files are copied into chitta's folder, and Claude Code reads them there. Typed again after chitta has
become newer, it brings the plugin up to date. --mode and --mcp are kept as the
settings mode and mcp.

Examples:
  chitta install
  chitta install --scope project
  chitta install --mode replace
`,
    )
    .action(async (options: { scope: Scope; mode?: string; mcp?: 'on' | 'off'; json?: true }) => {
      const { installPlugin } = await import('../actions/install.ts');
      const app = await ctx.openApp();
      const { claude, files } = await app.openHost();
      const result = await installPlugin(claude, files, { scope: options.scope, project: ctx.cwd });
      const wanted: [key: string, value: string | undefined][] = [
        ['mode', options.mode],
        ['mcp', options.mcp && String(options.mcp === 'on')],
      ];
      for (const [key, value] of wanted) {
        if (value === undefined) continue;
        const warning = overruled((await app.openConfig()).set(key, value), 'user');
        if (warning !== undefined) ctx.note(`chitta: ${warning}`);
      }
      // What was asked for is not done.
      if (result.state === 'manual') process.exitCode = 1;
      if (options.json) return printJson(ctx, result);
      // As they are now.
      const { settings } = await ctx.openApp();
      return ctx.print(renderInstall(result, settings));
    });
}

/** Adds `chitta uninstall`. */
export function addUninstallCommand(program: Command, ctx: CommandContext): void {
  program
    .command('uninstall')
    .summary('take the plugin out of Claude Code, and remove what chitta keeps')
    .description(
      'Take the plugin out of Claude Code, end the daemon, and remove all that chitta keeps but its database.',
    )
    .option('--purge', 'the database too')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  chitta uninstall\n  chitta uninstall --purge\n')
    .action(async ({ purge, json }: { purge?: true; json?: true }) => {
      const { uninstallPlugin } = await import('../actions/install.ts');
      const app = await ctx.openApp();
      const { claude, files, stopDaemon } = await app.openHost();
      // Neither a daemon that does not answer, which ends by itself, nor a database that is no good is a reason to keep all else.
      const orWarning = (work: Promise<unknown>): Promise<void> =>
        work.then(
          () => undefined,
          (error: unknown) =>
            ctx.note(`chitta: warning: ${sanitizeLine(error instanceof Error ? error.message : String(error))}`),
        );
      const { openPurge } = await import('../wiring/purge.ts');
      const result = await uninstallPlugin(claude, files, {
        purge: purge ? () => orWarning(openPurge(app.home).purge({})) : undefined,
        project: ctx.cwd,
        stopDaemon: () => orWarning(stopDaemon()),
      });
      // Something is left to a person.
      if (result.steps.length > 0) process.exitCode = 1;
      return json ? printJson(ctx, result) : ctx.print(renderUninstall(result));
    });
}
