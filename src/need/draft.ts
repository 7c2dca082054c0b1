/** Fits a selection to a budget as its messages are really priced, marks and all. */
import type { StrategyInput } from '../compaction/strategy.ts';
import type { Message } from '../messages/types.ts';
import type { Material } from './material.ts';
import type { Selection } from './selection.ts';
import { Writer, type Written } from './write.ts';

/** The estimate is first followed up to here, then corrected by what the messages really cost. */
const FIRST_SHARE = 0.98;
/** Less room than this is not worth another round forward. */
const SPARE_SHARE = 0.005;
/** More room than this is worth starting anew. */
const LOST_SHARE = 0.05;
const MAX_ROUNDS = 6;

/** What a selection makes of the messages, and what that costs. */
export interface Drawn {
  readonly written: readonly Written[];
  readonly tokens: number;
}

/** Writes all messages, and counts what they really cost. */
export class Draft {
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
export function fit(selection: Selection, draft: Draft, budgetTokens: number): Drawn {
  const result = fitOnce(selection, draft, budgetTokens);
  // Where a large step was given back, smaller ones may fit.
  return budgetTokens - result.tokens > budgetTokens * LOST_SHARE ? fitOnce(selection, draft, budgetTokens) : result;
}
