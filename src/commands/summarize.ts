/** `chitta summarize`: the older part of a conversation as one summary, written by a language model. */
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { ChittaError } from '../errors.ts';
import { parseMessages } from '../messages/parse.ts';
import type { Message } from '../messages/types.ts';
import { summaryJson } from '../protocol/summary-result.ts';
import { summaryLines } from '../report/summary.ts';
import { sanitize, sanitizeLine } from '../terminal/sanitize.ts';
import type { CommandContext } from './context.ts';
import { readInput, readSource, type Source, sourceOf } from './input.ts';
import { printJson } from './json.ts';
import { sessionOf, withSummarizer } from './summarizing.ts';

interface SummarizeFlags {
  readonly focus?: string;
  readonly model?: string;
  readonly auto?: true;
  readonly json?: true;
}

type Summaries = Awaited<ReturnType<App['openSummaries']>>;
type NewestTurn = Awaited<ReturnType<Summaries['newestTurn']>>;

interface Conversation {
  readonly messages: readonly Message[];
  readonly turn: NewestTurn;
}

const UNKNOWN: NewestTurn = { model: undefined, usedTokens: undefined };

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

/** The conversation, and what is known of its newest turn: from the transcript, or the `model` beside the messages. */
async function conversationOf(source: Source, app: App, summaries: Summaries): Promise<Conversation> {
  const input = await readInput(source, app);
  if (input.kind === 'document') {
    const { value } = input;
    const model = fieldOf(value, 'model');
    const turn = { ...UNKNOWN, model: typeof model === 'string' ? model : undefined };
    return { messages: parseMessages(Array.isArray(value) ? value : fieldOf(value, 'messages')), turn };
  }
  const { messages } = await readSource(input.source, app);
  if (messages.length === 0) {
    throw new ChittaError('E_INPUT_EMPTY', 'there are no messages in the input', {
      hint: 'chitta transcript FILE --stats says what was skipped',
    });
  }
  return { messages, turn: 'path' in input.source ? await summaries.newestTurn(input.source.path) : UNKNOWN };
}

/** Whether `--auto` has anything to do; if not, why. */
async function whyNotNow(
  app: App,
  summaries: Summaries,
  { messages, turn }: Conversation,
): Promise<string | undefined> {
  if (!app.settings.autoSummarize) return 'auto_summarize is off';
  const window = await summaries.windowOf(turn.model);
  if (window === undefined) return `no context window is declared for ${turn.model ?? 'the model of the conversation'}`;
  const { isAtCriticalPressure } = await import('../actions/auto-summary.ts');
  if (isAtCriticalPressure(messages, { window, usedTokens: turn.usedTokens })) return undefined;
  return 'the context is not nearly full';
}

async function run(file: string | undefined, flags: SummarizeFlags, ctx: CommandContext): Promise<void> {
  const app = await ctx.openApp();
  const source = await sourceOf(file, ctx);
  const summaries = await app.openSummaries();
  const conversation = await conversationOf(source, app, summaries);
  if (flags.auto) {
    const why = await whyNotNow(app, summaries, conversation);
    if (why !== undefined) {
      if (flags.json) await printJson(ctx, { summary: null, reason: why });
      return ctx.note(`chitta: nothing is summarised: ${sanitizeLine(why)}`);
    }
  }
  const question = { asked: flags.model, turnModel: conversation.turn.model };
  const result = await withSummarizer(ctx, summaries, question, (summarizer, request) =>
    summarizer.summarize(conversation.messages, { ...request, focus: flags.focus, session: sessionOf(source) }),
  );
  if (flags.json) return printJson(ctx, summaryJson(result));
  await ctx.print(`${ctx.stdout.isTTY === true ? sanitize(result.summary) : result.summary}\n`);
  for (const line of summaryLines(result.report)) ctx.note(`chitta: ${sanitizeLine(line)}`);
}

/** Adds `chitta summarize`. */
export function addSummarizeCommand(program: Command, ctx: CommandContext): void {
  program
    .command('summarize')
    .summary('summarise the older part of a conversation with a language model')
    .description(
      'Summarise all but the newest exchanges of a conversation with a language model, and check what the summary names.',
    )
    .usage('[FILE|-] [options]')
    .argument('[FILE]', 'a transcript, a JSON array of messages, or an object with messages')
    .option('--focus <TEXT>', 'what is to be kept in full detail')
    .option(
      '--model <NAME>',
      'anthropic:MODEL, openai:MODEL, claude[:MODEL] or gguf:FILE (default: see docs/summaries.md)',
    )
    .option('--auto', 'only if auto_summarize is on and the context is nearly full')
    .option('--json', 'print { messages, summary, report } as JSON')
    .addHelpText(
      'after',
      `
Without FILE, or with -, the input is standard input. Secrets are masked before anything is sent. Whatever goes
wrong, Ctrl-C included, nothing is saved and the conversation is as it was.

Examples:
  chitta summarize session.jsonl --model claude:haiku
  chitta summarize session.jsonl --focus "the database schema" --json | jq .report
  OPENAI_BASE_URL=http://127.0.0.1:11434/v1 chitta summarize session.jsonl --model openai:qwen3:8b
`,
    )
    .action((file: string | undefined, flags: SummarizeFlags) => run(file, flags, ctx));
}
