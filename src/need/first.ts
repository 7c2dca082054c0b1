/** What is taken before anything competes: what must stay, what people typed, and the newest turns. */
import { COVERED_FROM } from '../compaction/formula.ts';
import { type Demand, isBarred } from '../compaction/beginning.ts';
import type { Detail, Item, StrategyInput } from '../compaction/strategy.ts';
import type { FirstReason } from './explain.ts';
import type { Material } from './material.ts';
import type { Selection } from './selection.ts';

/** Shares of the budget. */
const PROMPTS_SHARE = 0.3;
/** One long prompt takes at most so much of what prompts may. */
const PROMPT_SHARE = 0.5;
/** The newest unit, and those before it. In excerpts what is needed of them is found; whole units are better taken in a row. */
const NEWEST_SHARE = { excerpt: 0.15, whole: 0.3 } as const;
const TAIL_SHARE = { excerpt: 0.1, whole: 0.3 } as const;

/** Things of each message, each once. */
export function thingsByMessage({ things, parts }: Material): readonly (readonly number[])[] {
  const byMessage: number[][] = parts.map(() => []);
  things.forEach(({ places }, thing) => {
    for (const { message } of places) if (byMessage[message]!.at(-1) !== thing) byMessage[message]!.push(thing);
  });
  return byMessage;
}

/** Messages of each unit, oldest unit first. */
function unitsOf(items: readonly Item[]): readonly (readonly number[])[] {
  const units = new Map<number, number[]>();
  items.forEach(({ unit }, message) => {
    const known = units.get(unit);
    if (known === undefined) units.set(unit, [message]);
    else known.push(message);
  });
  return [...units.values()];
}

class First {
  readonly #selection: Selection;
  readonly #material: Material;
  readonly #items: readonly Item[];
  readonly #things: readonly (readonly number[])[];

  readonly #budgetTokens: number;

  constructor(selection: Selection, material: Material, { items, budgetTokens }: StrategyInput) {
    this.#selection = selection;
    this.#material = material;
    this.#items = items;
    this.#budgetTokens = budgetTokens;
    this.#things = thingsByMessage(material);
  }

  readonly reasons = new Map<number, FirstReason>();

  takeMessage(message: number, reason: FirstReason | undefined): void {
    if (reason !== undefined && !this.reasons.has(message)) this.reasons.set(message, reason);
    for (const thing of this.#things[message]!) this.#selection.takeWhole(thing);
  }

  /** A share of the budget, as far as what was taken before leaves room. */
  #room(share: number): number {
    return Math.min(share * this.#budgetTokens, this.#budgetTokens - this.#selection.usedTokens);
  }

  /** Head and tail of a prompt in turns, as much as fits. */
  takeEnds(message: number, roomTokens: number): void {
    const { hunks, texts } = this.#material;
    this.reasons.set(message, 'prompt');
    const mine = new Set(this.#things[message]);
    const own = texts.flatMap(({ thing, firstHunk, endHunk }) =>
      mine.has(thing) ? Array.from({ length: endHunk - firstHunk }, (_, index) => firstHunk + index) : [],
    );
    const limit = this.#selection.usedTokens + roomTokens;
    for (let head = 0, tail = own.length - 1; head <= tail; head++, tail--) {
      for (const hunk of head === tail ? [own[head]!] : [own[head]!, own[tail]!]) {
        if (this.#selection.usedTokens + hunks[hunk]!.tokens > limit) return;
        this.#selection.takeHunk(hunk);
      }
    }
  }

  takePrompts(): void {
    let room = this.#room(PROMPTS_SHARE);
    for (const message of this.#material.prompts.toReversed()) {
      const { tokens, protectedBy, coverage } = this.#items[message]!;
      // What a memory says as well has to earn its place.
      if (protectedBy === undefined && coverage >= COVERED_FROM) continue;
      if (protectedBy === undefined && tokens > room) {
        this.takeEnds(message, Math.min(room, PROMPT_SHARE * PROMPTS_SHARE * this.#budgetTokens));
        return;
      }
      this.takeMessage(message, 'prompt');
      room -= tokens;
    }
  }

  /** The beginning of each text of a message, as much as fits: what was just read or said. */
  takeBeginnings(message: number, roomTokens: number): void {
    const { hunks, texts } = this.#material;
    let room = roomTokens;
    for (const { message: at, firstHunk, endHunk } of texts) {
      if (at !== message) continue;
      for (let hunk = firstHunk; hunk < endHunk && hunks[hunk]!.tokens <= room; hunk++) {
        this.#selection.takeHunk(hunk);
        room -= hunks[hunk]!.tokens;
      }
    }
  }

  /** The least that can be kept of a message: the stub of a call if it holds one. */
  openOne(message: number, reason: FirstReason): void {
    const { things } = this.#material;
    this.reasons.set(message, reason);
    const own = this.#things[message]!;
    const calls = own.filter((thing) => things[thing]!.kind === 'call');
    const [cheapest] = (calls.length > 0 ? calls : own).toSorted(
      (one, other) => this.#selection.openTokens(one) - this.#selection.openTokens(other),
    );
    if (cheapest !== undefined) this.#selection.openAlone(cheapest);
  }

  takeNewest(detail: Detail, demands: readonly Demand[]): void {
    const newestRoom = this.#room(NEWEST_SHARE[detail]);
    let room = this.#room(TAIL_SHARE[detail]);
    for (const [age, unit] of unitsOf(this.#items).toReversed().entries()) {
      if (unit.some((message) => isBarred(message, demands))) return;
      const tokens = unit.reduce((sum, message) => sum + this.#items[message]!.tokens, 0);
      if (tokens > (age === 0 ? Math.max(room, newestRoom) : room)) {
        if (age === 0) this.takeBeginnings(unit.at(-1)!, newestRoom);
        return;
      }
      for (const message of unit) this.takeMessage(message, 'recent');
      room -= tokens;
    }
  }
}

/**
 * Takes what is protected, and what something has to begin with, whatever it costs; then, within the budget, typed prompts from the newest on, the first that does not
 * fit with its head and tail; the newest unit, in part if it is large; and whole units before it. Says what it took why.
 */
export function takeFirst(
  selection: Selection,
  material: Material,
  input: StrategyInput,
  demands: readonly Demand[],
): ReadonlyMap<number, FirstReason> {
  const first = new First(selection, material, input);
  input.items.forEach(({ protectedBy }, message) => {
    if (protectedBy !== undefined) first.takeMessage(message, undefined);
  });
  for (const { hold } of demands) {
    if (input.detail === 'whole') first.takeMessage(hold, 'opening');
    else first.openOne(hold, 'opening');
  }
  selection.hold();
  first.takePrompts();
  first.takeNewest(input.detail, demands);
  return first.reasons;
}
