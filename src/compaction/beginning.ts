/**
 * How a conversation that is left, and its last turn, have to begin so that the Messages API takes it: with a user's message, and
 * with thinking where the model began by thinking. Says what a selection must hold and leave out for that. Pure; linear.
 */
import { isTypedPrompt } from '../messages/typed.ts';
import type { Message } from '../messages/types.ts';
import { isResultBlock } from '../messages/view.ts';
import type { Item } from './strategy.ts';

/** What a selection has to do so that something begins as it must. */
export interface Demand {
  /** This message stays. */
  readonly hold: number;
  /** Nothing from here up to the held message is taken, unless it must stay. */
  readonly from: number;
}

/** A selection as it came out. */
export interface Survival {
  readonly isKept: (message: number) => boolean;
  /** Tokens to hold a message that is not kept. */
  readonly costOf: (message: number) => number;
  /** What may be held at most: the budget without what must stay. */
  readonly roomTokens: number;
}

interface Conversation {
  readonly messages: readonly Message[];
  readonly items: readonly Item[];
}

interface Start {
  readonly from: number;
  /** Messages that a beginning is made of; others are passed over. */
  readonly counts: (message: number) => boolean;
  readonly isRight: (message: number) => boolean;
  /** More than this it is not worth. */
  readonly maxTokens: number;
}

/** A prompt that costs no more than this share of the room is preferred to anything cheaper. */
const CHEAP_SHARE = 0.02;
/** Of what would be kept otherwise, at least this share must be: a beginning is not worth the conversation behind it. */
const LEAST_SHARE = 1 / 3;
const MAX_ROUNDS = 4;

function isAnswer({ content }: Message): boolean {
  return Array.isArray(content) && content.some(isResultBlock);
}

function startsWithThinking({ content }: Message): boolean {
  const type: unknown = Array.isArray(content) ? content[0]?.type : undefined;
  return type === 'thinking' || type === 'redacted_thinking';
}

/** What it takes that something begins with this message: to hold it, and to leave out what is kept before it. */
function demandOf(
  { from, counts, isRight, maxTokens }: Start,
  { messages, items }: Conversation,
  { isKept, costOf, roomTokens }: Survival,
): Demand | undefined {
  let hold: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  let lost = 0;
  let isWrong = false;
  for (let message = from; message < items.length && lost <= least; message++) {
    const kept = isKept(message);
    if (isRight(message)) {
      if (kept && !isWrong) return undefined;
      const tokens = kept ? 0 : costOf(message);
      const isCheap = tokens <= roomTokens * CHEAP_SHARE && isTypedPrompt(messages[message]!);
      const cost = lost + (isCheap ? 0 : tokens);
      if (tokens <= roomTokens && cost <= maxTokens && cost <= least) {
        hold = message;
        least = cost;
      }
    }
    const { role, protectedBy, tokens } = items[message]!;
    if (!kept || role === 'system') continue;
    isWrong ||= counts(message);
    if (protectedBy !== undefined) break;
    lost += tokens;
  }
  return hold === undefined || !isWrong ? undefined : { hold, from };
}

/**
 * So that what is left begins with a user's message: whatever it costs if the conversation did, else if it is cheap. Undefined
 * where it does, or nothing helps.
 */
function openingDemand(conversation: Conversation, survival: Survival): Demand | undefined {
  const { messages, items } = conversation;
  const counts = (message: number): boolean => items[message]!.role !== 'system';
  const first = items.findIndex((_, message) => counts(message) && survival.isKept(message));
  if (items[first]?.role !== 'assistant') return undefined;
  const isRight = (message: number): boolean => items[message]!.role === 'user' && !isAnswer(messages[message]!);
  const hasBegunRight = items.find(({ role }) => role !== 'system')?.role === 'user';
  const maxTokens = hasBegunRight ? Number.POSITIVE_INFINITY : survival.roomTokens * CHEAP_SHARE;
  return demandOf({ from: 0, counts, isRight, maxTokens }, conversation, survival);
}

/**
 * So that the last turn, which is all answers behind the last user's message that holds no results, begins with thinking if it
 * did. Thinking that is left out there would otherwise be missed by an API that is told to think.
 */
export function thinkingDemand(conversation: Conversation, survival: Survival): Demand | undefined {
  const { messages, items } = conversation;
  const opensTurn = (message: number): boolean => items[message]!.role === 'user' && !isAnswer(messages[message]!);
  const counts = (message: number): boolean => items[message]!.role === 'assistant';
  const isRight = (message: number): boolean => counts(message) && startsWithThinking(messages[message]!);
  const turn = items.findLastIndex((_, message) => opensTurn(message)) + 1;
  const first = items.findIndex((_, message) => message >= turn && counts(message));
  if (first < 0 || !isRight(first)) return undefined;
  const from = items.findLastIndex((_, message) => opensTurn(message) && survival.isKept(message)) + 1;
  return demandOf({ from, counts, isRight, maxTokens: Number.POSITIVE_INFINITY }, conversation, survival);
}

/** How units came out; each message is kept and paid for with its unit. */
export function unitSurvival(
  items: readonly Item[],
  budgetTokens: number,
  isKept: (message: number) => boolean,
  demands: readonly Demand[],
): Survival {
  const tokens = new Map<number, number>();
  for (const { unit, tokens: own } of items) tokens.set(unit, (tokens.get(unit) ?? 0) + own);
  const held = new Set(items.filter(({ protectedBy }) => protectedBy !== undefined).map(({ unit }) => unit));
  for (const { hold } of demands) held.add(items[hold]!.unit);
  let roomTokens = budgetTokens;
  for (const unit of held) roomTokens -= tokens.get(unit)!;
  return { isKept, costOf: (message) => tokens.get(items[message]!.unit)!, roomTokens };
}

/** The first thing in which what is left does not begin as it must. */
export function beginningDemand(conversation: Conversation, survival: Survival): Demand | undefined {
  return openingDemand(conversation, survival) ?? thinkingDemand(conversation, survival);
}

/** Whether a choice of so many tokens gives up too much against the one before it. */
export function givesUpTooMuch(nextTokens: number, beforeTokens: number): boolean {
  return nextTokens < beforeTokens * LEAST_SHARE;
}

/** Whether a message may not be taken for its own sake. */
export function isBarred(message: number, demands: readonly Demand[]): boolean {
  return demands.some(({ from, hold }) => message >= from && message < hold);
}

/**
 * Chooses, and chooses anew as long as something would not begin as it must. A choice that `isWorse` than the one before it is
 * not taken, and ends it.
 */
export function withBeginnings<Chosen>(
  choose: (demands: readonly Demand[]) => Chosen,
  unmet: (chosen: Chosen) => Demand | undefined,
  isWorse: (next: Chosen, before: Chosen) => boolean = () => false,
): Chosen {
  let demands: readonly Demand[] = [];
  let chosen = choose(demands);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const demand = unmet(chosen);
    if (demand === undefined) break;
    demands = [...demands, demand];
    const next = choose(demands);
    if (isWorse(next, chosen)) break;
    chosen = next;
  }
  return chosen;
}
