/**
 * How likely a thing is needed later, by where it stood and how long ago. The rates are near what was counted on recorded
 * sessions; selection hardly depends on their exact values (docs/retention.md says what each is worth).
 */
import type { IdentifierKind } from './identifiers.ts';

/** Where an identifier stood. A summary stands for everything before it, so it never grows old. */
export type Place = 'input' | 'assistant' | 'prompt' | 'result' | 'read' | 'shell' | 'search';

export const PLACES: readonly Place[] = ['input', 'assistant', 'prompt', 'result', 'read', 'shell', 'search'];

/** Chance that an identifier comes back in a tool call, for each kind of place it stood in. */
export const PLACE_RATES: readonly number[] = [0.07, 0.05, 0.05, 0.05, 0.027, 0.016, 0.008];

/** An identifier that the query names. */
export const QUERY_FACTOR = 2.5;
/** An identifier that the agent's last texts name. */
export const TALK_FACTOR = 1.5;
/** An identifier that never stood alone, only as part of a longer one. */
export const PART_FACTOR = 0.1;

/** What a memory holds is worth half: it can be got back, if one thinks of asking. */
export const COVERED_FACTOR = 0.5;

/** Chance that a line of code is edited: as written or put there by the agent, as an edit's result, as read. */
export const CODE_RATES = { written: 0.09, edited: 0.06, read: 0.027 } as const;
/** A line of code with an identifier that the query or the agent's last texts name. */
export const TALK_CODE_FACTOR = 5;
/** So many of the agent's newest texts count as what it talks about. */
export const TALK_TEXTS = 3;
/** The first lines of a failed call, and those that speak of an error. */
export const ERROR_RATE = 0.2;
/** Code of data and lock files is rarely edited by hand. */
export const DATA_FACTOR = 0.2;

/** Files by their last call, newest first: the one at hand, the one before it, two more, all others. */
const FOCUS: readonly number[] = [4, 1, 0.6, 0.6, 0.2];
/** From this share of the tokens on, every file has room, and the focus is off; at the lower one it is full. */
const FOCUS_OFF_RATIO = 0.4;
const FOCUS_FULL_RATIO = 0.1;

/** Factor of a line by the rank of its file; steep when little is kept, 1 for all when much is. */
export function focusOf(rank: number, keptRatio: number): number {
  const full = (FOCUS_OFF_RATIO - keptRatio) / (FOCUS_OFF_RATIO - FOCUS_FULL_RATIO);
  const factor = FOCUS[Math.min(rank, FOCUS.length - 1)] ?? 1;
  return factor ** Math.min(1, Math.max(0, full));
}

const HALF_AGE_TOKENS = 1_000;
const IDENTIFIER_DECAY = 0.6;
const CODE_DECAY = 0.8;

/** What is left of a chance after so many tokens: 1 for the newest, a long tail behind. */
export function freshness(ageTokens: number, kind: IdentifierKind | 'code' | 'error'): number {
  return (HALF_AGE_TOKENS / (HALF_AGE_TOKENS + ageTokens)) ** (kind === 'code' ? CODE_DECAY : IDENTIFIER_DECAY);
}
