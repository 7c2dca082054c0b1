/** `chitta show`: a dropped turn, word for word, by its handle. */
import { type Command, InvalidArgumentError } from 'commander';
import type { ShownTurn, ShowResult } from '../actions/show.ts';
import type { ShownTicket } from '../actions/ticket.ts';
import { parseLineRange } from '../protocol/line-range.ts';
import { sanitize, sanitizeLine } from '../terminal/sanitize.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import { printJson } from './json.ts';
import type { CommandContext } from './context.ts';
import { COMMAND_MS, withMemory } from './memory-context.ts';
import { wholeNumber } from './numbers.ts';

interface Options {
  readonly about?: string;
  readonly lines?: readonly [number, number];
  readonly context?: number;
  readonly file?: string;
  readonly json?: true;
}

/** Lines from 1, as `parseLineRange` reads them. */
export function lineRange(text: string): readonly [first: number, last: number] {
  const range = parseLineRange(text);
  if (range === undefined) throw new InvalidArgumentError('It must be A-B, lines counted from 1.');
  return range;
}

function heading({ handle, role, tokens, session }: ShownTurn, more: string, style: Style): string {
  const where = session === undefined ? '' : `, session ${sanitizeLine(session)}`;
  return `${style.paint('dim', `── ${handle} ${sanitizeLine(role)}, about ${tokens} tokens${where}${more}`)}\n`;
}

/** The turn with headings; each passage of a part says its lines. */
export function renderShown(
  { turn, before, after, source, totalLines, passages, more }: ShowResult,
  style: Style,
): string {
  const around = (one: ShownTurn): string => `${heading(one, '', style)}${sanitize(one.text)}\n`;
  const whole = passages.length === 1 && passages[0]?.first === 1 && passages[0].last === totalLines;
  const parts = passages.map(({ first, last, text }) => {
    const lines = whole ? '' : `${style.paint('dim', `lines ${first}–${last} of ${totalLines}`)}\n`;
    return `${lines}${sanitize(text)}\n`;
  });
  if (parts.length === 0) parts.push(`${style.paint('dim', `it has ${totalLines} lines`)}\n`);
  if (more > 0)
    parts.push(`${style.paint('dim', `the words stand in ${more} more ${more === 1 ? 'line' : 'lines'}: --lines`)}\n`);
  const from = source === 'archive' ? ', from the archive' : ', from the transcript';
  return [...before.map(around), heading(turn, from, style), ...parts, ...after.map(around)].join('');
}

/** A ticket: what is known of it, its title, and its text or parts of it. */
export function renderTicket({ ticket, source, fetchedMs, totalLines, passages }: ShownTicket, style: Style): string {
  const { number, title, state, author, labels, comments, url } = ticket;
  const facts = [
    source,
    state,
    ...(author === undefined ? [] : [`by ${author}`]),
    ...labels,
    `${comments} ${comments === 1 ? 'comment' : 'comments'}`,
    `as of ${new Date(fetchedMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  ];
  const isWhole = passages.length === 1 && passages[0]?.first === 1 && passages[0].last === totalLines;
  const parts = passages.map(({ first, last, text }) => {
    const lines = isWhole ? '' : `${style.paint('dim', `lines ${first}–${last} of ${totalLines}`)}\n`;
    return `${lines}${sanitize(text)}\n`;
  });
  const heading = style.paint('dim', `── ticket:${number} ${sanitizeLine(facts.join(', '))}`);
  const link = url === undefined ? '' : `${style.paint('dim', sanitizeLine(url))}\n`;
  return [`${heading}\n${sanitizeLine(title)}\n`, ...(totalLines === 0 ? [] : ['\n', ...parts]), link].join('');
}

/** Adds `chitta show`. */
export function addShowCommand(program: Command, ctx: CommandContext): void {
  program
    .command('show')
    .summary('print a dropped turn by its handle')
    .description('Print a turn that was dropped, by the handle in the mark that took its place.')
    .argument(
      '<HANDLE>',
      'such as #k3v7q2a; the # may be left out (a shell takes it for a comment). ticket:12: an issue',
    )
    .option('--about <WORDS>', 'only what stands around these words; the beginning of the turn if they are not in it')
    .option('--lines <A-B>', 'only these lines', lineRange)
    .option('--context <N>', 'with so many turns before and after', wholeNumber)
    .option('--file <FILE>', 'the transcript to look in, if the turn is not archived')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
It comes from the archive, where secrets are masked, else from the transcripts of the project and its past compactions.

Examples:
  chitta show k3v7q2a
  chitta show k3v7q2a --about timeout
  chitta show k3v7q2a --lines 10-40 --json | jq -r .text
  chitta show ticket:12
`,
    )
    .action(async (handle: string, { about, lines, context, file, json }: Options) => {
      const { showTicket, ticketJson, ticketNumber } = await import('../actions/ticket.ts');
      const number = ticketNumber(handle);
      if (number !== undefined) {
        const ticket = await showTicket(await (await ctx.openApp()).openTickets(), { number, about, lines });
        if (json) return printJson(ctx, ticketJson(ticket));
        if (ticket.stale !== undefined) ctx.note(`chitta: an older copy is shown: ${sanitizeLine(ticket.stale)}`);
        return ctx.print(renderTicket(ticket, styleFor(ctx.stdout, ctx.env)));
      }
      const { show } = await import('../actions/show.ts');
      const shown = await withMemory(ctx, (store, app) =>
        show(
          store,
          { handle, project: app.project, about, lines, context, deadlineMs: COMMAND_MS },
          app.findInTranscript(file),
        ),
      );
      const whole = `chitta show ${shown.turn.handle.slice(1)} prints all of it`;
      if (shown.absent) ctx.note(`chitta: the words do not stand in the turn, and this is its beginning; ${whole}`);
      if (shown.cut) ctx.note(`chitta: of a very long line this is the beginning; ${whole}`);
      if (json) return printJson(ctx, (await import('../actions/memory-json.ts')).showJson(shown));
      return ctx.print(renderShown(shown, styleFor(ctx.stdout, ctx.env)));
    });
}
