/** `chitta search`: finds archived turns by the words in them, with the lines around these words. */
import type { Command } from 'commander';
import type { FoundPassages } from '../actions/search.ts';
import { sanitize, sanitizeLine } from '../terminal/sanitize.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import { printJson } from './json.ts';
import type { CommandContext } from './context.ts';
import { COMMAND_MS, withMemory } from './memory-context.ts';
import { wholeNumber } from './numbers.ts';

const DEFAULT_LIMIT = 5;

interface Options {
  readonly session?: string;
  readonly limit?: number;
  readonly json?: true;
}

/** A turn with a heading; each passage says its lines. */
export function renderFound({ turn, totalLines, passages }: FoundPassages, style: Style): string {
  const { handle, role, tokens, session } = turn;
  const where = session === undefined ? '' : `, session ${sanitizeLine(session)}`;
  const heading = style.paint('dim', `── ${handle} ${sanitizeLine(role)}, about ${tokens} tokens${where}`);
  const parts = passages.map(({ first, last, text }) => {
    const lines = style.paint('dim', `lines ${first}–${last} of ${totalLines}`);
    return `${lines}\n${sanitize(text)}\n`;
  });
  return `${heading}\n${parts.join('')}`;
}

/** Adds `chitta search`. */
export function addSearchCommand(program: Command, ctx: CommandContext): void {
  program
    .command('search')
    .summary('find archived turns by their words, with the lines around them')
    .description(
      'Find turns of the archive, of this project, by the words in them, and print the lines around these words.',
    )
    .argument('<WORDS...>', 'what to look for')
    .option('--session <ID>', 'only turns of this session')
    .option('--limit <N>', `at most so many turns (default ${DEFAULT_LIMIT})`, wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Memories too, and by meaning: chitta recall. The whole turn: chitta show HANDLE.

Examples:
  chitta search EADDRINUSE
  chitta search migration lock timeout --limit 2 --json | jq -r '.turns[].handle'
`,
    )
    .action(async (words: string[], { session, limit, json }: Options) => {
      const { searchTurns } = await import('../actions/search.ts');
      const query = words.join(' ');
      const turns = await withMemory(ctx, (store, { project }) =>
        searchTurns(store, { query, project, session, limit: limit ?? DEFAULT_LIMIT, deadlineMs: COMMAND_MS }),
      );
      if (json) {
        const { foundTurnJson } = await import('../actions/memory-json.ts');
        return printJson(ctx, { turns: turns.map(foundTurnJson) });
      }
      if (turns.length === 0) ctx.note('chitta: nothing found');
      const style = styleFor(ctx.stdout, ctx.env);
      await ctx.print(turns.map((found) => renderFound(found, style)).join(''));
    });
}
