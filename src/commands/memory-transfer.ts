/** `chitta memory export|import`: memories as a file, and what other programs remembered. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ImportReport } from '../actions/import.ts';
import { ChittaError } from '../errors.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { CommandContext } from './context.ts';
import { printJson } from './json.ts';
import { COMMAND_MS, withMemory } from './memory-context.ts';

/** A person waits for a batch of them to be written. */
const BATCH_MS = 60_000;
/** Lines that cannot be read are named up to so many. */
const MAX_NAMED = 20;

/** As the action knows them (`FOREIGN_SOURCES`; a test compares). Listed here so that help loads nothing. */
export const SOURCE_CHOICES: readonly string[] = ['claude-mem', 'episodic-memory', 'markdown', 'claude-md'];

/** What was taken over, in words. */
export function importNotes({ added, known, turns, unreadable, elsewhere }: ImportReport): string[] {
  return [
    `${added} memories are new, ${known} were there already`,
    ...(turns > 0 ? [`${turns} turns are in the archive`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} belong to other projects; import there what you want of them`] : []),
    ...(unreadable > 0 ? [`${unreadable} could not be read and were passed over`] : []),
  ];
}

interface ImportFlags {
  readonly from?: string;
  readonly global?: true;
  readonly json?: true;
}

async function runImport(path: string | undefined, flags: ImportFlags, ctx: CommandContext): Promise<void> {
  const [{ importEntries }, { exportEntries, foreignEntries }, { FOREIGN_SOURCES }] = await Promise.all([
    import('../actions/import.ts'),
    import('../wiring/transfer.ts'),
    import('../ports/transfer.ts'),
  ]);
  const source = FOREIGN_SOURCES.find((one) => one === flags.from);
  const named = path === undefined || path === '-' ? undefined : resolve(ctx.cwd, path);
  if (source !== undefined && named === undefined) {
    throw new ChittaError('E_USAGE', `--from ${source} needs the path of what to read`, {
      hint: 'chitta memory import --help',
    });
  }
  if (flags.global && source !== 'markdown') {
    throw new ChittaError('E_USAGE', '--global goes with --from markdown only', {
      hint: 'chitta memory import --help',
    });
  }
  if (source === undefined && named === undefined && ctx.stdin.isTTY === true) {
    throw new ChittaError('E_USAGE', 'no file is named, and standard input is a terminal', {
      hint: 'name a file of chitta memory export, or pipe one in',
    });
  }
  let told = 0;
  const report = await withMemory(ctx, async (store, { project }) => {
    const entries =
      source === undefined || named === undefined
        ? exportEntries(named, ctx.stdin)
        : await foreignEntries(source, named, { env: ctx.env, project, everywhere: flags.global === true });
    return importEntries(entries, store, {
      deadlineMs: BATCH_MS,
      onProblem: (at, problem) => {
        told += 1;
        if (told <= MAX_NAMED) ctx.note(`chitta: ${sanitizeLine(at)}: ${sanitizeLine(problem)}`);
      },
    });
  });
  if (told > MAX_NAMED) ctx.note(`chitta: and ${told - MAX_NAMED} more`);
  if (flags.json) return printJson(ctx, report);
  for (const note of importNotes(report)) ctx.note(`chitta: ${note}`);
}

/** Adds `export` and `import` to `chitta memory`. */
export function addTransferCommands(memory: Command, ctx: CommandContext): void {
  memory
    .command('export')
    .description('Print the memories of this project and those for every project, one JSON object a line.')
    .option('--all', 'of all projects')
    .addHelpText(
      'after',
      `
Oldest first, whatever their status, secrets masked. The same memories give the same bytes.

Examples:
  chitta memory export --all > memories.ndjson
`,
    )
    .action(async (options: { all?: true }) => {
      const { exportMemories } = await import('../actions/export.ts');
      const rows = await withMemory(ctx, (store, { project }) =>
        exportMemories(store, options.all ? { all: true } : project, COMMAND_MS),
      );
      for (const row of rows) await printJson(ctx, row);
    });
  memory
    .command('import')
    .description(
      'Take memories over from an export, or from what another program left. The same again changes nothing.',
    )
    .argument('[PATH]', 'a file of chitta memory export; - or none: standard input')
    .addOption(new Option('--from <SOURCE>', 'what PATH is, if no export').choices(SOURCE_CHOICES))
    .option('--global', 'with --from markdown: for every project, not only this one')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
  claude-mem        its database, ~/.claude-mem/claude-mem.db: observations of this project
  episodic-memory   its index, ~/.config/superpowers/conversation-index/db.sqlite: into the archive of turns
  markdown          a file or a folder of notes: each item of a list and each paragraph
  claude-md         CLAUDE.md, or a folder with one: likewise
Databases are only read. What cannot be read is named and passed over.

Examples:
  chitta memory import memories.ndjson
  chitta memory import --from claude-mem ~/.claude-mem/claude-mem.db
  chitta memory import --from claude-md .
`,
    )
    .action((path: string | undefined, flags: ImportFlags) => runImport(path, flags, ctx));
}
