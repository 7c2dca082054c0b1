/** `chitta purge`: removes what is stored, and its bytes. */
import { type Command, Option } from 'commander';
import type { PurgeCounts, Purged, PurgePort, PurgeScope } from '../ports/purge.ts';
import { ChittaError } from '../errors.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import type { CommandContext } from './context.ts';
import { printJson } from './json.ts';
import { duration } from './times.ts';

const NAMES: readonly (readonly [kind: keyof PurgeCounts, one: string, many: string])[] = [
  ['memories', 'memory', 'memories'],
  ['directives', 'directive', 'directives'],
  ['turns', 'archived turn', 'archived turns'],
  ['episodes', 'compaction', 'compactions'],
  ['prompts', 'prompt', 'prompts'],
  ['summaries', 'summary', 'summaries'],
];

/** `2 memories, 140 archived turns`. */
export function renderCounts(counts: PurgeCounts): string {
  const parts = NAMES.filter(([kind]) => counts[kind] > 0).map(
    ([kind, one, many]) => `${counts[kind]} ${counts[kind] === 1 ? one : many}`,
  );
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** What was done, a line each. */
export function purgedNotes({ counts, removedFiles, erased }: Purged): string[] {
  return [
    `removed: ${renderCounts(counts)}`,
    ...(removedFiles.length === 0 ? [] : [`deleted: ${removedFiles.join(', ')}`]),
    ...(erased
      ? []
      : [
          'another process still reads the old state, and its journal holds the last bytes: run the same again when it is done',
        ]),
  ];
}

/** One line from a person; empty at the end of input. */
async function answer(ctx: CommandContext): Promise<string> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: ctx.stdin, terminal: false });
  try {
    return await new Promise((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
  }
}

const EVERYTHING = 'everything';

/** What is meant, for the question. */
function scopeText({ session, project, beforeMs }: PurgeScope): string {
  const of = session === undefined ? (project === undefined ? EVERYTHING : `project ${project}`) : `session ${session}`;
  const age =
    beforeMs === undefined ? '' : `, before ${new Date(beforeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return sanitizeLine(of + age);
}

/** Asks on the terminal. Throws E_USAGE where there is none. */
async function isConfirmed(ctx: CommandContext, port: PurgePort, scope: PurgeScope): Promise<boolean> {
  if (ctx.stdin.isTTY !== true) {
    throw new ChittaError('E_USAGE', 'purge asks before it removes anything, and there is no terminal to ask on', {
      hint: '--yes, or --dry-run to see what would go',
    });
  }
  const held = await port.count(scope).then(renderCounts, (error: unknown) => {
    // Everything can be removed from a database that cannot be read, too.
    if (scopeText(scope) !== EVERYTHING) throw error;
    return sanitizeLine(error instanceof Error ? error.message : String(error));
  });
  ctx.note(`chitta: ${scopeText(scope)}: ${held}\nRemove this for good? [y/N]`);
  return /^y(?:es)?$/i.test((await answer(ctx)).trim());
}

interface Options {
  readonly session?: string;
  readonly project?: string | true;
  readonly all?: true;
  readonly olderThan?: number;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

/** Adds `chitta purge`. Exit code 1 if a person says no, or if something of it is still to be read. */
export function addPurgeCommand(program: Command, ctx: CommandContext): void {
  program
    .command('purge')
    .summary('remove what is stored, for good')
    .description('Remove what chitta has stored, and its bytes in every file that may hold a copy.')
    .addOption(new Option('--session <ID>', 'of one session, with its sub-agents').conflicts(['project', 'all']))
    .addOption(new Option('--project [FOLDER]', 'of one project, else this one').conflicts('all'))
    .option('--all', 'everything but settings and models')
    .option('--older-than <TIME>', 'only what is older: 12h, 30d, 8w, 1y', duration)
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only count')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
With --older-than, what a person or the model stored on purpose and directives stay; without it they go too. The daemon
is ended first; it starts again when it is needed. Transcripts of Claude Code are its own, and are not touched.

Examples:
  chitta purge --project --dry-run
  chitta purge --session 0f8fad5b-d9cb-469f-a165-70867728950e
  chitta purge --older-than 90d --yes
  chitta purge --all --yes
`,
    )
    .action(async (options: Options) => {
      const [{ purge, scopeOf }, { openPurge, projectOf }, app] = await Promise.all([
        import('../actions/purge.ts'),
        import('../wiring/purge.ts'),
        ctx.openApp(),
      ]);
      const { all, session, project: folder, olderThan: olderThanMs } = options;
      const project = typeof folder === 'string' ? projectOf(ctx.cwd, folder) : folder && app.project;
      const scope = scopeOf({ all, session, project, olderThanMs }, Date.now());
      const port = openPurge(app.home);
      if (options.dryRun) {
        const counts = await port.count(scope);
        if (options.json) return printJson(ctx, { dry_run: true, ...counts });
        return ctx.note(`chitta: would be removed: ${renderCounts(counts)}`);
      }
      if (!options.yes && !(await isConfirmed(ctx, port, scope))) {
        // What was asked for is not done.
        process.exitCode = 1;
        return ctx.note('chitta: nothing was removed');
      }
      const { stopDaemon } = await app.openHost();
      const purged = await purge(port, scope, {
        stopDaemon,
        onWarning: (text) => ctx.note(`chitta: warning: ${sanitizeLine(text)}`),
      });
      if (!purged.erased) process.exitCode = 1;
      if (options.json) {
        const { counts, removedFiles, erased } = purged;
        return printJson(ctx, { dry_run: false, ...counts, erased, removed_files: removedFiles });
      }
      for (const note of purgedNotes(purged)) ctx.note(`chitta: ${note}`);
    });
}
