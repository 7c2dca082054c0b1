/** Has a model write the summary of some messages, and checks it: the part that all kinds of summaries have in common. */
import { ChittaError } from '../errors.ts';
import type { Message, MessageView } from '../messages/types.ts';
import type { ChatModel } from '../ports/chat-model.ts';
import { missingSections } from '../summarize/answer.ts';
import { summarisedIn, summaryText } from '../summarize/assemble.ts';
import type { SummaryBudget } from '../summarize/budget.ts';
import type { SummaryLink } from '../summarize/chain.ts';
import type { CompactionEvent, SummaryStage } from '../summarize/events.ts';
import type { SummaryReport } from '../summarize/report.ts';
import { earlierPiece, sourceOf } from '../summarize/source.ts';
import { verifySummary } from '../summarize/verify.ts';
import { requestSummary, splitFor } from './summary-requests.ts';

export interface SummaryJob {
  readonly messages: readonly Message[];
  readonly views: readonly MessageView[];
  readonly tokens: readonly number[];
  /** Messages that the model is shown, by index. */
  readonly shown: readonly number[];
  /** Messages that the summary stands for: its names must stand in them. */
  readonly standsFor: readonly number[];
  /** Stands for messages that are not shown. */
  readonly earlier: SummaryLink | undefined;
  readonly model: ChatModel;
  readonly budget: SummaryBudget;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: CompactionEvent) => void;
}

/** What is known of a summary by itself. */
export type SummaryFigures = Pick<
  SummaryReport,
  | 'chunks'
  | 'requests'
  | 'focusTokens'
  | 'focusClamped'
  | 'masked'
  | 'checked'
  | 'unverified'
  | 'unverifiedRate'
  | 'missingSections'
  | 'usage'
>;

export interface WrittenSummary {
  /** Text of the message that holds it. */
  readonly text: string;
  /** Messages that it stands for, those of earlier summaries included. */
  readonly count: number;
  readonly figures: SummaryFigures;
}

/** Rejects with E_SUMMARY (nothing new, cancelled, empty, cut), or as the model does. */
export async function writeSummary(job: SummaryJob): Promise<WrittenSummary> {
  const { messages, views, tokens, shown, standsFor, earlier, model, budget, signal, onEvent } = job;
  const source = sourceOf(messages, views, shown);
  const own = shown.reduce((sum, index) => sum + (summarisedIn(views[index]?.text ?? '') || 1), 0);
  // One earlier summary and nothing behind it is summarised already.
  if (source.pieces.length === 0 || (earlier === undefined && shown.length === 1 && own > 1)) {
    throw new ChittaError('E_SUMMARY', 'there is nothing new to summarise');
  }
  const pieces = earlier === undefined ? source.pieces : [earlierPiece(earlier.text), ...source.pieces];
  const chunks = splitFor(pieces, budget);
  const shownTokens = shown.reduce((sum, index) => sum + (tokens[index] ?? 0), 0);
  onEvent({ type: 'started', model: model.name, messages: shown.length, tokens: shownTokens, chunks: chunks.length });
  const onStage = (stage: SummaryStage, done: number, total: number): void =>
    onEvent({ type: 'stage', stage, done, total });
  const { summary, requests, usage } = await requestSummary(chunks, { model, budget, signal, onStage });
  onStage('verify', 0, 1);
  // All that it stands for, also where an earlier summary was sent in its place: what that one invented is no evidence.
  const whole = earlier === undefined ? source : sourceOf(messages, views, standsFor);
  const verified = verifySummary(summary, `${whole.evidence}\n${budget.focus ?? ''}`, whole.doubted);
  onStage('verify', 1, 1);
  const count = own + (earlier?.messages ?? 0);
  const { checked, unverified } = verified;
  return {
    text: summaryText(summary, count, verified),
    count,
    figures: {
      chunks: chunks.length,
      requests,
      focusTokens: budget.focusTokens,
      focusClamped: budget.focusClamped,
      masked: source.masked,
      checked,
      unverified,
      unverifiedRate: checked === 0 ? 0 : unverified.length / checked,
      missingSections: missingSections(summary),
      usage,
    },
  };
}
