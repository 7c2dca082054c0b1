/** `chitta evaluate`: how much of what was needed later each way of compacting keeps, on the user's own transcripts. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Evaluation } from '../actions/evaluate.ts';
import { RETENTION_LEGEND, retentionTable } from '../report/retention.ts';
import { grouped } from '../report/totals.ts';
import { type Style, styleFor } from '../terminal/style.ts';
import type { CommandContext } from './context.ts';
import { printJson } from './json.ts';
import { share, wholeNumber } from './numbers.ts';
import { progressBar } from './progress.ts';

const DEFAULT_RATIOS = [0.1, 0.2, 0.4];
const DEFAULT_LIMIT = 50;
const DAY_MS = 86_400_000;

interface EvaluateFlags {
  readonly ratios?: readonly number[];
  readonly methods?: readonly string[];
  readonly since?: Since;
  readonly limit?: number;
  readonly json?: true;
}

/** A moment, or so many milliseconds before now. */
type Since = { readonly atMs: number } | { readonly agoMs: number };

/** `2026-01-31`, or `14d`. */
export function since(text: string): Since {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  if (days !== undefined) return { agoMs: Number(days) * DAY_MS };
  const day = /^\d{4}-\d{2}-(\d{2})$/.exec(text)?.[1];
  const atMs = Date.parse(`${text}T00:00:00`);
  // Date.parse takes 31 February for 3 March.
  if (new Date(atMs).getDate() !== Number(day))
    throw new InvalidArgumentError('It must be a date (2026-01-31) or a number of days (14d).');
  return { atMs };
}

function list(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.includes('')) throw new InvalidArgumentError('It must be a list separated by commas.');
  return [...new Set(parts)];
}

const count = (number: number, one: string): string => `${grouped(number)} ${one}${number === 1 ? '' : 's'}`;

/** What was evaluated and what was not, then the table. */
export function render(evaluation: Evaluation, style: Style): string {
  const { transcripts, projects, episodes, meanContextTokens, guessableKnown, skipped } = evaluation;
  const left = [
    ...(skipped.tooShort > 0 ? [`${grouped(skipped.tooShort)} too short`] : []),
    ...(skipped.foreign > 0 ? [`${grouped(skipped.foreign)} of another format`] : []),
    ...(skipped.damaged > 0 ? [`${grouped(skipped.damaged)} damaged`] : []),
    ...(skipped.unreadable > 0 ? [`${grouped(skipped.unreadable)} unreadable`] : []),
  ];
  const lines = [
    `${count(transcripts, 'transcript')} of ${count(projects, 'project')}, ${count(episodes, 'episode')}, ` +
      `${grouped(meanContextTokens)} tokens each on average`,
    ...(left.length === 0 ? [] : [`left out: ${left.join(', ')}`]),
    ...(guessableKnown ? [] : ['fewer than three projects: names that could be guessed are not told apart']),
    ...(transcripts < 5 ? ['few transcripts: the intervals say little'] : []),
  ];
  const table = retentionTable(evaluation.summaries, style);
  return `${style.paint('bold', lines[0] ?? '')}\n${lines
    .slice(1)
    .map((line) => `${line}\n`)
    .join('')}\n${table}\n${style.paint('dim', RETENTION_LEGEND.trimEnd())}\n`;
}

async function run(paths: readonly string[], flags: EvaluateFlags, ctx: CommandContext): Promise<void> {
  const [{ evaluate }, { openEvaluation }] = await Promise.all([
    import('../actions/evaluate.ts'),
    import('../wiring/evaluation.ts'),
  ]);
  const from = flags.since;
  const progress = progressBar(ctx);
  let evaluation: Evaluation;
  try {
    evaluation = await evaluate(
      {
        paths,
        ratios: flags.ratios ?? DEFAULT_RATIOS,
        sinceMs: from === undefined ? undefined : 'atMs' in from ? from.atMs : Date.now() - from.agoMs,
        limit: flags.limit ?? DEFAULT_LIMIT,
        methods: flags.methods,
        onProgress: ({ step, done, total }) => progress.show(done, total, `${step} ${done}/${total}`),
      },
      await openEvaluation(ctx.env, ctx.cwd),
    );
  } finally {
    await progress.end();
  }
  if (flags.json) {
    const { evaluationJson } = await import('../actions/evaluate-json.ts');
    return printJson(ctx, evaluationJson(evaluation));
  }
  return ctx.print(render(evaluation, styleFor(ctx.stdout, ctx.env)));
}

/** Adds `chitta evaluate`. */
export function addEvaluateCommand(program: Command, ctx: CommandContext): void {
  program
    .command('evaluate')
    .summary('measure on your own sessions what each way of compacting keeps')
    .description('Measure on your own sessions how much of what the agent needed later each way of compacting keeps.')
    .usage('[PATH…] [options]')
    .argument('[PATH...]', "transcripts, or folders of them (default: Claude Code's projects folder)")
    .option('--ratios <LIST>', 'shares of the tokens to keep, 0.05–1 (default 0.1,0.2,0.4)', (text: string) =>
      list(text).map(share),
    )
    .option('--methods <LIST>', 'only these methods (default: all)', list)
    .option('--since <DATE>', 'only files changed since then: 2026-01-31, or 14d for 14 days', since)
    .option('--limit <N>', `at most so many transcripts, the newest (default ${DEFAULT_LIMIT})`, wholeNumber)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Transcripts are only read, and nothing leaves this machine. What is measured, and what is not: docs/retention.md.

Examples:
  chitta evaluate
  chitta evaluate --since 30d --ratios 0.2 --methods keep-last,formula
  chitta evaluate session.jsonl --json | jq '.results[] | {method, ratio, composite}'
`,
    )
    .action((paths: string[], flags: EvaluateFlags) => run(paths, flags, ctx));
}
