/** Why messages were kept or dropped, in terms of what they hold. Made after the selection, from what it kept. */
import type { Item, Reason } from '../compaction/strategy.ts';
import type { Material } from './material.ts';
import type { Selection } from './selection.ts';

/** Why a message was taken before anything competed. */
export type FirstReason = Extract<Reason, 'prompt' | 'recent' | 'opening'>;

const MAX_NAMES = 5;
/** A message whose lost worth is below this share of its own has lost nothing. */
const LOST_SHARE = 0.05;
/** Scores are worth per so many tokens. */
const SCORE_TOKENS = 100;

/** A selection that is done, the worth of every feature, and which of them a memory holds; the factor is in their worth. */
export interface Judged {
  readonly selection: Selection;
  readonly worth: Float64Array;
  readonly inMemory: ReadonlySet<number>;
  readonly coveredFactor: number;
}

export class Explanation {
  readonly #material: Material;
  readonly #selection: Selection;
  readonly #worth: Float64Array;
  readonly #reasons: ReadonlyMap<number, FirstReason>;
  readonly #features: readonly (readonly number[])[];

  readonly #inMemory: ReadonlySet<number>;
  readonly #coveredFactor: number;
  #left: ReadonlyMap<number, ReadonlySet<number>> | undefined;

  constructor(material: Material, judged: Judged, reasons: ReadonlyMap<number, FirstReason>) {
    const { selection, worth, inMemory, coveredFactor } = judged;
    this.#material = material;
    this.#selection = selection;
    this.#worth = worth;
    this.#inMemory = inMemory;
    this.#coveredFactor = coveredFactor;
    this.#reasons = reasons;
    const sets = material.parts.map(() => new Set<number>());
    const add = (message: number, features: readonly number[]): void => {
      for (const feature of features) sets[message]!.add(feature);
    };
    material.hunks.forEach(({ text, features }) => add(material.texts[text]!.message, features));
    material.stubs.forEach(({ features }, thing) => add(material.things[thing]!.places[0]!.message, features));
    this.#features = sets.map((set) => [...set]);
  }

  reasonKept(message: number): Reason {
    return this.#reasons.get(message) ?? 'needed';
  }

  /** Worth of all it holds, each thing once, per 100 tokens. */
  scoreOf({ message, tokens }: Item): number {
    return tokens > 0 ? (this.#sum(message, () => true) * SCORE_TOKENS) / tokens : 0;
  }

  /** Whether next to nothing of worth is lost with it. */
  isElsewhere(message: number): boolean {
    const all = this.#sum(message, () => true);
    return all > 0 && this.#sum(message, (feature) => !this.#selection.isKept(feature)) < all * LOST_SHARE;
  }

  /** Whether memories hold at least half of what is lost with it. */
  isInMemory(message: number): boolean {
    const isLost = (feature: number): boolean => !this.#selection.isKept(feature);
    const covered = this.#sum(message, (feature) => isLost(feature) && this.#inMemory.has(feature));
    const other = this.#sum(message, (feature) => isLost(feature) && !this.#inMemory.has(feature));
    return covered > 0 && covered / this.#coveredFactor >= other;
  }

  /** What stands in the lines that are left of a message; all it holds where none are, or where messages are kept whole. */
  #leftIn(message: number): readonly number[] {
    const { hunks, texts, stubs, things } = this.#material;
    if (this.#left === undefined) {
      const left = new Map<number, Set<number>>();
      hunks.forEach(({ text, features }, hunk) => {
        if (!this.#selection.isTaken(hunk)) return;
        const at = texts[text]!.message;
        const known = left.get(at);
        if (known === undefined) left.set(at, new Set(features));
        else for (const feature of features) known.add(feature);
      });
      stubs.forEach(({ features }, thing) => {
        const known = left.get(things[thing]!.places[0]!.message);
        if (known !== undefined) for (const feature of features) known.add(feature);
      });
      this.#left = left;
    }
    const own = this.#left.get(message);
    return own === undefined ? this.#features[message]! : [...own];
  }

  /** Identifiers of most worth: those of a kept message that are kept, those of a dropped one that are lost. */
  namesOf(message: number, isKept: boolean): readonly string[] {
    const { features } = this.#material;
    const own = isKept ? this.#leftIn(message) : this.#features[message]!;
    const best = own
      .filter((feature) => features.isIdentifier(feature) && this.#selection.isKept(feature) === isKept)
      .sort((a, b) => this.#worth[b]! - this.#worth[a]! || a - b);
    const names: string[] = [];
    for (const feature of best) {
      const name = features.nameOf(feature);
      // The name of a file says nothing beside its path.
      if (!names.some((known) => known.endsWith(`/${name}`))) names.push(name);
      if (names.length === MAX_NAMES) break;
    }
    return names;
  }

  #sum(message: number, counts: (feature: number) => boolean): number {
    let sum = 0;
    for (const feature of this.#features[message]!) if (counts(feature)) sum += this.#worth[feature]!;
    return sum;
  }
}
