/**
 * The strategy port: what a rule for choosing survivors is told, and what it answers. The engine around it
 * (`compact.ts`) builds the items, keeps units whole, and turns choices into messages; a strategy only judges.
 */
import type { Role } from '../messages/types.ts';

/** Why a message must stay, whatever the budget. `pair` = another message of its unit must. */
export type ProtectedReason = 'system' | 'last-prompt' | 'waiting-call' | 'pinned' | 'pair';

/** Why an item ended where it did. */
export type Reason = ProtectedReason | 'within-budget' | 'over-budget' | 'covered' | 'own-mark';

export type Action = 'keep' | 'excerpt' | 'stub' | 'drop';

/** One thing to judge: a message, or a part of one for strategies that cut inside messages. */
export interface Item {
  /** Index of the message in the input. */
  readonly message: number;
  /** Unit the item lives and dies with; equal numbers stand together. Units are numbered by their first message. */
  readonly unit: number;
  readonly role: Role;
  /** Role weights by what the item holds: a tool result inside a user message weighs as tool. */
  readonly roleWeight: number;
  readonly tokens: number;
  /** Tokens of everything newer than this item. */
  readonly ageTokens: number;
  /** Position among the non-system messages, 0.1 (oldest) to 1 (newest). */
  readonly recency: number;
  /** 0..1; 0.5 when there is no query or vectors are not complete. */
  readonly similarity: number;
  /** 0..1; 0 when unknown. */
  readonly coverage: number;
  readonly protectedBy: ProtectedReason | undefined;
  /** Nothing but chitta's own marks: first to go, never scored. */
  readonly ownMark: boolean;
  /** Searchable text of the item (see `searchTextOf`), made when a strategy asks for it. */
  text(): string;
}

export interface StrategyInput {
  /** In conversation order. */
  readonly items: readonly Item[];
  readonly budgetTokens: number;
}

/** The verdict on the item of the same position. */
export interface Choice {
  readonly action: Action;
  readonly reason: Reason;
  readonly score: number;
  /** For `excerpt`: kept line ranges of the item's text, first and last line, from 0. */
  readonly lines?: readonly (readonly [first: number, last: number])[];
}

/** Pure and deterministic: the same input gives the same choices. One choice per item, units not split. */
export type Strategy = (input: StrategyInput) => readonly Choice[];
