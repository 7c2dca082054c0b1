/** Turns messages into the items a strategy judges. */
import { pairUp } from '../messages/pairs.ts';
import { isOwnMark } from '../messages/search-text.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { unitsOf } from '../messages/units.ts';
import { NEUTRAL_SIMILARITY, recencies, roleWeightOf } from '../scoring/formula.ts';
import { protectedReasons } from './protect.ts';
import type { Item } from './strategy.ts';

/** What similarity and coverage are known; positions are those of the messages. */
export interface KnownScores {
  readonly similarity?: readonly (number | undefined)[] | undefined;
  readonly coverage?: readonly (number | undefined)[] | undefined;
}

/** Clamped to 0..1; anything that is no number counts as `absent`. */
function unitInterval(value: number | undefined, absent: number): number {
  return value === undefined || Number.isNaN(value) ? absent : Math.min(1, Math.max(0, value));
}

/**
 * Items in conversation order, one for each message with its view and price. `similarity` is all or nothing: complete for
 * every message with text, or neutral.
 */
export function itemsOf(
  messages: readonly Message[],
  views: readonly MessageView[],
  tokens: readonly number[],
  known: KnownScores,
  pinned: ((message: Message) => boolean) | undefined,
): Item[] {
  const pairing = pairUp(views);
  const units = unitsOf(messages.length, pairing);
  const reasons = protectedReasons(messages, views, units, pairing, pinned);
  const recency = recencies(views.map((view) => view.role));
  let ageTokens = tokens.reduce((sum, count) => sum + count, 0);
  return views.map((view, index) => {
    const own = tokens[index] ?? 0;
    ageTokens -= own;
    return {
      message: index,
      unit: units[index] ?? index,
      role: view.role,
      roleWeight: roleWeightOf(view),
      tokens: own,
      ageTokens,
      recency: recency[index] ?? 1,
      similarity: known.similarity === undefined ? NEUTRAL_SIMILARITY : unitInterval(known.similarity[index], 0),
      coverage: unitInterval(known.coverage?.[index], 0),
      protectedBy: reasons[index],
      ownMark: isOwnMark(view),
    };
  });
}
