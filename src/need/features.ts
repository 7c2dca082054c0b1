/**
 * What lines hold that may be needed later: identifiers, lines of code, error messages. Each is one feature, however often
 * it stands in the conversation; once it is kept somewhere, another copy is worth nothing.
 */
import { isMark } from '../messages/marks.ts';
import { type IdentifierKind, identifiersOf } from './identifiers.ts';
import {
  CODE_RATES,
  DATA_FACTOR,
  ERROR_RATE,
  focusOf,
  freshness,
  PART_FACTOR,
  PLACE_RATES,
  type Place,
  PLACES,
  QUERY_FACTOR,
  TALK_CODE_FACTOR,
  TALK_FACTOR,
} from './rates.ts';

/** What a line is, besides its identifiers: code (and how it came there), code that an edit replaces, output of a failed call. */
export type LineKind = 'plain' | 'written' | 'edited' | 'read' | 'replaced' | 'failed';

/** Where a line is seen. */
export interface Sighting {
  readonly place: Place;
  readonly kind: LineKind;
  /** Tokens of everything newer. */
  readonly ageTokens: number;
  /** The file that the call works on. */
  readonly file: string | undefined;
}

/** Shorter lines (a bracket, `return;`) stand anywhere. */
const MIN_CODE_CHARS = 12;
/** So many lines of a failed call may speak of the failure. */
const ERROR_LINES = 12;
const ERROR_WORDS =
  /error|fail|exception|traceback|panic|fatal|cannot|can't|not found|no such|denied|refused|undefined|unexpected|invalid|missing|mismatch|assert|\bE[A-Z]{4,}/i;
const DATA_FILE = /\.(?:lock|json|jsonl|csv|tsv|svg|log|snap)$/i;
const NONE: readonly number[] = [];

interface Feature {
  readonly kind: IdentifierKind | 'code' | 'error';
  readonly key: string;
  ageTokens: number;
  /** Identifiers: bits of `PLACES`. */
  places: number;
  /** Identifiers: never seen but inside a longer one. */
  isPart: boolean;
  /** Lines: highest chance of the ways it came there. */
  rate: number;
  /** Code: an edit took it away. */
  isGone: boolean;
  file: string | undefined;
}

/** A line, read once: its own feature (−1: none), and those of its identifiers. */
interface ReadLine {
  line: number;
  readonly ids: readonly number[];
  /** The identifiers and the line. */
  all: readonly number[];
  readonly parts: readonly boolean[];
}

const PLACE_BIT: Readonly<Record<Place, number>> = {
  input: 1,
  assistant: 2,
  prompt: 4,
  result: 8,
  read: 16,
  shell: 32,
  search: 64,
};

/** All features of a conversation, by number in order of appearance. */
export class Features {
  readonly #all: Feature[] = [];
  readonly #ids = new Map<string, number>();
  readonly #lines = new Map<string, ReadLine>();
  readonly #fileAge = new Map<string, number>();

  get count(): number {
    return this.#all.length;
  }

  /** An identifier as it was first spelled, or a line. */
  nameOf(feature: number): string {
    return this.#all[feature]?.key ?? '';
  }

  isIdentifier(feature: number): boolean {
    const kind = this.#all[feature]?.kind;
    return kind !== 'code' && kind !== 'error';
  }

  #make(kind: Feature['kind'], key: string): number {
    const ageTokens = Number.POSITIVE_INFINITY;
    this.#all.push({ kind, key, ageTokens, places: 0, isPart: true, rate: 0, isGone: false, file: undefined });
    return this.#all.length - 1;
  }

  #read(key: string): ReadLine {
    let read = this.#lines.get(key);
    if (read !== undefined) return read;
    const ids: number[] = [];
    const parts: boolean[] = [];
    for (const { key: id, kind, isPart } of identifiersOf(key)) {
      let feature = this.#ids.get(id);
      if (feature === undefined) {
        feature = this.#make(kind, id);
        this.#ids.set(id, feature);
      }
      ids.push(feature);
      parts.push(isPart);
    }
    read = { line: -1, ids, all: ids, parts };
    this.#lines.set(key, read);
    return read;
  }

  /** Notes a line by its key (see `keyOf`), in conversation order, and says which features it holds. `index` counts the lines of its text. */
  see(key: string, index: number, { place, kind, ageTokens, file }: Sighting): readonly number[] {
    if (key === '' || (key.startsWith('[chitta:') && isMark(key))) return NONE;
    const read = this.#read(key);
    const { ids, parts } = read;
    const bit = PLACE_BIT[place];
    for (let i = 0; i < ids.length; i++) {
      const id = this.#all[ids[i]!]!;
      id.places |= bit;
      if (ageTokens < id.ageTokens) id.ageTokens = ageTokens;
      if (!parts[i]) id.isPart = false;
    }
    if (kind === 'plain') return ids;
    if (
      kind === 'failed' ? index >= ERROR_LINES || (index > 0 && !ERROR_WORDS.test(key)) : key.length < MIN_CODE_CHARS
    ) {
      return ids;
    }
    if (read.line < 0) {
      if (kind !== 'failed' && !/\w/.test(key)) return ids;
      read.line = this.#make(kind === 'failed' ? 'error' : 'code', key);
      read.all = [...ids, read.line];
    }
    this.#seeLine(this.#all[read.line]!, kind, ageTokens, file);
    return read.all;
  }

  #seeLine(line: Feature, kind: Exclude<LineKind, 'plain'>, ageTokens: number, file: string | undefined): void {
    if (kind === 'replaced') {
      line.isGone = true;
      return;
    }
    line.isGone = false;
    line.ageTokens = ageTokens;
    line.file = file;
    line.rate = Math.max(line.rate, kind === 'failed' ? ERROR_RATE : CODE_RATES[kind]);
    if (file !== undefined) this.#fileAge.set(file, ageTokens);
  }

  /** Features of a text that is not part of the conversation; those it does not know are left out. */
  within(text: string): ReadonlySet<number> {
    const found = new Set<number>();
    for (const line of text.split('\n')) {
      for (const { key } of identifiersOf(line)) {
        const feature = this.#ids.get(key);
        if (feature !== undefined) found.add(feature);
      }
      const known = this.#lines.get(line.trim())?.line ?? -1;
      if (known >= 0) found.add(known);
    }
    return found;
  }

  #focus(keptRatio: number): (file: string | undefined) => number {
    const ages = [...new Set(this.#fileAge.values())].sort((a, b) => a - b);
    // Files of parallel calls are of one rank.
    const ranks = new Map(ages.map((ageTokens, rank) => [ageTokens, rank]));
    const factors = new Map(
      [...this.#fileAge].map(([file, ageTokens]) => [
        file,
        focusOf(ranks.get(ageTokens) ?? 0, keptRatio) * (DATA_FILE.test(file) ? DATA_FACTOR : 1),
      ]),
    );
    return (file) => (file === undefined ? 1 : (factors.get(file) ?? 1));
  }

  /**
   * The chance that each feature is needed later, by its number. `keptRatio` is the share of the tokens that may stay, `query`
   * and `talk` hold features of the query and of what the agent said last.
   */
  worth(keptRatio: number, query: ReadonlySet<number>, talk: ReadonlySet<number>): Float64Array {
    const focus = this.#focus(keptRatio);
    const worth = new Float64Array(this.#all.length);
    this.#all.forEach(({ kind, places, rate, isGone, isPart, ageTokens, file }, feature) => {
      if (kind === 'code') worth[feature] = isGone ? 0 : rate * freshness(ageTokens, kind) * focus(file);
      else if (kind === 'error') worth[feature] = rate * freshness(ageTokens, kind);
      else if (places > 0) {
        let chance = 0;
        for (let place = 0; place < PLACES.length; place++) if (places & (1 << place)) chance += PLACE_RATES[place]!;
        if (isPart) chance *= PART_FACTOR;
        if (query.has(feature)) chance *= QUERY_FACTOR;
        else if (talk.has(feature)) chance *= TALK_FACTOR;
        worth[feature] = chance * freshness(ageTokens, kind);
      }
    });
    for (const { line, ids } of this.#lines.values()) {
      if (line >= 0 && ids.some((id) => talk.has(id))) worth[line]! *= TALK_CODE_FACTOR;
    }
    return worth;
  }
}
