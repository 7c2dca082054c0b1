/**
 * What each kind of piece costs, in tokens: two columns for two promises.
 *
 * `USUAL` is the least-squares fit (relative error, non-negative) to o200k counts of transcripts, source code, Markdown,
 * JSON and generated texts; every second file was left out to check it. `MOST` is a fit to more of them (source files of
 * 17 kinds, messages of programs in 100 languages) in which an error below the truth weighs 20 times one above it. Both
 * are rounded; repeated characters and control characters, rare in the data, are set from counts of their own.
 * `bench/tokens` prints how well the result holds. The kinds that cost nothing in usual text narrow the upper end only.
 */
import * as piece from './scan.ts';
import { SCRIPT_MOST, SCRIPT_USUAL } from './scripts.ts';

/** The kind of piece, its usual cost, its cost at the upper end. */
const COSTS: readonly (readonly [kind: number, usual: number, most: number])[] = [
  [piece.WORD, 0.74, 0.9],
  [piece.JOINED_WORD, 1.29, 1.53],
  [piece.BARE_WORD, 0.53, 0.79],
  [piece.WORD_AFTER_DIGIT, 0.98, 1.08],
  // Letter pairs are counted in tenths.
  [piece.PAIR, 0.1, 0.05],
  [piece.CAPITAL_PAIR, 0.16, 0.15],
  [piece.MIXED_CASE, 0.85, 0.67],
  [piece.DIGITS, 1, 1.03],
  [piece.SIGNS, 0.95, 1.11],
  [piece.MORE_SIGNS, 0.59, 0.69],
  [piece.REPEATED_SIGN, 0.25, 0.42],
  [piece.CONTROL, 1.25, 1.55],
  [piece.REPEATED_FRAME, 0.15, 0.1],
  [piece.NEWLINES, 1.19, 1.3],
  [piece.BLANKS, 0.99, 0.94],
  [piece.BLANK_LENGTH, 0.01, 0.01],
  // On top of what the word costs.
  [piece.APART_WORD, 0, 0.31],
  [piece.LONG_WORD, 0, 0.57],
  // Tenths, too.
  [piece.ODD_WORD, 0, 0.15],
  [piece.LONE_TAB, 0, 0.9],
];

/** Tokens per piece, at the places of `countPieces`: in usual text. */
export const USUAL: Float64Array = table(1, SCRIPT_USUAL);
/** The same at the upper end. */
export const MOST: Float64Array = table(2, SCRIPT_MOST);

function table(column: 1 | 2, scripts: readonly number[]): Float64Array {
  const costs = new Float64Array(piece.KINDS);
  for (const row of COSTS) costs[row[0]] = row[column];
  costs.set(scripts, piece.FIRST_SCRIPT);
  return costs;
}

/** Used again for each text: a new one each time was a sixth of the work on short texts. */
const counts = new Float64Array(piece.KINDS);

/** Tokens of `text` by a table of costs, not rounded. */
export function weigh(text: string, costs: Float64Array): number {
  if (text === '') return 0;
  counts.fill(0);
  piece.countPieces(text, counts);
  let tokens = 0;
  for (let kind = 0; kind < costs.length; kind++) tokens += counts[kind]! * costs[kind]!;
  return tokens;
}
