/**
 * The `need` strategy: keeps what is likely needed later and stands nowhere else. Worth is counted over identifiers and lines
 * (`features.ts`, `rates.ts`), taken by worth per token (`selection.ts`), and written out as lines of the input (`write.ts`).
 */
import { COVERED_FROM } from '../compaction/formula.ts';
import type { Choice, Chosen, Item, Reason, Strategy, StrategyInput } from '../compaction/strategy.ts';
import { writeMark } from '../messages/marks.ts';
import type { Message } from '../messages/types.ts';
import { Explanation } from './explain.ts';
import { takeFirst, thingsByMessage } from './first.ts';
import { type Material, materialOf } from './material.ts';
import { pointersOf } from './pointers.ts';
import { COVERED_FACTOR, freshness, TALK_TEXTS } from './rates.ts';
import { Selection } from './selection.ts';
import { unitMaterialOf } from './units.ts';
import { Writer, type Written } from './write.ts';

/** Share of the budget for the list of what was dropped. */
const POINTERS_SHARE = 0.02;
/** The estimate is first followed up to here, then corrected by what the messages really cost. */
const FIRST_SHARE = 0.98;
/** Less room than this is not worth another round forward. */
const SPARE_SHARE = 0.005;
/** More room than this is worth starting anew. */
const LOST_SHARE = 0.05;
const MAX_ROUNDS = 6;

/** The newest texts of the agent, and the query: what the work is about. */
function talkOf({ items, query }: StrategyInput, { parts }: Material): string {
  const texts: string[] = [];
  for (let message = items.length - 1; message >= 0 && texts.length < TALK_TEXTS; message--) {
    if (items[message]!.role !== 'assistant') continue;
    for (const { kind, fields } of parts[message]!) if (kind === 'text') texts.push(fields[0]?.text ?? '');
  }
  return [...texts, query ?? ''].join('\n');
}

/** A selection that has not begun, and what everything in it is worth. */
interface Start {
  readonly selection: Selection;
  readonly worth: Float64Array;
  /** Features that a memory holds too. */
  readonly inMemory: ReadonlySet<number>;
  /** What those count of their worth. */
  readonly coveredFactor: number;
}

function startOf(input: StrategyInput, material: Material, coveredFactor: number): Start {
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
  const selection = new Selection(material, {
    worth,
    freshness: items.map(({ ageTokens }) => freshness(ageTokens, 'error')),
    factor: items.map(({ coverage, ownMark }) => (ownMark ? 0 : coverage >= COVERED_FROM ? coveredFactor : 1)),
  });
  return { selection, worth, inMemory, coveredFactor };
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
  const start = startOf(input, material, coveredFactor);
  const { selection } = start;
  const reasons = takeFirst(selection, material, input);
  // A prompt may stand in a unit that is larger than itself.
  if (selection.usedTokens > budgetTokens) selection.giveBack(selection.usedTokens - budgetTokens);
  selection.fill(budgetTokens);
  const things = thingsByMessage(material);
  // Of each message by itself, not of its unit.
  const explanation = new Explanation(read, start, reasons);
  const choices = items.map((item) => {
    const message = messages[item.message]!;
    const isKept = selection.isOpen(things[item.message]![0]!);
    return choiceOf(item, message, { message: isKept ? message : undefined, kept: [], isStub: false }, explanation);
  });
  return { choices };
}

/** What a selection makes of the messages, and what that costs. */
interface Drawn {
  readonly written: readonly Written[];
  readonly tokens: number;
}

/** Writes all messages, and counts what they really cost. */
class Draft {
  readonly #input: StrategyInput;
  readonly #writer: Writer;
  readonly #prices = new WeakMap<Message, number>();

  constructor(input: StrategyInput, material: Material) {
    this.#input = input;
    this.#writer = new Writer(input.messages, material);
    for (const { message, tokens } of input.items) this.#prices.set(input.messages[message]!, tokens);
  }

  price(message: Message): number {
    let tokens = this.#prices.get(message);
    if (tokens === undefined) {
      tokens = this.#input.price(message);
      this.#prices.set(message, tokens);
    }
    return tokens;
  }

  write(selection: Selection): Drawn {
    const { messages, items } = this.#input;
    const written = messages.map((_, message) =>
      this.#writer.write(message, selection, items[message]!.protectedBy !== undefined),
    );
    const tokens = written.reduce((sum, { message }) => sum + (message === undefined ? 0 : this.price(message)), 0);
    return { written, tokens };
  }
}

function fitOnce(selection: Selection, draft: Draft, budgetTokens: number): Drawn {
  let limit = budgetTokens * FIRST_SHARE;
  let result = draft.write(selection);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = selection.usedTokens;
    selection.fill(limit);
    result = draft.write(selection);
    const spare = budgetTokens - result.tokens;
    const next = selection.usedTokens + spare;
    if (spare < budgetTokens * SPARE_SHARE || (selection.usedTokens === before && next <= limit)) break;
    limit = next;
  }
  while (result.tokens > budgetTokens && selection.giveBack(result.tokens - budgetTokens))
    result = draft.write(selection);
  return result;
}

/** Fills the budget as the messages are really priced: forward while there is room, then back until it fits. */
function fit(selection: Selection, draft: Draft, budgetTokens: number): Drawn {
  const result = fitOnce(selection, draft, budgetTokens);
  // Where a large step was given back, smaller ones may fit.
  return budgetTokens - result.tokens > budgetTokens * LOST_SHARE ? fitOnce(selection, draft, budgetTokens) : result;
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

/** Texts and calls in excerpts, with a list of what was dropped in front. */
function chooseExcerpt(input: StrategyInput, coveredFactor: number): Chosen {
  const { messages, items, budgetTokens } = input;
  const material = materialOf(messages, items);
  const start = startOf(input, material, coveredFactor);
  const { selection, worth } = start;
  const reasons = takeFirst(selection, material, input);
  const draft = new Draft(input, material);
  const pointerTokens = Math.floor(budgetTokens * POINTERS_SHARE);
  const reservedTokens = Math.max(pointerTokens, input.price(gapOf(messages.length)));
  const { written, tokens } = fit(selection, draft, budgetTokens - reservedTokens);
  const room = budgetTokens - tokens;
  const pointers = pointersOf(material, selection, worth, messages, Math.min(pointerTokens, room), input.price);
  const explanation = new Explanation(material, start, reasons);
  return {
    choices: items.map((item) => choiceOf(item, messages[item.message]!, written[item.message]!, explanation)),
    pointers: pointers ?? openingOf(written, input, room),
  };
}

/** All there is, where all of it fits. */
function chooseAll(input: StrategyInput, coveredFactor: number): Chosen {
  const { messages, items } = input;
  const material = materialOf(messages, items);
  const start = startOf(input, material, coveredFactor);
  material.things.forEach((_, thing) => start.selection.takeWhole(thing));
  const explanation = new Explanation(material, start, new Map());
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
