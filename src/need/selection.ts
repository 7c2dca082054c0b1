/**
 * Lazy greedy selection by worth per token. What is kept already makes every other copy worthless, so ranks only fall, but for
 * the bonus of standing beside something taken; a rank is therefore looked at again before it counts.
 */
import { MaxHeap } from './heap.ts';
import { type Hunk, MARK_TOKENS, type Material, NAMED_MARK_TOKENS } from './material.ts';
import { Opening } from './opening.ts';

/** A hunk beside one that is taken reads better, and saves a mark. */
const JOIN_FACTOR = 1.2;
/** Room that nothing of worth fits into goes to the newest. */
const ROOM_WORTH = 0.000_02;

/** One step of the selection, so that it can be undone. */
interface Step {
  /** −1: only opened. */
  readonly hunk: number;
  readonly thing: number;
  readonly opened: boolean;
  readonly tokens: number;
}

export interface Weights {
  /** Chance of later need, by feature. */
  readonly worth: Float64Array;
  /** By message: what the room it stands in is worth when nothing else is at hand, 0..1. */
  readonly freshness: readonly number[];
  /** By message: factor on all it holds; below 1 where it can be got back from elsewhere. */
  readonly factor: readonly number[];
}

/** Candidates are hunks by their number and, behind them, bare stubs of things. */
export class Selection {
  readonly #material: Material;
  readonly #weights: Weights;
  readonly #kept: Uint8Array;
  readonly #open: Uint8Array;
  readonly #taken: Uint8Array;
  readonly #opening: Opening;
  readonly #heap = new MaxHeap();
  readonly #steps: Step[] = [];
  readonly #hunksOf: number[][];
  readonly #whole = new Set<number>();
  #hasBegun = false;
  #skipped: number[] = [];
  #usedTokens = 0;

  constructor(material: Material, weights: Weights) {
    this.#material = material;
    this.#weights = weights;
    this.#kept = new Uint8Array(weights.worth.length);
    this.#open = new Uint8Array(material.things.length);
    this.#taken = new Uint8Array(material.hunks.length);
    this.#opening = new Opening(material);
    this.#hunksOf = material.things.map(() => []);
    material.hunks.forEach(({ thing }, hunk) => this.#hunksOf[thing]!.push(hunk));
  }

  /** What is open and taken costs so much, as far as the estimate knows. */
  get usedTokens(): number {
    return this.#usedTokens;
  }

  isOpen(thing: number): boolean {
    return this.#open[thing] === 1;
  }

  isTaken(hunk: number): boolean {
    return this.#taken[hunk] === 1;
  }

  isKept(feature: number): boolean {
    return this.#kept[feature] === 1;
  }

  /** Whether it was taken as a whole, with its media. */
  isWhole(thing: number): boolean {
    return this.#whole.has(thing);
  }

  /** Takes all of a thing, whatever it costs. */
  takeWhole(thing: number): void {
    this.#whole.add(thing);
    this.openAlone(thing);
    for (const hunk of this.#hunksOf[thing]!) this.takeHunk(hunk);
  }

  /** Takes a hunk, whatever it costs, and opens its thing. */
  takeHunk(number: number): void {
    if (this.isTaken(number)) return;
    const hunk = this.#material.hunks[number]!;
    const before = this.#usedTokens;
    const opened = !this.isOpen(hunk.thing);
    const tokens = this.#hunkTokens(number, hunk);
    this.#openThing(hunk.thing);
    this.#usedTokens += tokens;
    this.#taken[number] = 1;
    for (const feature of hunk.features) this.#kept[feature] = 1;
    this.#steps.push({ hunk: number, thing: hunk.thing, opened, tokens: this.#usedTokens - before });
  }

  /** What is taken so far is never given back. */
  hold(): void {
    this.#steps.length = 0;
  }

  /** Goes on until nothing of worth fits into `limitTokens`. May be called again with a higher limit. */
  fill(limitTokens: number): void {
    if (!this.#hasBegun) this.#offerAll();
    for (const candidate of this.#skipped) this.#offer(candidate);
    this.#skipped = [];
    for (let candidate = this.#heap.pop(); candidate !== undefined; candidate = this.#heap.pop()) {
      if (this.#isDone(candidate)) continue;
      const { worth, tokens } = this.#valueOf(candidate);
      if (worth <= 0) continue;
      const rank = worth / tokens;
      if (rank < this.#heap.top) this.#heap.push(candidate, rank);
      else if (this.#usedTokens + tokens > limitTokens) this.#skipped.push(candidate);
      else this.#step(candidate);
    }
  }

  /** Undoes the newest steps until `tokens` are free again, as far as there are any; false when there were none. */
  giveBack(tokens: number): boolean {
    if (this.#steps.length === 0) return false;
    for (let free = 0; free < tokens && this.#steps.length > 0;) {
      const step = this.#steps.pop()!;
      if (step.hunk >= 0) this.#taken[step.hunk] = 0;
      if (step.opened) {
        this.#open[step.thing] = 0;
        this.#opening.note(step.thing, -1);
      }
      this.#whole.delete(step.thing);
      this.#usedTokens -= step.tokens;
      free += step.tokens;
    }
    this.#recount();
    return true;
  }

  /** What is kept, after something was given back. */
  #recount(): void {
    const { hunks, stubs } = this.#material;
    this.#kept.fill(0);
    const keep = (features: readonly number[]): void => {
      for (const feature of features) this.#kept[feature] = 1;
    };
    stubs.forEach(({ features }, thing) => this.isOpen(thing) && keep(features));
    hunks.forEach(({ features }, hunk) => this.isTaken(hunk) && keep(features));
  }

  #openThing(thing: number): void {
    if (this.isOpen(thing)) return;
    this.#usedTokens += this.openTokens(thing);
    this.#open[thing] = 1;
    this.#opening.note(thing, 1);
    for (const feature of this.#material.stubs[thing]!.features) this.#kept[feature] = 1;
  }

  /** Opens a thing, whatever it costs, and takes nothing of it. */
  openAlone(thing: number): void {
    if (this.isOpen(thing)) return;
    const tokens = this.openTokens(thing);
    this.#openThing(thing);
    this.#steps.push({ hunk: -1, thing, opened: true, tokens });
  }

  /** Tokens that opening a thing costs by itself. */
  openTokens(thing: number): number {
    return this.isOpen(thing) ? 0 : this.#opening.tokensOf(thing);
  }

  /** Cost of a hunk with the marks it makes needed or needless. */
  #hunkTokens(number: number, { text, thing, tokens }: Hunk): number {
    const { firstHunk, endHunk } = this.#material.texts[text]!;
    const hasGapBefore = number > firstHunk && !this.isTaken(number - 1);
    const gaps = Number(hasGapBefore) + Number(number + 1 < endHunk && !this.isTaken(number + 1));
    const isFirstOfText = this.#material.things[thing]!.kind !== 'call' && !this.isOpen(thing);
    let marks = (gaps - 1) * MARK_TOKENS;
    if (isFirstOfText) marks = gaps === 0 ? 0 : marks + NAMED_MARK_TOKENS;
    return Math.max(1, tokens + marks);
  }

  #worthOf(features: readonly number[]): number {
    const { worth } = this.#weights;
    let sum = 0;
    for (const feature of features) if (this.#kept[feature] === 0) sum += worth[feature]!;
    return sum;
  }

  #valueOf(candidate: number): { readonly worth: number; readonly tokens: number } {
    const { hunks, stubs, texts, things } = this.#material;
    const { factor, freshness } = this.#weights;
    const hunk = hunks[candidate];
    if (hunk === undefined) {
      const thing = candidate - hunks.length;
      const { message } = things[thing]!.places[0]!;
      const tokens = this.openTokens(thing);
      const room = hunks.length === 0 ? ROOM_WORTH * tokens * freshness[message]! : 0;
      return { worth: (this.#worthOf(stubs[thing]!.features) + room) * factor[message]!, tokens: Math.max(1, tokens) };
    }
    const { message, firstHunk, endHunk } = texts[hunk.text]!;
    let worth = this.#worthOf(hunk.features) + ROOM_WORTH * hunk.tokens * freshness[message]!;
    const besideTaken =
      (candidate > firstHunk && this.isTaken(candidate - 1)) ||
      (candidate + 1 < endHunk && this.isTaken(candidate + 1));
    if (besideTaken) worth *= JOIN_FACTOR;
    if (!this.isOpen(hunk.thing)) worth += this.#worthOf(stubs[hunk.thing]!.features);
    return {
      worth: worth * factor[message]!,
      tokens: this.#hunkTokens(candidate, hunk) + this.openTokens(hunk.thing),
    };
  }

  #isDone(candidate: number): boolean {
    const thing = candidate - this.#material.hunks.length;
    return thing < 0 ? this.isTaken(candidate) : this.isOpen(thing);
  }

  #offer(candidate: number): void {
    const { worth, tokens } = this.#valueOf(candidate);
    if (worth > 0) this.#heap.push(candidate, worth / tokens);
  }

  #offerAll(): void {
    this.#hasBegun = true;
    const { hunks, things } = this.#material;
    for (let candidate = 0; candidate < hunks.length + things.length; candidate++) {
      if (!this.#isDone(candidate)) this.#offer(candidate);
    }
  }

  #step(candidate: number): void {
    const { hunks, texts } = this.#material;
    const hunk = hunks[candidate];
    const thing = hunk?.thing ?? candidate - hunks.length;
    const opened = !this.isOpen(thing);
    if (hunk === undefined) this.openAlone(thing);
    else this.takeHunk(candidate);
    // What has become cheaper or better by this step is offered again; older entries of it are looked at anew anyway.
    if (opened) for (const other of this.#hunksOf[thing]!) if (!this.isTaken(other)) this.#offer(other);
    if (hunk === undefined) return;
    const { firstHunk, endHunk } = texts[hunk.text]!;
    if (candidate > firstHunk && !this.isTaken(candidate - 1)) this.#offer(candidate - 1);
    if (candidate + 1 < endHunk && !this.isTaken(candidate + 1)) this.#offer(candidate + 1);
  }
}
