/**
 * How much of a question texts answer by its words. One scale for texts of every kind, so that a memory and a turn can stand in one
 * list, and so that "hardly anything of it" can be told from "all of it".
 */
import { stemOf } from './facts.ts';
import { STOP_WORDS } from './vocabulary.ts';

// BM25's usual constants.
const [SATURATION, LENGTH_SHARE] = [1.2, 0.75];
/** Longer texts are read so far, in half a millisecond. */
const MAX_CHARS = 10_000;
/** Texts that were found for a word have it more often than texts do: it is as rare as if so many had been looked at, at least. */
const LEAST_TEXTS = 1_000;
/** A longer question is a pasted file; its beginning says what it is about. */
const MAX_TERMS = 64;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const HUMP = /(?<=\p{Ll})(?=\p{Lu})/u;
/** Words that a question has and an answer has not. */
const ASKING: ReadonlySet<string> = new Set('how why whom whose anything something'.split(' '));

/** Endings that make one word of another, longest first, and what must be left without them. */
const ENDINGS: readonly (readonly [ending: string, least: number])[] = [
  ['ation', 4],
  ['ment', 4],
  ['ion', 4],
  ['er', 3],
  ['or', 4],
  ['ly', 4],
  ['y', 4],
  ['i', 4],
];

/** What forms of a word have in common, with and without accents. Crude, and the same for the same word. */
function rootOf(word: string): string {
  const stem = stemOf(
    word
      .normalize('NFKD')
      .replaceAll(/\p{M}+/gu, '')
      .toLowerCase(),
  );
  const [ending = ''] = ENDINGS.find(([end, least]) => stem.endsWith(end) && stem.length - end.length >= least) ?? [];
  return ending === '' ? stem : stem.slice(0, -ending.length);
}

/** The word, and where it is a name such as `retryLimit`, each of the words in it. */
function wordsIn(name: string): string[] {
  const parts = name.split(HUMP);
  return parts.length > 1 ? [name, ...parts] : parts;
}

/** Roots of the words of texts in order. What a word's are is worked out once. */
function rootsOf(texts: readonly string[]): string[][] {
  const known = new Map<string, readonly string[]>();
  return texts.map((text) => {
    const roots: string[] = [];
    for (const name of text.slice(0, MAX_CHARS).match(WORD) ?? []) {
      let own = known.get(name);
      if (own === undefined) known.set(name, (own = wordsIn(name).map(rootOf)));
      for (const root of own) roots.push(root);
    }
    return roots;
  });
}

/** Telling words of a question, with their places in a list; all of them if none is. */
function termsOf(query: string): Map<string, number> {
  const names = query.slice(0, MAX_CHARS).match(WORD) ?? [];
  const telling = names.filter((name) => !STOP_WORDS.has(name.toLowerCase()) && !ASKING.has(name.toLowerCase()));
  const terms = new Map<string, number>();
  for (const name of telling.length > 0 ? telling : names) {
    for (const word of wordsIn(name)) {
      const root = rootOf(word);
      if (terms.size < MAX_TERMS && !terms.has(root)) terms.set(root, terms.size);
    }
  }
  return terms;
}

/** A shorter word is too near to too many others. */
const LEAST_MISTYPED = 5;

/** Whether one letter is missing, too many, another, or has changed places with the next. */
function isOneOff(one: string, other: string): boolean {
  const difference = one.length - other.length;
  if (difference > 1 || difference < -1) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from += 1;
  const rest = (word: string, skipped: number): string => word.slice(from + skipped);
  if (difference === 1) return rest(one, 1) === rest(other, 0);
  if (difference === -1) return rest(one, 0) === rest(other, 1);
  const isSwapped = one[from] === other[from + 1] && one[from + 1] === other[from] && rest(one, 2) === rest(other, 2);
  return isSwapped || rest(one, 1) === rest(other, 1);
}

/** Words of the question that no text has, each as the word of a text that is one letter off, if only one word is. */
function corrected(terms: ReadonlyMap<string, number>, texts: readonly (readonly string[])[]): Map<string, number> {
  const words = new Set<string>();
  for (const roots of texts) for (const root of roots) words.add(root);
  const all = new Map(terms);
  for (const [term, place] of terms) {
    if (words.has(term) || term.length < LEAST_MISTYPED || /\p{N}/u.test(term)) continue;
    const near = [...words].filter((word) => word[0] === term[0] && !terms.has(word) && isOneOff(term, word));
    const [only] = near;
    if (near.length === 1 && only !== undefined) all.set(only, place);
  }
  return all;
}

export interface Match {
  /**
   * 0..1: what share of the question's words the text has, the rare ones counting more. Words that no text has count nothing; in a long
   * text, which has words by chance, each counts less.
   */
  readonly share: number;
  /** So many of the question's words it has; undefined for a text too long to be read to its end. */
  readonly held: number | undefined;
  /** Which of the question's words it has, by their places. */
  readonly terms: ReadonlySet<number>;
}

export interface Matching {
  /** For each text, in order. */
  readonly matches: readonly Match[];
  /** 0..1: what share of the question's words any of the texts has. */
  readonly known: number;
}

/**
 * Compares a question with texts that were found for it. A word of it that is in no text also stands for the one word that is a letter off.
 * Linear in the texts for each such word. Never throws.
 */
export function matchingOf(query: string, texts: readonly string[]): Matching {
  const written = termsOf(query);
  const having = Array.from(written, () => 0);
  const rooted = rootsOf(texts);
  const terms = corrected(written, rooted);
  const bags = rooted.map((roots, place) => {
    const counts = new Map<number, number>();
    for (const root of roots) {
      const term = terms.get(root);
      if (term !== undefined) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    for (const term of counts.keys()) having[term] = (having[term] ?? 0) + 1;
    return { counts, length: roots.length, isWhole: (texts[place] ?? '').length <= MAX_CHARS };
  });
  const usual = bags.reduce((sum, { length }) => sum + length, 0) / Math.max(1, bags.length) || 1;
  const all = Math.max(LEAST_TEXTS, texts.length);
  const rarity = having.map((texted) => Math.log(1 + (all - texted + 0.5) / (texted + 0.5)));
  const whole = rarity.reduce((sum, worth, term) => sum + (having[term] === 0 ? 0 : worth), 0);
  const matches = bags.map(({ counts, length, isWhole }): Match => {
    const damping = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / usual);
    let score = 0;
    for (const [term, count] of counts) {
      score += (rarity[term] ?? 0) * Math.min(1, (count * (SATURATION + 1)) / (count + damping));
    }
    return {
      share: whole === 0 ? 0 : Math.min(1, score / whole),
      held: isWhole ? counts.size : undefined,
      terms: new Set(counts.keys()),
    };
  });
  const met = having.filter((texted) => texted > 0).length;
  return { matches, known: written.size === 0 ? 0 : met / written.size };
}
