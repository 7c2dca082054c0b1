import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generated, languages } from '../../bench/tokens/texts.mjs';
import { estimateTokens } from '../../src/tokens/text.ts';
import { cpuMs } from '../support/time.ts';

/** Relative error against o200k: −0.02 is 2 % short. */
const errorOf = (text: string): number => estimateTokens(text) / countTokens(text) - 1;

const anyUtf16 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
  .map((codes) => String.fromCharCode(...codes));
const anyText = fc.oneof(
  anyUtf16,
  fc.string({ unit: 'binary-ascii', maxLength: 300 }),
  fc.string({ unit: 'grapheme' }),
);

// Another seed than the benchmark's, so that a bound is not met by luck of one text.
const kinds = generated(2);

describe('against a real tokenizer', () => {
  test.each(kinds.filter((group) => group.family === 'code'))(
    'is not short of $kind, and at most 25 % above',
    ({ texts }) => {
      for (const text of texts) {
        expect(errorOf(text)).toBeGreaterThanOrEqual(-0.02);
        expect(errorOf(text)).toBeLessThanOrEqual(0.25);
      }
    },
  );

  test.each(kinds.filter((group) => group.family === 'bound'))('is at most 2 % short of $kind', ({ texts }) => {
    for (const text of texts) {
      expect(errorOf(text)).toBeGreaterThanOrEqual(-0.02);
      expect(errorOf(text)).toBeLessThanOrEqual(0.35);
    }
  });

  test.each(Object.entries(languages))('%s: at most 2 % short, at most 35 % above', (_language, text) => {
    expect(errorOf(text)).toBeGreaterThanOrEqual(-0.02);
    expect(errorOf(text)).toBeLessThanOrEqual(0.35);
  });

  test('is about 4 characters per token on English prose', () => {
    const [prose] = kinds.find((group) => group.kind === 'prose')?.texts ?? [];
    const perToken = (prose ?? '').length / estimateTokens(prose ?? '');
    expect(perToken).toBeGreaterThan(3.8);
    expect(perToken).toBeLessThan(5.2);
  });

  test.each([
    ['empty', '', 0, 0],
    ['one word', 'hello', 1, 2],
    ['one letter', 'x', 1, 1],
    ['one digit', '7', 1, 2],
    ['a contraction', "don't", 1, 3],
    ['a character of three bytes', '界', 1, 1],
    ['an emoji', '🚀', 1, 3],
    ['a lone surrogate', '\ud800', 1, 1],
    ['a long ruler', '-'.repeat(80), 1, 5],
    ['a long indentation', ' '.repeat(80), 1, 4],
  ])('small things stay small: %s', (_name, text, least, most) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(least);
    expect(estimateTokens(text)).toBeLessThanOrEqual(most);
  });
});

describe('for any UTF-16 at all', () => {
  test('is a whole number, 0 only for nothing', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = estimateTokens(text);
        expect(Number.isSafeInteger(tokens)).toBe(true);
        expect(tokens > 0).toBe(text !== '');
      }),
    );
  });

  test('two texts together cost what they cost apart, but for the seam', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(Math.abs(estimateTokens(a + b) - estimateTokens(a) - estimateTokens(b))).toBeLessThanOrEqual(6);
      }),
    );
  });

  test('a text repeated costs as many times as much', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = estimateTokens(text);
        const often = estimateTokens(`${text}\n`.repeat(50));
        expect(often).toBeLessThanOrEqual(50 * (once + 4));
        expect(often).toBeGreaterThanOrEqual(50 * (once - 4));
      }),
    );
  });
});

test.each([
  ['letters', 'a'],
  ['capitals', 'A'],
  ['camel case', 'aB'],
  ['digits', '7'],
  ['signs', '('],
  ['rulers', '='],
  ['apostrophes', "a'"],
  ['spaces', ' '],
  ['line breaks', '\r\n'],
  ['box lines', '─'],
  ['halves of pairs', '\ud83d'],
  ['Chinese', '界'],
  ['marks', '\u0301'],
])('a megabyte of %s is read in one pass', (_name, unit) => {
  // Some 10 ms; anything quadratic would take hours.
  expect(cpuMs(() => estimateTokens(unit.repeat((1 << 20) / unit.length)))).toBeLessThan(3000);
});
