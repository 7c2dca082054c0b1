/**
 * The `need` strategy: keeps what is likely needed later and stands nowhere else. Worth is counted over identifiers and lines
 * (`features.ts`, `rates.ts`), taken by worth per token (`selection.ts`), and written out as lines of the input (`write.ts`).
 */
import {
  beginningDemand,
  type Demand,
  isBarred,
  givesUpTooMuch,
  thinkingDemand,
  unitSurvival,
  withBeginnings,
} from '../compaction/beginning.ts';
import { COVERED_FROM } from '../compaction/formula.ts';
import type { Choice, Chosen, Item, Reason, Strategy, StrategyInput } from '../compaction/strategy.ts';
import { writeMark } from '../messages/marks.ts';
import type { Message } from '../messages/types.ts';
import { Draft, type Drawn, fit } from './draft.ts';
import { Explanation, type FirstReason } from './explain.ts';
import { takeFirst, thingsByMessage } from './first.ts';
import { type Material, materialOf, MESSAGE_FRAME } from './material.ts';
import { pointersOf } from './pointers.ts';
import { COVERED_FACTOR, freshness, TALK_TEXTS } from './rates.ts';
import { Selection } from './selection.ts';
import { unitMaterialOf } from './units.ts';
import type { Written } from './write.ts';

/** Share of the budget for the list of what was dropped. */
const POINTERS_SHARE = 0.02;

/** The newest texts of the agent, and the query: what the work is about. */
function talkOf({ items, query }: StrategyInput, { parts }: Material): string {
  const texts: string[] = [];
  for (let message = items.length - 1; message >= 0 && texts.length < TALK_TEXTS; message--) {
    if (items[message]!.role !== 'assistant') continue;
    for (const { kind, fields } of parts[message]!) if (kind === 'text') texts.push(fields[0]?.text ?? '');
  }
  return [...texts, query ?? ''].join('\n');
}

/** What everything in a conversation is worth. */
interface Worths {
  readonly worth: Float64Array;
  /** Features that a memory holds too. */
  readonly inMemory: ReadonlySet<number>;
  /** What those count of their worth. */
  readonly coveredFactor: number;
}

function worthsOf(input: StrategyInput, material: Material, coveredFactor: number): Worths {
  const { items, budgetTokens, query, memories } = input;
  const total = items.reduce((sum, { tokens }) => sum + tokens, 0);
  const { features } = material;
  const worth = features.worth(
    total > 0 ? budgetTokens / total : 1,
    features.within(query ?? ''),
    features.within(talkOf(input, material)),
  );
  const inMemory = new Set(memories.flatMap((text) => [...features.within(text)]));
  for (const feature of inMemory) worth[feature]! *= coveredFactor;
  return { worth, inMemory, coveredFactor };
}

function factorOf({ message, coverage, ownMark }: Item, coveredFactor: number, demands: readonly Demand[]): number {
  if (ownMark || isBarred(message, demands)) return 0;
  return coverage >= COVERED_FROM ? coveredFactor : 1;
}

/** A selection in which nothing is taken yet. */
function selectionOf(
  { items }: StrategyInput,
  material: Material,
  worths: Worths,
  demands: readonly Demand[],
): Selection {
  const { worth, coveredFactor } = worths;
  return new Selection(material, {
    worth,
    freshness: items.map(({ ageTokens }) => freshness(ageTokens, 'error')),
    factor: items.map((item) => factorOf(item, coveredFactor, demands)),
  });
}

/** A selection that is done, and why it took what it took first. */
interface Selected {
  readonly selection: Selection;
  readonly reasons: ReadonlyMap<number, FirstReason>;
}

function reasonOf(item: Item, isKept: boolean, explanation: Explanation): Reason {
  if (isKept) return item.protectedBy ?? explanation.reasonKept(item.message);
  if (item.ownMark) return 'own-mark';
  if (item.coverage >= COVERED_FROM || explanation.isInMemory(item.message)) return 'covered';
  return explanation.isElsewhere(item.message) ? 'kept-elsewhere' : 'over-budget';
}

function choiceOf(item: Item, original: Message, { message, kept, isStub }: Written, explanation: Explanation): Choice {
  const common = {
    score: explanation.scoreOf(item),
    reason: reasonOf(item, message !== undefined, explanation),
    names: () => explanation.namesOf(item.message, message !== undefined),
  };
  if (message === undefined) return { action: 'drop', ...common };
  if (message === original) return { action: 'keep', ...common };
  return { action: isStub ? 'stub' : 'excerpt', excerpt: message, kept, ...common };
}

/** Whole units by worth per token. */
function chooseWhole(input: StrategyInput, coveredFactor: number): Chosen {
  const { messages, items, budgetTokens } = input;
  const read = materialOf(messages, items);
  const material = unitMaterialOf(read, items);
  const worths = worthsOf(input, material, coveredFactor);
  const things = thingsByMessage(material);
  const choose = (demands: readonly Demand[]): Selected & { demands: readonly Demand[] } => {
    const selection = selectionOf(input, material, worths, demands);
    const reasons = takeFirst(selection, material, input, demands);
    // A prompt may stand in a unit that is larger than itself.
    if (selection.usedTokens > budgetTokens) selection.giveBack(selection.usedTokens - budgetTokens);
    selection.fill(budgetTokens);
    return { selection, reasons, demands };
  };
  const isKeptBy = (selection: Selection) => (message: number) => selection.isOpen(things[message]![0]!);
  const { selection, reasons } = withBeginnings(
    choose,
    (chosen) => beginningDemand(input, unitSurvival(items, budgetTokens, isKeptBy(chosen.selection), chosen.demands)),
    (next, before) => givesUpTooMuch(next.selection.usedTokens, before.selection.usedTokens),
  );
  const isKept = isKeptBy(selection);
  // Of each message by itself, not of its unit.
  const explanation = new Explanation(read, { selection, ...worths }, reasons);
  const choices = items.map((item) => {
    const message = messages[item.message]!;
    const left = isKept(item.message) ? message : undefined;
    return choiceOf(item, message, { message: left, kept: [], isStub: false }, explanation);
  });
  return { choices };
}

function gapOf(count: number): Message {
  return { role: 'user', content: writeMark('gap', [], count === 1 ? '1 message' : `${count} messages`) };
}

/** A mark for the user's turn that is gone, where what is left would begin with an answer: not every API takes that. */
function openingOf(
  written: readonly Written[],
  { items, price }: StrategyInput,
  roomTokens: number,
): Message | undefined {
  const first = items.findIndex(({ role }) => role !== 'system');
  const firstLeft = items.findIndex(
    ({ role, message }) => role !== 'system' && written[message]!.message !== undefined,
  );
  if (items[first]?.role !== 'user' || items[firstLeft]?.role !== 'assistant') return undefined;
  const gap = gapOf(firstLeft - first);
  return price(gap) <= roomTokens ? gap : undefined;
}

/** Excerpts that fit into `budgetTokens`, and begin as they must if that fits too. */
function fitExcerpts(input: StrategyInput, material: Material, worths: Worths, budgetTokens: number): Selected & Drawn {
  const draft = new Draft(input, material);
  const things = thingsByMessage(material);
  const protectedTokens = input.items.reduce(
    (sum, item) => sum + (item.protectedBy === undefined ? 0 : item.tokens),
    0,
  );
  const choose = (demands: readonly Demand[]): Selected & Drawn => {
    const selection = selectionOf(input, material, worths, demands);
    const reasons = takeFirst(selection, material, input, demands);
    return { selection, reasons, ...fit(selection, draft, budgetTokens) };
  };
  const stubTokens = (message: number): number =>
    things[message]!.reduce((least, thing) => Math.min(least, material.stubs[thing]!.tokens), Number.POSITIVE_INFINITY);
  return withBeginnings(
    choose,
    ({ written }) =>
      thinkingDemand(input, {
        isKept: (message) => written[message]!.message !== undefined,
        costOf: (message) => MESSAGE_FRAME + material.thinking[message]! + stubTokens(message),
        roomTokens: budgetTokens - protectedTokens,
      }),
    (next, before) => next.tokens > budgetTokens && next.tokens > before.tokens,
  );
}

/** Texts and calls in excerpts, with a list of what was dropped in front. */
function chooseExcerpt(input: StrategyInput, coveredFactor: number): Chosen {
  const { messages, items, budgetTokens } = input;
  const material = materialOf(messages, items);
  const worths = worthsOf(input, material, coveredFactor);
  const pointerTokens = Math.floor(budgetTokens * POINTERS_SHARE);
  const reservedTokens = Math.max(pointerTokens, input.price(gapOf(messages.length)));
  const fitted = fitExcerpts(input, material, worths, budgetTokens - reservedTokens);
  const { selection, reasons, written, tokens } = fitted;
  const room = budgetTokens - tokens;
  const pointers = pointersOf(material, selection, worths.worth, messages, Math.min(pointerTokens, room), input.price);
  const explanation = new Explanation(material, { selection, ...worths }, reasons);
  return {
    choices: items.map((item) => choiceOf(item, messages[item.message]!, written[item.message]!, explanation)),
    pointers: pointers ?? openingOf(written, input, room),
  };
}

/** All there is, where all of it fits. */
function chooseAll(input: StrategyInput, coveredFactor: number): Chosen {
  const { messages, items } = input;
  const material = materialOf(messages, items);
  const worths = worthsOf(input, material, coveredFactor);
  const selection = selectionOf(input, material, worths, []);
  material.things.forEach((_, thing) => selection.takeWhole(thing));
  const explanation = new Explanation(material, { selection, ...worths }, new Map());
  const choices = items.map((item) => ({
    action: 'keep' as const,
    reason: item.protectedBy ?? ('within-budget' as const),
    score: explanation.scoreOf(item),
    names: () => explanation.namesOf(item.message, true),
  }));
  return { choices };
}

/** The strategy where what a memory holds counts `coveredFactor` of its worth, 0..1; 1 is as if there were no memory. */
export function needWith(coveredFactor: number): Strategy {
  return (input) => {
    const total = input.items.reduce((sum, { tokens }) => sum + tokens, 0);
    if (total <= input.budgetTokens) return chooseAll(input, coveredFactor);
    return input.detail === 'whole' ? chooseWhole(input, coveredFactor) : chooseExcerpt(input, coveredFactor);
  };
}

/** See docs/how-compaction-works.md. Linear but for the order of candidates; the same input gives the same choices. */
export const need: Strategy = needWith(COVERED_FACTOR);
