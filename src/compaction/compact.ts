/**
 * Which messages survive a compaction, whole or in excerpts. Pure and deterministic: the same input gives the same survivors
 * everywhere. Never separates a tool call from its result, never reorders, never writes a line of its own but marks.
 */
import { ChittaError } from '../errors.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import { estimateViewTokens } from '../tokens/message.ts';
import { formula } from './formula.ts';
import { itemsOf, type KnownScores } from './items.ts';
import { need } from '../need/need.ts';
import type { Choice, Detail, Item, Strategy } from './strategy.ts';

/** Rules for choosing survivors, by the name callers use. */
export const STRATEGIES: Readonly<Record<string, Strategy>> = { need, formula };

export const DEFAULT_STRATEGY = 'need';

export const DEFAULT_TARGET_RATIO = 0.4;

export interface CompactOptions extends KnownScores {
  /** Tokens that may stay; goes before `targetRatio`. */
  readonly budgetTokens?: number | undefined;
  /** Share of the tokens that may stay, 0.05–1. */
  readonly targetRatio?: number | undefined;
  /** `need` unless told otherwise. */
  readonly strategy?: Strategy | undefined;
  /** `whole` unless told otherwise. */
  readonly detail?: Detail | undefined;
  /** What the next step is about. */
  readonly query?: string | undefined;
  /** Texts of live memories in scope: what they hold is worth less in the context. */
  readonly memories?: readonly string[] | undefined;
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
  /** Survivors in order: the caller's own objects, but for excerpts and, in front of them, the list of what was dropped. */
  readonly messages: readonly Message[];
  readonly verdicts: readonly Verdict[];
  readonly beforeTokens: number;
  readonly afterTokens: number;
  readonly budgetTokens: number;
  /** What must stay is by itself larger than the budget. */
  readonly overBudget: boolean;
  /** Dropped messages that the memory covers. */
  readonly covered: number;
  readonly dropped: number;
  /** Messages kept in part. */
  readonly excerpted: number;
  /** Of `afterTokens`, the list of what was dropped. */
  readonly pointerTokens: number;
}

/** How messages are priced: by the caller's counter, else by the estimate. */
function pricing(countTokens: CompactOptions['countTokens']): (message: Message) => number {
  if (countTokens === undefined) return (message) => estimateViewTokens(viewOf(message));
  return (message) => {
    const count: unknown = countTokens(message);
    // A promise, as of a tokenizer elsewhere, would count as nothing, and nothing would be dropped.
    if (typeof count !== 'number' || !Number.isFinite(count) || count < 0) {
      throw new ChittaError('E_PARAM_INVALID', `countTokens answered ${String(count)}, which is no number of tokens`, {
        field: 'countTokens',
        hint: 'count synchronously, and answer with a number of 0 or more',
      });
    }
    return count;
  };
}

/** Where the list of what was dropped stands: behind the system messages that lead. */
function withPointers(survivors: readonly Message[], pointers: Message, items: readonly Item[]): readonly Message[] {
  const leading = items.findIndex(({ role }) => role !== 'system');
  const at = leading < 0 ? items.length : leading;
  return [...survivors.slice(0, at), pointers, ...survivors.slice(at)];
}

/** Compacts `messages` to a budget. Nearly linear; never throws on content, but E_PARAM_INVALID where the counter does not count. */
export function compactMessages(messages: readonly Message[], options: CompactOptions = {}): Compaction {
  const { countTokens, pinned, query, detail = 'whole', memories = [], strategy = need } = options;
  const views = options.views ?? messages.map(viewOf);
  const price = pricing(countTokens);
  const prices = countTokens === undefined ? views.map(estimateViewTokens) : messages.map(price);
  const items = itemsOf(messages, views, prices, options, pinned);
  const beforeTokens = items.reduce((sum, item) => sum + item.tokens, 0);
  const budgetTokens = options.budgetTokens ?? Math.floor(beforeTokens * (options.targetRatio ?? DEFAULT_TARGET_RATIO));
  const { choices, pointers } = strategy({ messages, items, budgetTokens, detail, query, memories, price });
  const verdicts: Verdict[] = [];
  const survivors: Message[] = [];
  let afterTokens = 0;
  let covered = 0;
  let excerpted = 0;
  items.forEach((item, index) => {
    const choice = choices[index];
    const message = messages[index];
    if (choice === undefined || message === undefined) return;
    verdicts.push({ item, choice });
    if (choice.action === 'drop') {
      if (choice.reason === 'covered') covered += 1;
      return;
    }
    if (choice.excerpt !== undefined) excerpted += 1;
    survivors.push(choice.excerpt ?? message);
    afterTokens += choice.excerpt === undefined ? item.tokens : price(choice.excerpt);
  });
  const pointerTokens = pointers === undefined ? 0 : price(pointers);
  afterTokens += pointerTokens;
  return {
    messages: pointers === undefined ? survivors : withPointers(survivors, pointers, items),
    verdicts,
    beforeTokens,
    afterTokens,
    budgetTokens,
    overBudget: afterTokens > budgetTokens,
    covered,
    dropped: messages.length - survivors.length,
    excerpted,
    pointerTokens,
  };
}
