/**
 * The strategy port: what a rule for choosing survivors is told, and what it answers. The engine around it
 * (`compact.ts`) builds the items, and turns choices into messages and figures; a strategy only judges.
 */
import type { Message, Role } from '../messages/types.ts';

/** Why a message must stay, whatever the budget. `pair` = another message of its unit must. */
export type ProtectedReason = 'system' | 'last-prompt' | 'waiting-call' | 'pinned' | 'pair';

/**
 * Why an item ended where it did. `prompt`, `recent`: taken before anything competes; `opening`: what is left, or its last turn,
 * could not begin without it; `needed`: what it holds is likely needed later; `kept-elsewhere`: what it holds of worth is kept in another message.
 */
export type Reason =
  | ProtectedReason
  | 'prompt'
  | 'opening'
  | 'recent'
  | 'needed'
  | 'within-budget'
  | 'over-budget'
  | 'kept-elsewhere'
  | 'covered'
  | 'own-mark';

/** `stub`: of its texts and results nothing but what they were is left. */
export type Action = 'keep' | 'excerpt' | 'stub' | 'drop';

/** `whole`: messages survive as they are or not at all. `excerpt`: texts and results may survive as runs of their lines. */
export type Detail = 'whole' | 'excerpt';

/** One message to judge. */
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
}

export interface StrategyInput {
  readonly messages: readonly Message[];
  /** One for each message, in conversation order. */
  readonly items: readonly Item[];
  readonly budgetTokens: number;
  readonly detail: Detail;
  /** What the next step is about. */
  readonly query: string | undefined;
  /** Texts of live memories in scope that may hold what the messages hold. */
  readonly memories: readonly string[];
  /** Tokens of a message, as the items are priced. */
  readonly price: (message: Message) => number;
}

/** Lines of one text that are kept. */
export interface KeptLines {
  /** Which part of the message (`partsOf`), and which field of it. */
  readonly place: readonly [part: number, field: number];
  /** `text`, `result`, or the key of a tool input. */
  readonly field: string;
  /** Lines the text has. */
  readonly of: number;
  /** First and last line, from 0. */
  readonly lines: readonly (readonly [first: number, last: number])[];
}

/** The verdict on the item of the same position. */
export interface Choice {
  readonly action: Action;
  readonly reason: Reason;
  readonly score: number;
  /** For `excerpt` and `stub`: what is left of the message. */
  readonly excerpt?: Message;
  /** For `excerpt` and `stub`: the texts that are shortened. */
  readonly kept?: readonly KeptLines[];
  /** Names that earned it its place, or that go with it; best first. Found when asked for. */
  readonly names?: () => readonly string[];
}

export interface Chosen {
  /** One per item, units and pairs not split. */
  readonly choices: readonly Choice[];
  /** A message of marks that names what was dropped; stands in front of the conversation. */
  readonly pointers?: Message | undefined;
}

/** Pure and deterministic: the same input gives the same choices. */
export type Strategy = (input: StrategyInput) => Chosen;
