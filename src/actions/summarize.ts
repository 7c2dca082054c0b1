/**
 * Summarises the older part of a conversation with a language model: all or nothing. Whatever goes wrong (an empty or cut answer,
 * a cancel, a summary that would not make it smaller), the conversation stays as it was. Only text without secrets reaches the model.
 */
import { ChittaError } from '../errors.ts';
import { parseMessages } from '../messages/parse.ts';
import type { Message, MessageView, WireMessage } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { ChatModel } from '../ports/chat-model.ts';
import { missingSections } from '../summarize/answer.ts';
import { assemble, readSummary, summaryMessage } from '../summarize/assemble.ts';
import { type SummaryBudget, budgetOf } from '../summarize/budget.ts';
import { attach, type Attached, keyOf, type SummaryLink } from '../summarize/chain.ts';
import { type Cut, type CutOptions, cutOf } from '../summarize/cut.ts';
import type { CompactionEvent } from '../summarize/events.ts';
import type { SummaryReport, SummaryResult } from '../summarize/report.ts';
import { Masker, sourceOf } from '../summarize/source.ts';
import { verifySummary } from '../summarize/verify.ts';
import { estimateMessageTokens, estimateViewTokens } from '../tokens/message.ts';
import { checkCancelled } from './summary-requests.ts';
import { writeSummary } from './write-summary.ts';

/** A conversation of fewer messages has nothing to be summarised. */
const MIN_MESSAGES = 4;

export interface SummarizeOptions extends CutOptions {
  readonly model: ChatModel;
  /** What is to be kept in full detail; counted, and cut to a quarter of the window. */
  readonly focus?: string | undefined;
  /** Cancels: rejects with E_SUMMARY, nothing changed. */
  readonly signal?: AbortSignal | undefined;
  /** Tokens of the model's window, where it declares none itself. Without either, the conversation is sent in one piece. */
  readonly window?: number | undefined;
  /** Earlier summaries of the same session, oldest first: what they stand for is not sent again, unless there is a focus. */
  readonly chain?: readonly SummaryLink[] | undefined;
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
}

/** A conversation as it is looked at here. */
interface Subject {
  readonly messages: readonly Message[];
  readonly views: readonly MessageView[];
  readonly tokens: readonly number[];
  readonly cut: Cut;
  readonly attached: Attached | undefined;
}

function refused(why: string, hint?: string): ChittaError {
  return new ChittaError('E_SUMMARY', why, hint === undefined ? {} : { hint });
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function subjectOf(messages: readonly Message[], options: SummarizeOptions): Subject {
  const views = messages.map(viewOf);
  const count = views.filter(({ role }) => role !== 'system').length;
  if (count < MIN_MESSAGES) {
    throw refused(`there are ${count} messages; fewer than ${MIN_MESSAGES} are not summarised`);
  }
  const tokens = views.map(estimateViewTokens);
  const cut = cutOf(messages, views, tokens, options);
  if (cut === undefined) throw refused('nothing stands in front of the newest exchange that could be summarised');
  // What is asked for in detail, an earlier summary may have left out.
  const hasFocus = (options.focus ?? '').trim() !== '';
  const chain = hasFocus ? [] : (options.chain ?? []);
  return { messages, views, tokens, cut, attached: attach(messages, chain, cut.at) };
}

type Figures = Omit<
  SummaryReport,
  'summarised' | 'kept' | 'beforeTokens' | 'afterTokens' | 'freedTokens' | 'summaryTokens'
>;

/** The result; throws E_SUMMARY if it would not be smaller. */
function finish(subject: Subject, text: string, link: SummaryLink | undefined, figures: Figures): SummaryResult {
  const { messages, views, tokens, cut } = subject;
  const summaryTokens = estimateMessageTokens(summaryMessage(text));
  const beforeTokens = sum(tokens);
  const afterTokens = beforeTokens - sum(cut.summarised.map((index) => tokens[index] ?? 0)) + summaryTokens;
  if (afterTokens >= beforeTokens) {
    throw refused(
      `the summary would make the conversation no smaller: ${beforeTokens} tokens before, ${afterTokens} after`,
    );
  }
  return {
    messages: assemble(messages, views, cut, text),
    summary: text,
    link,
    report: {
      summarised: cut.summarised.length,
      kept: messages.length - cut.summarised.length,
      beforeTokens,
      afterTokens,
      freedTokens: beforeTokens - afterTokens,
      summaryTokens,
      ...figures,
    },
  };
}

/** A stored summary that stands for exactly what would be summarised: the same bytes again, so that a prompt cache keeps its prefix. */
function reuse(
  subject: Subject,
  { link }: Attached,
  model: ChatModel,
  budget: SummaryBudget,
  window: number | undefined,
): SummaryResult {
  const { evidence, doubted } = sourceOf(subject.messages, subject.views, subject.cut.summarised);
  const { body, doubted: own } = readSummary(link.text);
  const { checked, unverified } = verifySummary(body, evidence, [...doubted, ...own]);
  return finish(subject, link.text, link, {
    model: model.name,
    window,
    chunks: 0,
    requests: 0,
    focusTokens: budget.focusTokens,
    focusClamped: budget.focusClamped,
    masked: 0,
    checked,
    unverified,
    unverifiedRate: checked === 0 ? 0 : unverified.length / checked,
    missingSections: missingSections(body),
    usage: undefined,
    reused: true,
    generation: link.generation,
  });
}

async function run(messages: readonly Message[], options: SummarizeOptions): Promise<SummaryResult> {
  const { model, signal, onEvent = () => undefined } = options;
  checkCancelled(signal);
  const subject = subjectOf(messages, options);
  const { cut, attached } = subject;
  const window = options.window ?? model.contextWindow;
  const budget = budgetOf(window, options.focus === undefined ? undefined : new Masker().clean(options.focus));
  const shown = cut.summarised.filter((index) => index >= (attached?.next ?? 0));
  if (attached !== undefined && sourceOf(messages, subject.views, shown).pieces.length === 0) {
    return reuse(subject, attached, model, budget, window);
  }
  const earlier = attached?.link;
  const { text, count, figures } = await writeSummary({
    ...subject,
    shown,
    standsFor: cut.summarised,
    earlier,
    model,
    budget,
    signal,
    onEvent,
  });
  const last = messages[cut.at - 1];
  const upTo = last === undefined ? undefined : keyOf(last);
  const generation = (earlier?.generation ?? 0) + 1;
  const link = upTo === undefined ? undefined : { generation, upTo, messages: count, text };
  return finish(subject, text, link, { model: model.name, window, ...figures, reused: false, generation });
}

/**
 * Summarises a conversation up to a cut in front of a typed prompt, with the newest exchanges whole behind it.
 *
 * The result is a new list: leading system messages, one user message `[CONVERSATION SUMMARY — N messages compressed]`, and the rest
 * as the caller's own objects. Rejects with E_SUMMARY (too little, cancelled, empty, cut, not smaller), E_PROVIDER as the model does,
 * E_MESSAGE_INVALID for what are no messages; `history` is never changed.
 */
export async function summarize<M extends WireMessage = Message>(
  history: readonly M[],
  options: SummarizeOptions,
): Promise<SummaryResult<M>> {
  const { onEvent = () => undefined } = options;
  let result: SummaryResult;
  try {
    result = await run(parseMessages(history), options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onEvent({ type: 'failed', reason, cancelled: options.signal?.aborted === true });
    throw error;
  }
  const { summarised, freedTokens, reused } = result.report;
  onEvent({ type: 'done', messages: summarised, freed: freedTokens, reused });
  // The caller's own messages, and one of a user, which is the same in both wire shapes.
  return result as unknown as SummaryResult<M>;
}
