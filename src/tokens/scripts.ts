/**
 * What a character outside ASCII costs, by script.
 *
 * A byte-pair vocabulary learns a script as well as its training text covered it: a Russian letter costs a third of a
 * token, a Chinese character most of one, a Khmer letter two thirds, a Cherokee letter its three bytes. Two numbers per
 * script say that well enough. Measured with o200k over the translations of the Universal Declaration of Human Rights
 * and, for symbols, over transcripts; the upper ends also over translated messages of programs in 100 languages. A script
 * without vocabulary costs its UTF-8 bytes.
 */

/** A Latin letter with a mark, or a mark: part of the word it stands in. */
export const MARKED = 6;
/** A letter of another script. */
export const LETTER = 7;
/** Anything else: punctuation, arrows, boxes, emoji. */
export const SYMBOL = 8;
/** A symbol that comes in long runs of one character: lines of boxes. */
export const FRAME = 9;

/** From which code unit on (multiples of 16), what kind, and tokens per character: in usual text, and at the upper end. */
type Script = readonly [from: number, kind: number, usual: number, most: number];

const SCRIPTS: readonly Script[] = [
  [0x0080, SYMBOL, 1, 1.1], // Latin-1 signs
  [0x00c0, MARKED, 0.6, 1], // é, ü
  [0x0100, MARKED, 0.6, 0.6], // ł, ş, ő
  [0x0180, MARKED, 0.9, 1.2], // ư, ǎ
  [0x0240, MARKED, 0.8, 1.6], // phonetic letters
  [0x0300, MARKED, 1, 2], // combining marks
  [0x0380, LETTER, 0.41, 0.46], // Greek
  [0x0400, LETTER, 0.6, 1], // Cyrillic capitals of other languages
  [0x0410, LETTER, 0.29, 0.36], // Russian
  [0x0450, LETTER, 0.7, 1.1], // Ukrainian, Serbian
  [0x0460, LETTER, 1, 2], // old Cyrillic
  [0x0480, LETTER, 0.6, 1], // Cyrillic of other languages
  [0x0540, LETTER, 0.29, 0.36], // Armenian
  [0x0580, LETTER, 0.46, 0.5], // Hebrew
  [0x0600, LETTER, 0.36, 0.42], // Arabic
  [0x0680, LETTER, 0.5, 0.7], // Arabic letters of other languages
  [0x0700, LETTER, 2.2, 2.4], // Syriac, Thaana, NKo
  [0x0900, LETTER, 0.36, 0.43], // Devanagari
  [0x0980, LETTER, 0.38, 0.46], // Bengali
  [0x0a00, LETTER, 0.61, 0.68], // Gurmukhi
  [0x0a80, LETTER, 0.41, 0.47], // Gujarati
  [0x0b00, LETTER, 1.5, 1.35], // Odia
  [0x0b80, LETTER, 0.39, 0.43], // Tamil
  [0x0c00, LETTER, 0.51, 0.57], // Telugu
  [0x0c80, LETTER, 0.45, 0.47], // Kannada
  [0x0d00, LETTER, 0.36, 0.4], // Malayalam
  [0x0d80, LETTER, 0.66, 0.68], // Sinhala
  [0x0e00, LETTER, 0.44, 0.48], // Thai
  [0x0e80, LETTER, 1.9, 2], // Lao
  [0x0f00, LETTER, 1.52, 1.65], // Tibetan
  [0x1000, LETTER, 0.57, 0.62], // Myanmar
  [0x1080, LETTER, 0.3, 0.38], // Georgian
  [0x1100, LETTER, 2.5, 3], // Hangul jamo
  [0x1200, LETTER, 2.1, 2.4], // Ethiopic
  [0x1380, LETTER, 3.2, 3.4], // Cherokee, Canadian syllabics
  [0x1780, LETTER, 0.64, 0.66], // Khmer
  [0x1800, LETTER, 3.1, 3.3], // Mongolian and others
  [0x1e00, MARKED, 0.7, 0.5], // Vietnamese
  [0x1f00, LETTER, 1.5, 2], // Polytonic Greek
  [0x2000, SYMBOL, 1, 1.2], // dashes, quotes, bullets
  [0x2080, SYMBOL, 1.2, 2], // currency, letter-like
  [0x2180, SYMBOL, 1, 1.4], // arrows
  [0x2200, SYMBOL, 1.3, 2], // mathematics
  [0x2300, SYMBOL, 1.5, 2.2], // technical
  [0x2500, FRAME, 1.4, 1.5], // box drawing
  [0x2580, SYMBOL, 1.2, 1.6], // blocks, shapes
  [0x2600, SYMBOL, 2.6, 3], // weather, chess, games
  [0x2700, SYMBOL, 1.1, 1.5], // dingbats
  [0x2740, SYMBOL, 2, 2.5], // dingbats, heavy marks
  [0x27c0, SYMBOL, 2.9, 3], // braille and others
  [0x3000, SYMBOL, 0.7, 0.7], // Chinese and Japanese punctuation
  [0x3040, LETTER, 0.8, 0.83], // Kana
  [0x3100, LETTER, 2, 2.5], // Bopomofo, compatibility jamo
  [0x3400, LETTER, 3, 3.1], // rare ideographs
  [0x4e00, LETTER, 0.8, 1], // Chinese characters
  [0xa000, LETTER, 3, 3.2], // Yi, Vai and others
  [0xac00, LETTER, 0.75, 0.87], // Hangul
  [0xd7c0, LETTER, 3, 3.1], // private use
  [0xf900, LETTER, 2.2, 3.1], // compatibility forms
  [0xfe00, SYMBOL, 0.6, 0.8], // variation selectors, small forms
  [0xff00, SYMBOL, 0.8, 0.9], // fullwidth forms
];

/** Places after those of `SCRIPTS` for what UTF-16 writes with two code units. */
export const EMOJI: number = SCRIPTS.length;
export const RARE_IDEOGRAPH: number = EMOJI + 1;
export const ASTRAL: number = EMOJI + 2;
export const LONE_SURROGATE: number = EMOJI + 3;
const PAIRED: readonly (readonly [usual: number, most: number])[] = [
  [2.4, 2],
  [3.2, 4],
  [4, 4.2],
  [1, 1],
];

/** Tokens per character of each script, in usual text and at the upper end. */
export const SCRIPT_USUAL: readonly number[] = [...SCRIPTS.map((row) => row[2]), ...PAIRED.map((row) => row[0])];
export const SCRIPT_MOST: readonly number[] = [...SCRIPTS.map((row) => row[3]), ...PAIRED.map((row) => row[1])];
export const SCRIPT_COUNT: number = SCRIPT_USUAL.length;
export const SCRIPT_KIND: Uint8Array = Uint8Array.from(SCRIPTS, (row) => row[1]);

/** Place in `SCRIPTS` of each block of 16 code units. */
export const SCRIPT_OF_BLOCK: Uint8Array = (() => {
  const places = new Uint8Array(4096);
  SCRIPTS.forEach((row, place) => places.fill(place, row[0] >> 4));
  return places;
})();
