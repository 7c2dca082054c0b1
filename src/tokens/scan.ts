/**
 * Cuts text into the pieces a byte-pair tokenizer looks at, and counts them by kind. One pass, and no strings are made.
 *
 * The pieces follow the split rule of o200k: a word takes one space or sign before it, a capital after a small letter
 * starts a new word, digits go by threes, signs take the space before and the newlines behind them. What a piece costs is
 * decided in `costs.ts`.
 */
import { LETTER_PAIRS, NO_LETTER } from './letter-pairs.ts';
import {
  ASTRAL,
  EMOJI,
  FRAME,
  LETTER,
  LONE_SURROGATE,
  MARKED,
  RARE_IDEOGRAPH,
  SCRIPT_COUNT,
  SCRIPT_KIND,
  SCRIPT_OF_BLOCK,
} from './scripts.ts';

/** What is counted, as places in the result; the characters of each script follow from `FIRST_SCRIPT` on. */
export const WORD = 0;
export const JOINED_WORD = 1;
export const BARE_WORD = 2;
export const WORD_AFTER_DIGIT = 3;
export const PAIR = 4;
export const CAPITAL_PAIR = 5;
export const MIXED_CASE = 6;
export const DIGITS = 7;
export const SIGNS = 8;
export const MORE_SIGNS = 9;
export const REPEATED_SIGN = 10;
export const CONTROL = 11;
export const REPEATED_FRAME = 12;
export const NEWLINES = 13;
export const BLANKS = 14;
export const BLANK_LENGTH = 15;
export const APART_WORD = 16;
export const LONG_WORD = 17;
export const ODD_WORD = 18;
export const LONE_TAB = 19;
export const FIRST_SCRIPT = 20;
export const KINDS: number = FIRST_SCRIPT + SCRIPT_COUNT;

// Kinds of characters; those from MARKED on come from `scripts.ts`.
const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const SIGN = 3;
const BLANK = 4;
const BREAK = 5;

const ASCII_KIND: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (char >= 'a' && char <= 'z') return LOWER;
  if (char >= 'A' && char <= 'Z') return UPPER;
  if (char >= '0' && char <= '9') return DIGIT;
  if (char === '\n' || char === '\r') return BREAK;
  return ' \t\v\f'.includes(char) ? BLANK : SIGN;
});

const CAPITAL_A = 65;
const SMALL_A = 97;

// What stands before a piece, and whether the piece takes it.
const NOTHING = 0;
const SPACE = 1;
const JOINING_SIGN = 2;
const NUMBER = 3;
const OTHER_SIGN = 4;

// What each blank or sign is to the word behind it. `_name` and `.name` stand in the vocabulary as ` name` does: it holds
// over 4,000 words with each. With `-`, `(`, `/` or a tab before them it holds one or two thousand, with any other sign
// at most 250.
const JOINING: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  if (ASCII_KIND[code] === BREAK) return NOTHING;
  const char = String.fromCharCode(code);
  if (' _.'.includes(char)) return SPACE;
  return ASCII_KIND[code] === BLANK || '-(/'.includes(char) ? JOINING_SIGN : OTHER_SIGN;
});

// Rulers are drawn with these, and the vocabulary holds long runs of them.
const RULER: ReadonlySet<number> = new Set(Array.from('-=*_#./', (char) => char.charCodeAt(0)));
const RULER_RUN = 16;

// Few words of the vocabulary have more letters.
const LONGEST_WHOLE = 10;
// None has so many, however usual its pairs are: of the letters behind these, two are a token at most.
const LONGEST_WORD = 48;
const TENTHS_PER_LETTER = 5;
// A word is one token at least, so its first rare pairs (tenths of a token) often cost nothing.
const FREE_PAIRS = 10;

const WORD_PLACE: Uint8Array = Uint8Array.of(BARE_WORD, WORD, JOINED_WORD, WORD_AFTER_DIGIT, JOINED_WORD);

/** Adds the pieces of `text` to `counts`, by kind: WORD, JOINED_WORD, … and the characters outside ASCII by script. Linear; never throws. */
export function countPieces(text: string, counts: Float64Array): void {
  let before = NOTHING;
  let at = 0;
  while (at < text.length) {
    let kind = kindAt(text, at);
    if (kind === BLANK || (kind === SIGN && before !== SPACE)) {
      const next = kindAt(text, at + 1);
      if (isLetter(next)) {
        const code = text.charCodeAt(at);
        if (kind === SIGN && isControl(code)) counts[CONTROL]! += 1;
        before = JOINING[code]!;
        kind = next;
        at++;
      }
    }
    if (kind <= UPPER || kind === MARKED) {
      counts[WORD_PLACE[before]!]! += 1;
      if (before === OTHER_SIGN) counts[APART_WORD]! += 1;
      at = skipContraction(text, readWord(text, at, counts));
      before = NOTHING;
    } else if (kind === BLANK || kind === BREAK) {
      const start = at;
      at = readBlanks(text, start, counts);
      before = JOINING[text.charCodeAt(at - 1)]!;
    } else if (kind === DIGIT) {
      // A space or sign is never taken by a number, so it is a piece of its own.
      if (before === SPACE || before === JOINING_SIGN) counts[BLANKS]! += 1;
      const start = at;
      while (at < text.length && kindAt(text, at) === DIGIT) at++;
      counts[DIGITS]! += Math.ceil((at - start) / 3);
      before = NUMBER;
    } else if (kind === SIGN) {
      // Signs take a space before them, but no tab.
      if (before === JOINING_SIGN) counts[LONE_TAB]! += 1;
      at = readSigns(text, at, counts);
      before = NOTHING;
    } else {
      at = readOther(text, at, counts);
      before = NOTHING;
    }
  }
}

function kindAt(text: string, at: number): number {
  // Past the end is as a line break: nothing joins it.
  if (at >= text.length) return BREAK;
  const code = text.charCodeAt(at);
  return code < 128 ? ASCII_KIND[code]! : SCRIPT_KIND[SCRIPT_OF_BLOCK[code >> 4]!]!;
}

function isLetter(kind: number): boolean {
  return kind <= UPPER || kind === MARKED || kind === LETTER;
}

function isControl(code: number): boolean {
  return code < 32 || code === 127;
}

function readWord(text: string, start: number, counts: Float64Array): number {
  const end = text.length;
  let at = start;
  let row = NO_LETTER;
  let pairs = 0;
  while (at < end) {
    const letter = text.charCodeAt(at) - CAPITAL_A;
    if (letter < 0 || letter > 25) break;
    pairs += LETTER_PAIRS[row + letter]!;
    row = letter * 26;
    at++;
  }
  const capitals = at - start;
  const capitalPairs = pairs;
  if (capitals > 1) counts[CAPITAL_PAIR]! += pairs;
  pairs = 0;
  while (at < end) {
    const code = text.charCodeAt(at);
    const letter = code - SMALL_A;
    if (letter >= 0 && letter < 26) {
      pairs += LETTER_PAIRS[row + letter]!;
      row = letter * 26;
    } else {
      if (code < 128) break;
      const script = SCRIPT_OF_BLOCK[code >> 4]!;
      if (SCRIPT_KIND[script] !== MARKED) break;
      counts[FIRST_SCRIPT + script]! += 1;
      row = NO_LETTER;
    }
    at++;
  }
  const least = TENTHS_PER_LETTER * (at - start - LONGEST_WORD) - capitalPairs;
  counts[PAIR]! += Math.max(pairs, least);
  if (capitals > 1 && at > start + capitals) counts[MIXED_CASE]! += 1;
  if (at - start > LONGEST_WHOLE) counts[LONG_WORD]! += at - start - LONGEST_WHOLE;
  if (pairs + capitalPairs > FREE_PAIRS) counts[ODD_WORD]! += pairs + capitalPairs - FREE_PAIRS;
  return at;
}

/** `'s`, `'t`, `'re` and the like stay with the word they follow. */
function skipContraction(text: string, at: number): number {
  if (at >= text.length || text.charCodeAt(at) !== 39) return at;
  let end = at + 1;
  while (end < at + 4 && kindAt(text, end) <= UPPER) end++;
  const length = end - at - 1;
  const first = text.charCodeAt(at + 1) | 32;
  const second = text.charCodeAt(at + 2) | 32;
  // s, t, m, d
  if (length === 1) return first === 115 || first === 116 || first === 109 || first === 100 ? end : at;
  // re, ve, ll
  const long =
    (first === 114 && second === 101) || (first === 118 && second === 101) || (first === 108 && second === 108);
  return length === 2 && long ? end : at;
}

/** White space: all of it up to the last line break is one piece, what is left is one but for the space the next takes. */
function readBlanks(text: string, start: number, counts: Float64Array): number {
  let at = start;
  let afterBreak = start;
  for (; at < text.length; at++) {
    const kind = kindAt(text, at);
    if (kind === BREAK) afterBreak = at + 1;
    else if (kind !== BLANK) break;
  }
  if (afterBreak > start) counts[NEWLINES]! += 1;
  const taken = at < text.length ? 1 : 0;
  if (at - afterBreak > taken) counts[BLANKS]! += 1;
  counts[BLANK_LENGTH]! += Math.max(0, at - start - 2);
  return at;
}

/** A run of signs, with the line breaks behind it. */
function readSigns(text: string, start: number, counts: Float64Array): number {
  let at = start;
  let last = -1;
  let changes = -1;
  for (; kindAt(text, at) === SIGN; at++) {
    const code = text.charCodeAt(at);
    if (code !== last) changes++;
    else counts[REPEATED_SIGN]! += RULER.has(code) ? 1 / RULER_RUN : 1;
    if (isControl(code)) counts[CONTROL]! += 1;
    last = code;
  }
  counts[SIGNS]! += 1;
  counts[MORE_SIGNS]! += Math.max(0, changes - 1);
  while (at < text.length && kindAt(text, at) === BREAK) at++;
  return at;
}

/** One character that is neither ASCII nor a Latin letter, or a line drawn of one. */
function readOther(text: string, at: number, counts: Float64Array): number {
  const code = text.charCodeAt(at);
  if (code >= 0xd800 && code < 0xe000) {
    const low = code < 0xdc00 ? text.charCodeAt(at + 1) : 0;
    if (!(low >= 0xdc00 && low < 0xe000)) {
      counts[FIRST_SCRIPT + LONE_SURROGATE]! += 1;
      return at + 1;
    }
    let row = ASTRAL;
    if (code >= 0xd83c && code <= 0xd83e) row = EMOJI;
    else if (code >= 0xd840 && code < 0xd880) row = RARE_IDEOGRAPH;
    counts[FIRST_SCRIPT + row]! += 1;
    return at + 2;
  }
  const row = SCRIPT_OF_BLOCK[code >> 4]!;
  counts[FIRST_SCRIPT + row]! += 1;
  let end = at + 1;
  if (SCRIPT_KIND[row] === FRAME) {
    while (end < text.length && text.charCodeAt(end) === code) end++;
    counts[REPEATED_FRAME]! += end - at - 1;
  }
  return end;
}
