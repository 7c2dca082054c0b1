import { describe, expect, test } from 'vitest';
import * as piece from '../../src/tokens/scan.ts';
import { EMOJI, SCRIPT_OF_BLOCK } from '../../src/tokens/scripts.ts';

const { WORD, JOINED_WORD, BARE_WORD, WORD_AFTER_DIGIT, DIGITS, SIGNS, NEWLINES, BLANKS, CONTROL, MIXED_CASE } = piece;
const { APART_WORD, LONG_WORD, ODD_WORD, LONE_TAB } = piece;
const PIECES = [WORD, JOINED_WORD, BARE_WORD, WORD_AFTER_DIGIT, DIGITS, SIGNS, NEWLINES, BLANKS, CONTROL, MIXED_CASE];

function countsOf(text: string): Float64Array {
  const counts = new Float64Array(piece.KINDS);
  piece.countPieces(text, counts);
  return counts;
}

describe('cuts text where the tokenizer does', () => {
  test.each<[string, string, Record<number, number>]>([
    ['a space goes with the word behind it', 'one two', { [BARE_WORD]: 1, [WORD]: 1 }],
    ['so does one sign', 'call(argument', { [BARE_WORD]: 1, [JOINED_WORD]: 1 }],
    ['_ and . join like a space', 'snake_case.name', { [BARE_WORD]: 1, [WORD]: 2 }],
    ['two signs are a piece of their own', 'a::b', { [BARE_WORD]: 2, [SIGNS]: 1 }],
    ['a sign after a space is too', 'a (b', { [BARE_WORD]: 2, [SIGNS]: 1 }],
    ['a capital after a small letter starts a word', 'camelCase', { [BARE_WORD]: 2 }],
    ['capitals before a word stay with it', 'HTTPServer', { [BARE_WORD]: 1, [MIXED_CASE]: 1 }],
    ['a contraction stays with its word', "we're", { [BARE_WORD]: 1 }],
    ['a quoted word does not', "'quoted'", { [JOINED_WORD]: 1, [SIGNS]: 1 }],
    ['a letter with a mark does not end a word', 'naïveté', { [BARE_WORD]: 1 }],
    ['digits go by threes', '1234567', { [DIGITS]: 3 }],
    ['a number takes no space', 'at 5', { [BARE_WORD]: 1, [BLANKS]: 1, [DIGITS]: 1 }],
    ['hex falls apart', 'a1b2', { [BARE_WORD]: 1, [WORD_AFTER_DIGIT]: 1, [DIGITS]: 2 }],
    ['signs take the line break behind them', '};\n\n', { [SIGNS]: 1 }],
    ['a word does not', 'end\n\n', { [BARE_WORD]: 1, [NEWLINES]: 1 }],
    ['an indentation is one piece', '\n    return', { [NEWLINES]: 1, [BLANKS]: 1, [WORD]: 1 }],
    ['white space at the end is one piece', 'a  ', { [BARE_WORD]: 1, [BLANKS]: 1 }],
    ['an escape character counts', '\u001b[', { [SIGNS]: 1, [CONTROL]: 1 }],
  ])('%s: %j', (_rule, text, expected) => {
    const counts = countsOf(text);
    const found = Object.fromEntries(PIECES.filter((kind) => counts[kind]).map((kind) => [kind, counts[kind]]));
    expect(found).toEqual(expected);
  });

  test.each<[string, string, number, number]>([
    ['a sign that seldom stands with a word in the vocabulary sets it apart', '"a:b(c-d/e', APART_WORD, 2],
    ['letters beyond the tenth of a word count', 'configuration, instrumentation', LONG_WORD, 3 + 5],
    ['a word of ten letters is not long', 'compaction', LONG_WORD, 0],
    ['rare pairs of one word count beyond the first token', 'xqzkj', ODD_WORD, 15],
    ['rare pairs of two words do not add up', 'zk zk', ODD_WORD, 0],
    ['a tab before a sign is a piece of its own', '\t"a"\n\t\t{\tb', LONE_TAB, 1],
    ['a space before a sign is not', ' {', LONE_TAB, 0],
  ])('for the upper end: %s', (_rule, text, kind, count) => {
    expect(countsOf(text)[kind]).toBe(count);
  });

  test('characters outside ASCII are counted by script, a pair of code units once', () => {
    const counts = countsOf('世界 🚀');
    expect(counts[piece.FIRST_SCRIPT + (SCRIPT_OF_BLOCK[0x4e16 >> 4] ?? -1)]).toBe(2);
    expect(counts[piece.FIRST_SCRIPT + EMOJI]).toBe(1);
  });

  test('every count is a finite number ≥ 0 for every fifth code unit between letters', () => {
    for (let code = 0; code < 0x10000; code += 5) {
      const counts = countsOf(`a${String.fromCharCode(code)}b`);
      expect(counts.every((count) => count >= 0 && Number.isFinite(count))).toBe(true);
    }
  });
});
