/** `chitta recall`: finds memories and dropped turns again. */
import type { Command } from 'commander';
import type { Recalled } from '../actions/recall.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import { styleFor } from '../terminal/style.ts';
import { printJson } from './json.ts';
import type { CommandContext } from './context.ts';
import { type ListRow, listingOf } from './listing.ts';
import { recallNoted } from './memory-context.ts';
import { wholeNumber } from './numbers.ts';

const DEFAULT_LIMIT = 10;

/** A memory by number and kind, a turn by handle and role. */
function rowOf(one: Recalled): ListRow {
  const [name, kind, text] =
    one.kind === 'memory'
      ? [`memory ${one.memory.id}`, one.memory.kind, one.memory.text]
      : [one.turn.handle, one.turn.role, one.turn.text];
  return { head: `${sanitizeLine(name).padEnd(10)}  ${sanitizeLine(kind).padEnd(10)}  `, text };
}

/** Adds `chitta recall`. */
export function addRecallCommand(program: Command, ctx: CommandContext): void {
  program
    .command('recall')
    .summary('find memories and dropped turns')
    .description(
      'Find memories and turns that were dropped, of this project, by words and, with the daemon, by meaning.',
    )
    .argument('<QUERY...>', 'what to look for')
    .option('--limit <N>', `at most so many (default ${DEFAULT_LIMIT})`, wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
One line each; the whole: chitta show HANDLE, chitta memory show ID.

Examples:
  chitta recall why did the login test fail
  chitta recall max_retries --json | jq -r '.found[] | .handle // .id'
`,
    )
    .action(async (words: string[], { limit, json }: { limit?: number; json?: true }) => {
      const result = await recallNoted(ctx, { query: words.join(' '), limit: limit ?? DEFAULT_LIMIT });
      if (json) return printJson(ctx, (await import('../actions/memory-json.ts')).recallJson(result));
      if (result.found.length === 0) ctx.note('chitta: nothing found');
      const { lines, cut } = listingOf(result.found.map(rowOf), styleFor(ctx.stdout, ctx.env));
      await ctx.print(lines);
      if (cut) ctx.note('chitta: lines are cut; the whole: chitta show HANDLE, chitta memory show ID');
    });
}
