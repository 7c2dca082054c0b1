/** What a summary came to. */
import type { Message, WireMessage } from '../messages/types.ts';
import type { SummaryLink } from './chain.ts';

export interface SummaryReport {
  /** Provider and model. */
  readonly model: string;
  /** Tokens of the window that prompts were made for; undefined: none is declared, and nothing was split. */
  readonly window: number | undefined;
  /** Messages of the input that the summary stands for now. */
  readonly summarised: number;
  /** Messages that stayed as they were. */
  readonly kept: number;
  readonly beforeTokens: number;
  readonly afterTokens: number;
  /** `beforeTokens` − `afterTokens`. */
  readonly freedTokens: number;
  readonly summaryTokens: number;
  /** Parts that the conversation was split into, and requests made. */
  readonly chunks: number;
  readonly requests: number;
  readonly focusTokens: number;
  /** The focus was longer than a quarter of the window, and cut. */
  readonly focusClamped: boolean;
  /** Secrets that the model was not shown. */
  readonly masked: number;
  /** Names and numbers in the summary, and which of them do not stand in the source. */
  readonly checked: number;
  readonly unverified: readonly string[];
  /** `unverified` of `checked`, 0 to 1. */
  readonly unverifiedRate: number;
  /** Sections that the model left out. */
  readonly missingSections: readonly string[];
  /** What the provider counted over all requests, where it did. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** A stored summary still fits: no model was asked. */
  readonly reused: boolean;
  /** Place in the chain of the session's summaries; 1 for the first. */
  readonly generation: number;
}

export interface SummaryResult<M extends WireMessage = Message> {
  /** The conversation with the summary in it; all others are the caller's own objects. */
  readonly messages: readonly M[];
  /** Text of the message that holds the summary. */
  readonly summary: string;
  /** What a next summary of the same session goes on from; undefined where messages have no ids. */
  readonly link: SummaryLink | undefined;
  readonly report: SummaryReport;
}
