/**
 * How a provider counts, compared with the estimate: what new messages cost is scaled by it, since a tokenizer may be a good deal
 * denser than the estimate takes it to be. Pure.
 */
import { estimateMessageTokens } from '../tokens/message.ts';
import { countAll } from './sheet.ts';
import type { Measured, PlanMemory, PlanState } from './state.ts';

/** The same messages, as counted and as estimated. */
export interface Rate {
  readonly counted: number;
  readonly estimated: number;
}

/** Fewer estimated tokens say nothing yet. */
const LEAST_TOKENS = 200;
/** Estimates are never scaled down, and no tokenizer is twice as dense: what says so has counted something else as well. */
const MOST_SCALE = 2;
/** Older counts weigh less and less, so that the rate follows what the conversation is about. */
const MOST_TOKENS = 50_000;

/** Two counts of the same request. */
function isSame(one: Measured | undefined, other: Measured | undefined): boolean {
  return one !== undefined && one.tokens === other?.tokens && one.messages === other.messages;
}

function joined(rate: Rate | undefined, counted: number, estimated: number): Rate | undefined {
  if (counted <= 0 || estimated <= 0) return rate;
  const fade = rate === undefined || rate.estimated < MOST_TOKENS ? 1 : MOST_TOKENS / rate.estimated;
  return {
    counted: (rate?.counted ?? 0) * fade + counted,
    estimated: (rate?.estimated ?? 0) * fade + estimated,
  };
}

/**
 * The rate after what a provider counted since the last plan, and its count. Two counts are compared by what came between them,
 * since nobody knows what else stands in a request. Linear in what is new.
 */
export function learn(
  { messages, measured }: PlanState,
  { rate, last, own }: PlanMemory,
): { readonly rate: Rate | undefined; readonly last: Measured | undefined } {
  // A plan writes its own sizes there, which are estimates themselves.
  if (measured === undefined || measured.messages > messages.length || isSame(measured, own)) return { rate, last };
  if (last === undefined || measured.messages <= last.messages) return { rate, last: measured };
  const estimated = countAll(messages.slice(last.messages, measured.messages), estimateMessageTokens);
  return { rate: joined(rate, measured.tokens - last.tokens, estimated), last: measured };
}

/** By how much an estimate is to be scaled, 1 to 2. */
export function scaleOf(rate: Rate | undefined): number {
  if (rate === undefined || rate.estimated < LEAST_TOKENS) return 1;
  return Math.min(MOST_SCALE, Math.max(1, rate.counted / rate.estimated));
}
