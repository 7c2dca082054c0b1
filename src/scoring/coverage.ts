/**
 * How much of a message the memory already holds: the likeness of the nearest memories, and only of those that say the
 * same. Pure numbers; which rows may count at all (scope, status, origin) is decided where they are looked up.
 */
import { isBoundOtherwise } from './binding.ts';
import { differenceBetween } from './contradiction.ts';
import { factsOf, type Facts } from './facts.ts';

/** So many nearest memories are looked at. */
export const NEAREST = 3;

/** What a memory that is only similar counts at most: below a half, it does not cover. */
export const SIMILAR_ONLY = 0.49;

/** A memory near a message. */
export interface NearMemory {
  /** −1..1. */
  readonly cosine: number;
  /** Masked, as stored. */
  readonly text: string;
}

function clamp(value: number): number {
  return value > 0 ? Math.min(value, 1) : 0;
}

/**
 * Coverage of a message, 0..1: the highest cosine among the three nearest memories, where one that differs in numbers, names,
 * negation or in what belongs to what counts 0.49 at most. `text` is the message's, masked. No memory: 0. Never throws.
 */
export function coverageOf(text: string, memories: readonly NearMemory[]): number {
  const nearest = memories.toSorted((a, b) => b.cosine - a.cosine).slice(0, NEAREST);
  let facts: Facts | undefined;
  let coverage = 0;
  for (const memory of nearest) {
    let value = clamp(memory.cosine);
    if (value <= coverage) continue;
    if (value > SIMILAR_ONLY) {
      facts ??= factsOf(text);
      const differs = differenceBetween(facts, factsOf(memory.text)) !== undefined;
      if (differs || isBoundOtherwise(text, memory.text)) value = SIMILAR_ONLY;
    }
    coverage = Math.max(coverage, value);
  }
  return coverage;
}
