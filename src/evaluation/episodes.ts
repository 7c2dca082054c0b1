/** Where a segment is cut into a context that is compacted and a future that shows what was needed of it. */
import type { Message } from '../messages/types.ts';
import { isPrompt } from './normalise.ts';
import { blocksOf } from './reading.ts';
import type { TokenCounter } from './tokens.ts';

/** Shorter segments are never full enough to be compacted. */
export const MIN_SEGMENT_TOKENS = 15_000;
const MIN_CONTEXT_TOKENS = 8_000;
const MIN_FUTURE_MESSAGES = 15;
/** Shares of a segment's tokens near which it is cut. */
const CUT_AT = [0.4, 0.6, 0.8] as const;
/** Within this share of the tokens a cut after a typed prompt goes before a nearer one. */
const PROMPT_REACH = 0.06;
const REACH = 0.15;
const MAX_QUERY = 4_000;

interface Place {
  /** Messages before the cut. */
  readonly count: number;
  readonly tokens: number;
  readonly afterPrompt: boolean;
}

function nearest(places: readonly Place[], goal: number): Place | undefined {
  let best: Place | undefined;
  for (const place of places) {
    if (best === undefined || Math.abs(place.tokens - goal) < Math.abs(best.tokens - goal)) best = place;
  }
  return best;
}

/** How many messages stand before each cut; none for a segment that is too short. Cuts stand after a user's message. */
export function cutsOf(messages: readonly Message[], counter: TokenCounter): number[] {
  const total = counter.messages(messages);
  if (total < MIN_SEGMENT_TOKENS) return [];
  const places: Place[] = [];
  let tokens = 0;
  for (const [index, message] of messages.entries()) {
    tokens += counter.message(message);
    const count = index + 1;
    if (message.role !== 'user' || messages[count]?.role !== 'assistant') continue;
    if (tokens < MIN_CONTEXT_TOKENS || messages.length - count < MIN_FUTURE_MESSAGES) continue;
    places.push({ count, tokens, afterPrompt: isPrompt(message) });
  }
  const cuts: number[] = [];
  for (const share of CUT_AT) {
    const goal = share * total;
    const prompts = places.filter((place) => place.afterPrompt && Math.abs(place.tokens - goal) < PROMPT_REACH * total);
    const best = nearest(prompts.length > 0 ? prompts : places, goal);
    if (best === undefined || Math.abs(best.tokens - goal) >= REACH * total) continue;
    if (!cuts.includes(best.count)) cuts.push(best.count);
  }
  return cuts;
}

function textsOf(message: Message): string[] {
  return blocksOf(message).flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
}

/** What the next step is about: the newest typed prompt, else the newest text of a user's message. */
export function queryOf(context: readonly Message[]): string {
  const prompt = context.findLast(isPrompt);
  if (prompt !== undefined) return textsOf(prompt).join('\n').slice(0, MAX_QUERY);
  const other = context.findLast((message) => message.role === 'user' && textsOf(message).length > 0);
  return other === undefined ? '' : (textsOf(other)[0] ?? '').slice(0, MAX_QUERY);
}
