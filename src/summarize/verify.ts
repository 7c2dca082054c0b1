/**
 * Whether what a summary names really stands in what it summarises: paths, identifiers, URLs, flags, hashes and numbers,
 * each as it is written. What does not is listed; whether it is wrong, or only written differently, a reader decides. Pure.
 */

export interface Verification {
  /** Different names and numbers in the summary. */
  readonly checked: number;
  /** Those that do not stand in the source, in order. */
  readonly unverified: readonly string[];
}

/** More than a summary has. */
const MAX_NAMES = 2_000;
const MAX_NAME_CHARS = 300;

/** Runs of characters that names, paths, addresses and numbers are made of. */
const RUN = /https?:\/\/[^\s"'`<>)\]}|]+|[\p{L}\p{N}_$@.~\\/:#%+,*=-]+/gu;
/** What surrounds a name without belonging to it. */
const EDGES = /^[.,:;*+=#%]+|^-(?!-)|[.,:;*+=-]+$/g;
const NUMBER = /\d+(?:[.,]\d+)*/g;
const HAS_DIGIT = /\d/;
const PLAIN_NUMBER = /^\d+(?:[.,]\d+)*%?$/;
/** Endings that make `name.ending` a file. */
const FILE = /^[\p{L}\p{N}_$@~-]+(?:\.[\p{L}\p{N}_-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}$/u;
const ABBREVIATIONS: ReadonlySet<string> = new Set(['e.g', 'i.e', 'etc', 'vs', 'a.k.a', 'w.r.t', 'cf']);

function isName(run: string): boolean {
  if (run.includes('://') || /[\\/]/.test(run)) return /[\p{L}\p{N}_]/u.test(run);
  if (run.startsWith('--')) return run.length > 3;
  if (ABBREVIATIONS.has(run.toLowerCase())) return false;
  if (FILE.test(run)) return true;
  if (/[_$@]/.test(run) || /::|->/.test(run)) return /[\p{L}\p{N}]{2}/u.test(run);
  // Camel case, an error code, a name with a number in it.
  if (/\p{Ll}\p{Lu}/u.test(run) || /^E[A-Z]{3,}$/.test(run)) return true;
  return HAS_DIGIT.test(run) && /\p{L}/u.test(run);
}

/** Slashes of prose: `and/or`, `read/write`, `input/output`. They name nothing unless a part does. */
function isProse(run: string): boolean {
  return (
    /^\p{L}+(?:\/\p{L}+)+$/u.test(run) &&
    run.split('/').every((part) => /^\p{Lu}?\p{Ll}*$/u.test(part)) &&
    run.split('/').length === 2
  );
}

/** `key:value`, `file.ts:12` and `a=b` hold two names. A drive and an address do not. */
function piecesOf(run: string): string[] {
  if (run.includes('://')) return [run];
  return run.split(/(?<!:):(?!:)(?![\\/])|=|,(?!\d)/).filter((piece) => piece !== '');
}

/** Numbers are compared without separators of thousands. */
function plainNumber(text: string): string {
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;
}

/** One value, though it is written as three. */
const DAYS = /\d{4}-\d{2}-\d{2}/g;

/** What stands in backticks is meant as it is written. */
const CODE = /`([^`\n]{1,300})`/g;
/** A word in backticks is a name if it has two letters. */
const TWO_LETTERS = /\p{L}.*\p{L}/u;

class Names {
  readonly names = new Set<string>();
  readonly numbers = new Set<string>();

  get isFull(): boolean {
    return this.names.size + this.numbers.size >= MAX_NAMES;
  }

  /** Of a range, a product, about so many; or a day. */
  #addNumbers(run: string): void {
    for (const [day] of run.matchAll(DAYS)) this.numbers.add(day);
    for (const [number] of run.replaceAll(DAYS, ' ').matchAll(NUMBER)) this.numbers.add(plainNumber(number));
  }

  addFrom(text: string, isCode: boolean): void {
    for (const [run] of text.matchAll(RUN)) {
      for (const piece of piecesOf(run)) {
        const name = piece.replaceAll(EDGES, '').slice(0, MAX_NAME_CHARS).toWellFormed();
        if (this.isFull) return;
        if (PLAIN_NUMBER.test(name)) this.numbers.add(plainNumber(name.replace('%', '')));
        else if ((isCode && TWO_LETTERS.test(name)) || (isName(name) && !isProse(name))) {
          this.names.add(name);
        } else if (!/\p{L}/u.test(name)) this.#addNumbers(name);
      }
    }
  }
}

/** Names and numbers of a summary, each once, as written. Numbers of a list (`1. …`) are its own. */
export function namesOf(summary: string): { readonly names: readonly string[]; readonly numbers: readonly string[] } {
  const found = new Names();
  for (const line of summary.split('\n')) {
    const content = line.replace(/^\s*(?:#+|[-*+]|\d{1,3}[.)])\s+/, '');
    for (const [, code = ''] of content.matchAll(CODE)) found.addFrom(code, true);
    found.addFrom(content.replaceAll(CODE, ' '), false);
  }
  return { names: [...found.names], numbers: [...found.numbers] };
}

function isWordChar(text: string, at: number): boolean {
  return at >= 0 && at < text.length && /[\p{L}\p{N}_]/u.test(text.charAt(at));
}

/** Whether `name` stands in `text` and is not part of a longer word there. */
function standsIn(name: string, text: string): boolean {
  const [opens, closes] = [isWordChar(name, 0), isWordChar(name, name.length - 1)];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!(opens && isWordChar(text, at - 1)) && !(closes && isWordChar(text, at + name.length))) return true;
  }
  return false;
}

/** Words that a name is made of; a source that lacks one of them lacks the name. */
function wordsOf(text: string): IterableIterator<RegExpExecArray> {
  return text.matchAll(/[\p{L}\p{N}_]+/gu);
}

/**
 * Checks a summary against the whole text it was made from. `source` must have passed through the same masking. `doubted`: names
 * that an earlier summary in the source holds without evidence; it is none for them.
 */
export function verifySummary(summary: string, source: string, doubted: readonly string[] = []): Verification {
  const { names, numbers } = namesOf(summary);
  const doubts = new Set(doubted);
  const words = new Set<string>();
  for (const [word] of wordsOf(source)) words.add(word);
  const known = new Set<string>();
  for (const [day] of source.matchAll(DAYS)) known.add(day);
  for (const [number] of source.matchAll(NUMBER)) {
    known.add(plainNumber(number));
    // `3.5,4` is a list of two.
    if (number.includes(',')) for (const part of number.split(',')) known.add(part);
  }
  const isKnown = (name: string): boolean => {
    for (const [word] of wordsOf(name)) if (!words.has(word)) return false;
    return standsIn(name, source);
  };
  const unverified = [
    ...names.filter((name) => doubts.has(name) || !isKnown(name)),
    ...numbers.filter((number) => doubts.has(number) || !known.has(number)),
  ];
  return { checked: names.length + numbers.length, unverified };
}
