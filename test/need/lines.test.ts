import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hunksOf, keyOf, linesOf } from '../../src/need/lines.ts';

describe('keyOf', () => {
  test.each([
    ['    12→  const a = 1;', 'const a = 1;'],
    ['12\tconst a = 1;', 'const a = 1;'],
    ['  const a = 1;\r', 'const a = 1;'],
    ['12 apples', '12 apples'],
    ['   ', ''],
  ])('%j is compared as %j', (line, key) => {
    expect(keyOf(line)).toBe(key);
  });
});

describe('linesOf', () => {
  test('leaves lines of up to 1,200 characters as they are', () => {
    const lines = ['a'.repeat(1_200), '', 'b'];
    expect(linesOf(lines.join('\n'))).toEqual(lines);
  });

  test('cuts a longer line into pieces of at most 600, behind blanks where there are some', () => {
    const pieces = linesOf('word '.repeat(400));
    expect(pieces.every((piece) => piece.length <= 600)).toBe(true);
    expect(pieces.slice(0, -1).every((piece) => piece.endsWith(' '))).toBe(true);
  });

  test('never cuts a character in two', () => {
    for (const text of ['🙂'.repeat(2_000), `a${'🙂'.repeat(2_000)}`]) {
      expect(linesOf(text).every((piece) => piece.isWellFormed())).toBe(true);
    }
  });

  test('loses and adds nothing', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.string({ minLength: 1_000, maxLength: 3_000 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        expect(linesOf(lines.join('\n')).join('')).toBe(lines.join('\n').replaceAll('\n', ''));
      }),
      { numRuns: 50 },
    );
  });
});

describe('hunksOf', () => {
  test.each<[why: string, keys: string[], size: number, hunks: [number, number][]]>([
    ['nothing', [], 3, []],
    [
      'full hunks, and what is left',
      ['a', 'b', 'c', 'd', 'e'],
      2,
      [
        [0, 1],
        [2, 3],
        [4, 4],
      ],
    ],
    [
      'an empty line ends one that is half full',
      ['a', 'b', '', 'c'],
      5,
      [
        [0, 2],
        [3, 3],
      ],
    ],
    ['an empty line near the beginning ends none', ['a', '', 'b', 'c', 'd', 'e'], 6, [[0, 5]]],
    [
      'many empty lines are one',
      ['a', 'b', '', '', '', '', '', 'c'],
      2,
      [
        [0, 1],
        [2, 6],
        [7, 7],
      ],
    ],
  ])('%s', (_why, keys, size, hunks) => {
    expect(hunksOf(keys, size)).toEqual(hunks);
  });

  test('every line stands in one hunk, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('', 'x')), fc.integer({ min: 1, max: 32 }), (keys, size) => {
        const lines = hunksOf(keys, size).flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, i) => a + i));
        expect(lines).toEqual(keys.map((_, index) => index));
      }),
    );
  });
});
