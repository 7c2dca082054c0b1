/** `chitta setup`: the native packages, for an installation that came without them. */
import type { Command } from 'commander';
import type { SetupResult } from '../actions/setup.ts';
import { sanitize } from '../terminal/sanitize.ts';
import { type Look, type Style, styleFor } from '../terminal/style.ts';
import type { CommandContext } from './context.ts';
import { printJson } from './json.ts';

const LOOKS: Readonly<Record<SetupResult['parts'][number]['state'], Look>> = {
  present: 'green',
  installed: 'green',
  missing: 'yellow',
  failed: 'red',
};

/** A line for each package, what went wrong below it. */
export function renderSetup({ parts }: SetupResult, style: Style): string {
  const width = Math.max(...parts.map(({ name }) => name.length));
  return parts
    .map(({ name, purpose, state, detail }) => {
      const [first = '', ...more] = sanitize(detail).split('\n');
      const head = `${style.paint(LOOKS[state], state.padEnd('installed'.length))}  ${name.padEnd(width)}  ${purpose}: ${first}`;
      return [head, ...more.map((line) => `    ${line}`)].map((line) => `${line}\n`).join('');
    })
    .join('');
}

/** Adds `chitta setup`. Exit code 1 if something is missing afterwards. */
export function addSetupCommand(program: Command, ctx: CommandContext): void {
  program
    .command('setup')
    .summary('install the native packages')
    .description('Install the native packages that are missing.')
    .option('--check', 'only say what is there; exit code 1 if something is missing')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
better-sqlite3 (memory, some 35 MB) and node-llama-cpp (embeddings, some 85 MB, without its parts for graphics cards)
come from the package registry, through npm, and go into the plugin's folder for data or chitta's own. Without them
chitta still reads, compacts and guides; it remembers nothing and compares words instead of meanings.

Examples:
  chitta setup
  chitta setup --check
`,
    )
    .action(async ({ check, json }: { check?: true; json?: true }) => {
      const [{ checkSetup, runSetup }, setup] = await Promise.all([
        import('../actions/setup.ts'),
        (await ctx.openApp()).openSetup(),
      ]);
      const result = check
        ? await checkSetup(setup)
        : await runSetup(setup, ({ name, megabytes }) =>
            ctx.note(`chitta: installing ${name}, some ${megabytes} MB, into ${setup.folder} …`),
          );
      // The command has said what there is to say; only its outcome is left.
      if (!result.ok) process.exitCode = 1;
      return json ? printJson(ctx, result) : ctx.print(renderSetup(result, styleFor(ctx.stdout, ctx.env)));
    });
}
