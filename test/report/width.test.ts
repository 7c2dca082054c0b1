import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnsOf, fill, fit, wrap } from '../../src/report/width.ts';
import { cpuMs } from '../support/time.ts';

test.each([
  ['plain', 'abc', 3],
  ['accents, composed and combining', 'é e\u0301', 3],
  ['Chinese', '漢字', 4],
  ['Hangul', '한국', 4],
  ['full-width forms', 'ＡＢ', 4],
  ['half-width katakana', 'ｱｲ', 2],
  ['an emoji', '🙂', 2],
  ['an emoji with a skin tone', '👍🏽', 2],
  ['arrows and blocks', '→ █░', 4],
  ['nothing', '', 0],
])('%s: the columns of %j are %i', (_, text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

describe('a text cut to columns', () => {
  test.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['漢字', 4, '漢字'],
    ['漢字', 3, '漢…'],
    ['漢字字', 4, '漢…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['abc', -5, ''],
  ])('%j in %i is %j', (text, columns, expected) => {
    expect(fit(text, columns)).toBe(expected);
  });

  test('never takes more columns, and exactly as many if it is filled', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 30 }), (text, columns) => {
        expect(columnsOf(fit(text, columns))).toBeLessThanOrEqual(columns);
        expect(columnsOf(fill(text, columns))).toBe(columns);
      }),
    );
  });

  test('is made without looking at what is not shown', () => {
    const long = 'x'.repeat(1_000_000);
    const fitted = cpuMs(() => {
      for (let i = 0; i < 1000; i++) fit(long, 40);
    });
    expect(fitted).toBeLessThan(2_000);
  });
});

test.each([
  ['one two three', 7, ['one two', 'three']],
  ['one two three', 80, ['one two three']],
  ['longer words', 4, ['lon…', 'wor…']],
  ['漢字 漢字', 6, ['漢字', '漢字']],
  ['', 5, ['']],
])('%j wrapped to %i columns', (text, columns, lines) => {
  expect(wrap(text, columns)).toEqual(lines);
});
