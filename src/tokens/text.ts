/**
 * Tokens of a text for caps and budgets that must hold: leans to the upper side.
 */
import { MOST, weigh } from './costs.ts';

/**
 * Tokens of `text`, estimated from above: a whole number ≥ 0, about 4 characters per token on English prose.
 *
 * Against o200k (bench/tokens). Linear; never throws, also on lone surrogates.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(weigh(text, MOST));
}
