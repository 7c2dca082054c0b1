/**
 * What a text says that an embedding does not tell apart: numbers with their units, names of things, what is negated.
 * Deterministic and linear; English first, with the commonest negations of a few other languages.
 */

import {
  ARTICLES,
  ATTACHED_ONLY,
  CALENDAR,
  DIRECTIONS,
  FILLERS,
  HAN_NEGATION,
  LIGHT_VERBS,
  LINKS,
  NEGATIONS,
  NUMBER_WORDS,
  RELATIVES,
  STOP_WORDS,
  UNITS,
} from './vocabulary.ts';

export interface Quantity {
  /** Normalised: `8,080` and `8080` are one; compounds such as `1.2.3` or `2026-01-02` are one value. */
  readonly value: string;
  readonly unit: string | undefined;
}

export interface Facts {
  /** In order of first occurrence. */
  readonly quantities: readonly Quantity[];
  /**
   * Paths, file names, symbols, flags, versions, days and months; as written, in order of first occurrence. Those of one
   * list ("a.ts, b.ts and c.ts") are sorted: their order says nothing.
   */
  readonly names: readonly string[];
  /** Lower-case words as written. */
  readonly words: ReadonlySet<string>;
  /** Stems of words that carry meaning. */
  readonly stems: ReadonlySet<string>;
  /** Stems that stand within reach of a negation; and those that (also) stand outside of one. */
  readonly negated: ReadonlySet<string>;
  readonly affirmed: ReadonlySet<string>;
  /** How often something is negated; written without spaces (Chinese, Japanese, Korean), a run counts once. */
  readonly negations: number;
  /** Every word, name and number in order, words by their stems; without articles. */
  readonly sequence: readonly string[];
  /** What stands behind each word of direction ("from", "over", "before"). */
  readonly relations: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A negation reaches over so many meaningful words, unless the clause ends before. */
const NEGATION_REACH = 4;

const CJK = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+)/gu;
/** A run without white space and brackets, or one mark that ends a clause. */
const TOKEN = /[^\s=|,;()"`“”„<>{}[\]…—–]+|[,;()|{}…—–]/gu;
/** What may stand before and after a word without being part of it. */
const EDGE_START = ".:!?'*~#$€£";
const EDGE_END = ".:!?'*~";
const PLAIN_NUMBER = /^[-+]?\d+(?:\.\d+)?$/u;
const NUMBER_WITH_UNIT = /^([-+]?\d+(?:\.\d+)?)([\p{L}%µ]{1,12})$/u;
const COMPOUND_NUMBER = /^v?\d[\d.:/_+-]*\d$/iu;

/** The beginning of a word that its forms have in common. Crude, and the same for the same word. */
export function stemOf(word: string): string {
  let stem = word;
  if (stem.length >= 5 && stem.endsWith('ing')) stem = stem.slice(0, -3);
  else if (stem.length >= 4 && (stem.endsWith('ed') || stem.endsWith('es'))) stem = stem.slice(0, -2);
  else if (stem.length >= 4 && stem.endsWith('s') && !stem.endsWith('ss')) stem = stem.slice(0, -1);
  if (stem.length >= 3 && stem.endsWith('e')) stem = stem.slice(0, -1);
  const last = stem.at(-1);
  return stem.length > 3 && stem !== word && last === stem.at(-2) && last !== 'l' && last !== 's'
    ? stem.slice(0, -1)
    : stem;
}

/** By hand: a pattern anchored at the end would try every run of dots from each of its dots. */
function coreOf(token: string): string {
  let from = 0;
  let to = token.length;
  while (from < to && EDGE_START.includes(token.charAt(from))) from += 1;
  while (to > from && EDGE_END.includes(token.charAt(to - 1))) to -= 1;
  return token.slice(from, to);
}

function numberText(digits: string): string {
  const value = Number(digits);
  return digits.length <= 15 && Number.isFinite(value) ? String(value) : digits;
}

function quantityOf(core: string): Quantity | undefined {
  if (PLAIN_NUMBER.test(core)) return { value: numberText(core), unit: undefined };
  const [, digits, letters] = NUMBER_WITH_UNIT.exec(core) ?? [];
  if (digits !== undefined && letters !== undefined) {
    const unit = letters.toLowerCase();
    return { value: numberText(digits), unit: UNITS.get(unit) ?? unit };
  }
  return COMPOUND_NUMBER.test(core) ? { value: core.toLowerCase().replace(/^v/, ''), unit: undefined } : undefined;
}

function isName(core: string): boolean {
  return /[/\\_]|::|^--?\p{L}|^@|\p{L}\.\p{L}|\p{Ll}\p{Lu}/u.test(core) || (/\p{N}/u.test(core) && /\p{L}/u.test(core));
}

function sortPart(list: string[], from: number, to: number): void {
  list
    .slice(from, to)
    .sort()
    .forEach((value, index) => {
      list[from + index] = value;
    });
}

/** Reads a text. Mask secrets before: what is compared must be what is stored. Never throws. */
export function factsOf(text: string): Facts {
  const quantities: Quantity[] = [];
  const names: string[] = [];
  const known = new Set<string>();
  /** Where the newest list of names begins and ends, in `names` and in `sequence`; and what was last read of it. */
  let [nameFrom, nameTo, sequenceFrom, sequenceTo] = [0, 0, 0, 0];
  let list: 'none' | 'name' | 'link' = 'none';
  const all = new Set<string>();
  const stems = new Set<string>();
  const negated = new Set<string>();
  const affirmed = new Set<string>();
  const sequence: string[] = [];
  const relations = new Map<string, Set<string>>();
  let direction: string | undefined;
  let negations = 0;
  let reach = 0;
  let counted: { value: string; index: number } | undefined;

  const mean = (stem: string): void => {
    sequence.push(stem);
    if (direction !== undefined) {
      const behind = relations.get(direction);
      if (behind === undefined) relations.set(direction, new Set([stem]));
      else behind.add(stem);
      direction = undefined;
    }
    if (reach > 0) {
      negated.add(stem);
      reach -= 1;
    } else {
      affirmed.add(stem);
    }
  };
  const takeWord = (word: string): void => {
    const plain = word.replaceAll("'", '');
    all.add(plain);
    if (NEGATIONS.has(plain) || word.endsWith("n't")) {
      sequence.push(plain);
      negations += 1;
      reach = NEGATION_REACH;
      return;
    }
    if (DIRECTIONS.has(plain)) direction = plain;
    else if (RELATIVES.has(plain)) direction = undefined;
    if (STOP_WORDS.has(plain) || FILLERS.has(plain)) {
      if (!ARTICLES.has(plain) && !LINKS.has(plain)) sequence.push(plain);
      return;
    }
    if (HAN_NEGATION.test(plain)) negations += 1;
    const stem = stemOf(plain);
    mean(stem);
    if (!LIGHT_VERBS.has(plain)) stems.add(stem);
  };
  const takeQuantity = (quantity: Quantity): void => {
    counted = quantity.unit === undefined ? { value: quantity.value, index: quantities.length } : undefined;
    quantities.push(quantity);
    mean(quantity.value);
  };
  const endList = (): void => {
    sortPart(names, nameFrom, nameTo);
    sortPart(sequence, sequenceFrom, sequenceTo);
  };
  const takeName = (name: string): void => {
    if (list !== 'link') {
      endList();
      [nameFrom, sequenceFrom] = [names.length, sequence.length];
    }
    if (!known.has(name)) names.push(name);
    known.add(name);
    list = 'name';
    all.add(name.toLowerCase());
    mean(name);
    [nameTo, sequenceTo] = [names.length, sequence.length];
  };
  const takeCore = (core: string): void => {
    const before = counted;
    const goesOn = list;
    list = 'none';
    counted = undefined;
    const quantity = quantityOf(core);
    if (quantity !== undefined) return takeQuantity(quantity);
    const word = core.toLowerCase();
    const unit = before === undefined || ATTACHED_ONLY.has(word) ? undefined : UNITS.get(word);
    if (before !== undefined && unit !== undefined) {
      quantities[before.index] = { value: before.value, unit };
      return;
    }
    const spelled = NUMBER_WORDS.get(word);
    if (spelled !== undefined) return takeQuantity({ value: spelled, unit: undefined });
    list = goesOn;
    if (CALENDAR.has(word)) return takeName(word.replace(/ys$/, 'y'));
    // The country, not the pronoun.
    if (core === 'US' || isName(core)) return takeName(core);
    list = goesOn !== 'none' && LINKS.has(word) ? 'link' : 'none';
    for (const part of word.split('-')) if (part !== '') takeWord(part);
  };

  const spaced = text
    .replaceAll('’', "'")
    .replace(/(\d)[,_](?=\d{3}(?!\d))/g, '$1')
    .replace(CJK, ' $1 ');
  for (const [token] of spaced.matchAll(TOKEN)) {
    const core = coreOf(token);
    if (core === '' || /^[,;()|{}…—–]$/u.test(core)) {
      reach = 0;
      list = list !== 'none' && token === ',' ? 'link' : 'none';
      continue;
    }
    if (core.includes(':') && !core.includes('::') && !/:\/\/|\d:\d/.test(core)) {
      for (const part of core.split(':')) if (part !== '') takeCore(part);
    } else {
      takeCore(core);
    }
    if (/[.:!?]$/.test(token)) reach = 0;
  }
  endList();
  return { quantities, names, words: all, stems, negated, affirmed, negations, sequence, relations };
}
