/** `chitta compact`: a conversation in, its survivors out, or a picture of what would stay. */
import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import { ChittaError } from '../errors.ts';
import { leavesOf } from '../messages/leaves.ts';
import { parseMessages } from '../messages/parse.ts';
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { CompactResult, Decision } from '../protocol/compact-result.ts';
import { bars } from '../report/bars.ts';
import { countPairs, hintsOf, totals, totalsLine } from '../report/totals.ts';
import { compactSummaryLines } from '../report/summary.ts';
import { wrap } from '../report/width.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import type { CommandContext } from './context.ts';
import { readInput, readSource, type Source, sourceOf } from './input.ts';
import { printJson } from './json.ts';
import { newestTurns } from './newest.ts';
import { share, wholeNumber } from './numbers.ts';
import { previewOf } from './preview.ts';

/** As commander gives them. */
export interface CompactFlags {
  readonly last?: number;
  readonly query?: string;
  readonly ratio?: number;
  readonly budget?: number;
  readonly strategy?: string;
  readonly detail?: string;
  readonly explain?: true;
  readonly json?: true;
  readonly stats?: true;
  readonly mod?: true;
  readonly summarize?: true;
  readonly model?: string;
}

/** A compaction, with the messages it was made of. */
export interface Compacted {
  readonly messages: readonly Message[];
  readonly result: CompactResult & { readonly decisions: readonly Decision[] };
  /** Whether the caller asked for decisions. */
  readonly explain: boolean;
  /** Parts of a transcript that could not be read. */
  readonly damaged: number;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Why a transcript without messages is none. */
function nothingIn(rows: number, problem: string | undefined): ChittaError {
  if (rows > 0) {
    const hint = 'chitta transcript FILE --stats says what was skipped';
    return new ChittaError('E_INPUT_EMPTY', 'there are no messages in the input', { hint });
  }
  const why = problem === undefined ? '' : `: ${problem}`;
  return new ChittaError('E_INPUT_JSON', `the input is neither JSON nor a transcript${why}`, {
    hint: 'pass a transcript of Claude Code (JSONL) or a JSON array of messages',
  });
}

interface Asked {
  readonly params: Record<string, unknown>;
  readonly damaged: number;
}

/** Parameters that came with the messages; a bare list of messages comes with none. */
async function askedOf(source: Source, app: App, last: number | undefined): Promise<Asked> {
  const input = await readInput(source, app);
  if (input.kind === 'transcript') {
    const { messages, stats } = await readSource(input.source, app, last === undefined ? {} : { last });
    if (messages.length === 0) throw nothingIn(stats.rows, input.problem);
    return { params: { messages }, damaged: stats.damagedLines };
  }
  const params = isObject(input.value) ? input.value : { messages: input.value };
  if (last === undefined) return { params, damaged: 0 };
  return { params: { ...params, messages: newestTurns(parseMessages(params['messages']), last) }, damaged: 0 };
}

/** Compacts what came from outside. */
type Compact = (params: unknown) => Promise<CompactResult>;

/** With a language model that summarises the rest of what is dropped. */
async function summarizing(source: Source, flags: CompactFlags, app: App, ctx: CommandContext): Promise<Compact> {
  const [{ parseCompactParams }, { withSummarizer }] = await Promise.all([
    import('../protocol/compact-params.ts'),
    import('./summarizing.ts'),
  ]);
  const summaries = await app.openSummaries();
  const turn = 'path' in source ? await summaries.newestTurn(source.path) : undefined;
  const question = { asked: flags.model, turnModel: turn?.model };
  return (given) => {
    const params = parseCompactParams(given);
    return withSummarizer(ctx, summaries, question, (summarizer, request) => summarizer.compact(params, request));
  };
}

/** Reads, compacts, and keeps what is needed to show it. Flags go before parameters, parameters before settings. */
export async function execute(
  source: Source,
  flags: CompactFlags,
  app: App,
  compact: Compact = app.compactContext,
): Promise<Compacted> {
  const { params, damaged } = await askedOf(source, app, flags.last);
  const given = {
    query: flags.query,
    target_ratio: flags.ratio,
    budget_tokens: flags.budget,
    strategy: flags.strategy,
    detail: flags.detail,
    explain: flags.explain,
  };
  const merged: Record<string, unknown> = { ...params };
  for (const [name, value] of Object.entries(given)) if (value !== undefined) merged[name] = value;
  // A budget or ratio on the command line replaces whichever of the two came with the messages.
  if (flags.ratio !== undefined && flags.budget === undefined) delete merged['budget_tokens'];
  const { explain = false } = merged;
  const isPicture = flags.json === undefined && flags.stats === undefined;
  // The picture is drawn from decisions. A wrong value stays as it is, for the action to name it.
  const asked = isPicture && typeof explain === 'boolean' ? { ...merged, explain: true } : merged;
  const result = await compact(asked);
  return {
    messages: parseMessages(merged['messages']),
    result: { ...result, decisions: result.decisions ?? [] },
    explain: explain === true,
    damaged,
  };
}

/** A decision whose texts cannot take over a terminal. */
function safe({ kept, names, covered_by, ...decision }: Decision): Decision {
  return {
    ...decision,
    role: sanitizeLine(decision.role),
    ...(kept && { kept: kept.map((lines) => ({ ...lines, field: sanitizeLine(lines.field) })) }),
    ...(names && { names: names.map(sanitizeLine) }),
    ...(covered_by !== undefined && { covered_by: sanitizeLine(covered_by) }),
  };
}

/** The picture: a line or two per turn, then the totals and what can be done about it. */
export function render({ messages, result, explain }: Compacted, style: Style): string {
  const { stats } = result;
  const turns = result.decisions.map((decision) => {
    const message = messages[decision.index];
    const preview = message === undefined ? '' : previewOf(viewOf(message));
    return { decision: safe(decision), preview };
  });
  const picture = turns.length === 0 ? '' : `${bars(turns, style, { explain, strategy: stats.strategy })}\n`;
  const line = style.paint('bold', totalsLine(stats, countPairs(messages, result.messages)));
  const over = stats.over_budget ? ['over budget: what must stay is larger than the budget'] : [];
  const summary = stats.summary === undefined ? [] : compactSummaryLines(stats.summary).map(sanitizeLine);
  const hints = hintsOf(stats, explain)
    .flatMap((hint) => wrap(hint, style.width))
    .map((hint) => style.paint('dim', hint));
  return `${picture}${[line, ...summary, ...over, ...hints].join('\n')}\n`;
}

/** Numbers are doubles here: of a larger one the last digits are gone, and a program that reads them is to know. */
function noteRounded(ctx: CommandContext, messages: readonly Message[]): void {
  const count = messages.filter((message) => leavesOf(message)?.exact === false).length;
  if (count > 0) ctx.note(`chitta: messages with numbers beyond 2^53, whose last digits may be lost: ${count}`);
}

async function print(compacted: Compacted, flags: CompactFlags, ctx: CommandContext): Promise<void> {
  const { messages, result, explain } = compacted;
  const { decisions, ...rest } = result;
  if (compacted.damaged > 0) ctx.note(`chitta: damaged parts of the transcript were skipped: ${compacted.damaged}`);
  if (flags.json && flags.stats) return printJson(ctx, rest.stats);
  if (flags.json) {
    await printJson(ctx, explain ? { ...rest, decisions } : rest);
    return noteRounded(ctx, result.messages);
  }
  if (flags.stats) {
    const kept = messages.length - result.stats.dropped;
    const { summary } = result.stats;
    const lines = summary === undefined ? [] : compactSummaryLines(summary).map((line) => `${sanitizeLine(line)}\n`);
    return ctx.print(totals(result.stats, countPairs(messages, result.messages), kept) + lines.join(''));
  }
  return ctx.print(render(compacted, styleFor(ctx.stdout, ctx.env)));
}

/** Adds `chitta compact`. */
export function addCompactCommand(program: Command, ctx: CommandContext): void {
  program
    .command('compact')
    .summary('keep the turns that matter, within a budget')
    .description('Keep the turns that matter, verbatim, within a budget.')
    .usage('[FILE|-] [options]')
    .argument('[FILE]', 'a transcript, a JSON array of messages, or an object with messages and parameters')
    .option(
      '--last <N>',
      'only the newest N user and assistant messages (default: the whole live context)',
      wholeNumber,
    )
    .option('--query <TEXT>', 'what the next step is about')
    .option('--ratio <N>', 'share of tokens to keep, 0.05–1 (default: the setting target_ratio, 0.4)', share)
    .option('--budget <N>', 'tokens to keep; goes before --ratio', wholeNumber)
    .option('--strategy <NAME>', 'how survivors are chosen: need (default) or formula')
    .option('--detail <NAME>', 'whole: messages as they are (default); excerpt: runs of their lines too')
    .option('--explain', 'why each message was kept or dropped, which lines are left, and its handle')
    .option('--json', 'print { messages, stats } as JSON; with --explain, decisions too')
    .option('--stats', 'print the totals only')
    .option('--summarize', 'let a language model summarise what is dropped and no memory covers')
    .option('--model <NAME>', 'with --summarize: who writes, as in chitta summarize')
    .addOption(new Option('--mod', "answer the plugin's module in Claude Code").hideHelp())
    .addHelpText(
      'after',
      `
Without FILE, or with -, the input is standard input. Flags go before parameters in the input.

Examples:
  chitta compact session.jsonl --explain
  chitta compact session.jsonl --detail excerpt --ratio 0.2
  chitta compact session.jsonl --last 60 --query "the date parser" --ratio 0.3 --stats
  chitta compact - --json < messages.json | jq .stats
`,
    )
    .action(async (file: string | undefined, flags: CompactFlags) => {
      if (flags.mod) return (await import('./replace.ts')).answerModule(ctx);
      const source = await sourceOf(file, ctx);
      const app = await ctx.openApp();
      const compact = flags.summarize ? await summarizing(source, flags, app, ctx) : undefined;
      return print(await execute(source, flags, app, compact), flags, ctx);
    });
}
