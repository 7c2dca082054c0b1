/**
 * Which messages survive a compaction. Pure and deterministic: the same input gives the same survivors everywhere.
 * Never separates a tool call from its result, never changes, reorders or invents a message.
 */
import type { Message, MessageView } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import { estimateViewTokens } from '../tokens/message.ts';
import { COVERED_FROM, formula } from './formula.ts';
import { itemsOf, type KnownScores } from './items.ts';
import type { Choice, Item, Strategy } from './strategy.ts';

/** Rules for choosing survivors, by the name callers use. */
export const STRATEGIES: Readonly<Record<string, Strategy>> = { formula };

export const DEFAULT_TARGET_RATIO = 0.4;

export interface CompactOptions extends KnownScores {
  /** Tokens that may stay; goes before `targetRatio`. */
  readonly budgetTokens?: number | undefined;
  /** Share of the tokens that may stay, 0.05–1. */
  readonly targetRatio?: number | undefined;
  readonly strategy?: Strategy | undefined;
  /** Price of a message in tokens, where the caller knows better than the estimate. Anything below 0 counts as 0. */
  readonly countTokens?: ((message: Message) => number) | undefined;
  /** The messages' own views, where they have been read already. */
  readonly views?: readonly MessageView[] | undefined;
  /** Messages that must stay, such as a harness's plan. */
  readonly pinned?: ((message: Message) => boolean) | undefined;
}

/** The verdict on one message. */
export interface Verdict {
  readonly item: Item;
  readonly choice: Choice;
}

export interface Compaction {
  /** Survivors: the caller's own objects, in order. */
  readonly messages: readonly Message[];
  readonly verdicts: readonly Verdict[];
  readonly beforeTokens: number;
  readonly afterTokens: number;
  readonly budgetTokens: number;
  /** What must stay is by itself larger than the budget. */
  readonly overBudget: boolean;
  /** Dropped messages that the memory covers. */
  readonly covered: number;
}

function pricesOf(
  messages: readonly Message[],
  views: readonly MessageView[],
  countTokens: CompactOptions['countTokens'],
): number[] {
  if (countTokens === undefined) return views.map(estimateViewTokens);
  return messages.map((message) => {
    const count = countTokens(message);
    return Number.isFinite(count) && count > 0 ? count : 0;
  });
}

/** Compacts `messages` to a budget. Linear but for one sort of the units; never throws on content. */
export function compactMessages(messages: readonly Message[], options: CompactOptions = {}): Compaction {
  const views = options.views ?? messages.map(viewOf);
  const items = itemsOf(messages, views, pricesOf(messages, views, options.countTokens), options, options.pinned);
  const beforeTokens = items.reduce((sum, item) => sum + item.tokens, 0);
  const budgetTokens = options.budgetTokens ?? Math.floor(beforeTokens * (options.targetRatio ?? DEFAULT_TARGET_RATIO));
  const choices = (options.strategy ?? formula)({ items, budgetTokens });
  const verdicts: Verdict[] = [];
  const survivors: Message[] = [];
  let afterTokens = 0;
  let covered = 0;
  items.forEach((item, index) => {
    const choice = choices[index];
    const message = messages[index];
    if (choice === undefined || message === undefined) return;
    verdicts.push({ item, choice });
    if (choice.action !== 'drop') {
      survivors.push(message);
      afterTokens += item.tokens;
    } else if (item.coverage >= COVERED_FROM) {
      covered += 1;
    }
  });
  return {
    messages: survivors,
    verdicts,
    beforeTokens,
    afterTokens,
    budgetTokens,
    overBudget: afterTokens > budgetTokens,
    covered,
  };
}
