/** `chitta transcript`: the messages of a session file, as the API would see them. */
import type { Command } from 'commander';
import { viewOf } from '../messages/view.ts';
import type { App } from '../app.ts';
import { fill, fit } from '../report/width.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import type { CommandContext } from './context.ts';
import { readSource, sourceOf } from './input.ts';
import { printJson, printJsonList } from './json.ts';
import { wholeNumber } from './numbers.ts';
import { previewOf } from './preview.ts';

type Transcript = Awaited<ReturnType<App['readTranscript']>>;

interface Options {
  readonly last?: number;
  readonly all?: true;
  readonly json?: true;
  readonly stats?: true;
}

/** The reader's counts by their names on the wire. */
export function wireStats(stats: Transcript['stats']): Record<string, unknown> {
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(stats).map(([name, value]) => [snake(name), value]));
}

/** One line per message: position, role, preview. */
export function renderMessages(messages: Transcript['messages'], style: Style): string {
  const lines = messages.map((message, index) => {
    const head = `${String(index).padStart(5)} ${fill(sanitizeLine(message.role), 9)} `;
    const text = fit(previewOf(viewOf(message)), style.width - head.length);
    return `${style.paint('dim', head)}${text}\n`;
  });
  return lines.join('');
}

/** One count per line; of groups only what is not zero. */
export function renderStats(stats: Record<string, unknown>): string {
  const rows = Object.entries(stats).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== 'object' || value === null) return [[name, String(value)]];
    return Object.entries(value).map(([part, count]): [string, string] => [`${name}.${part}`, String(count)]);
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}

/** Adds `chitta transcript`. */
export function addTranscriptCommand(program: Command, ctx: CommandContext): void {
  program
    .command('transcript')
    .summary('print the messages of a session file')
    .description(
      'Print the messages of a session file, merged and in order, as one JSON array (on a terminal: as a list).',
    )
    .usage('FILE|- [options]')
    .argument('<FILE>', 'a transcript of Claude Code (JSONL); - is standard input')
    .option('--last <N>', 'only the newest N user and assistant messages, from a prompt on', wholeNumber)
    .option('--all', 'the whole file, not only what follows the last compaction')
    .option('--json', 'print JSON, also on a terminal')
    .option('--stats', 'print what was read, skipped and repaired instead of the messages')
    .addHelpText(
      'after',
      `
Examples:
  chitta transcript session.jsonl --last 60 | jq -r '.[].role'
  chitta transcript session.jsonl --stats --json | jq .skipped
`,
    )
    .action(async (file: string, { last, all, json, stats: onlyStats }: Options) => {
      const source = await sourceOf(file, ctx);
      const range = { ...(last === undefined ? {} : { last }), ...(all === undefined ? {} : { all }) };
      const { messages, stats } = await readSource(source, await ctx.openApp(), range);
      if (onlyStats) return json ? printJson(ctx, wireStats(stats)) : ctx.print(renderStats(wireStats(stats)));
      if (json || ctx.stdout.isTTY !== true) return printJsonList(ctx, messages);
      return ctx.print(renderMessages(messages, styleFor(ctx.stdout, ctx.env)));
    });
}
