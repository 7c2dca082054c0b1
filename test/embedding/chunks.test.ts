import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksOf, headOf, isHuge, MAX_CHUNKS, tailOf } from '../../src/embedding/chunks.ts';

const ids = (length: number): number[] => Array.from({ length }, (_, index) => index);

const cases: [tokens: number, size: number, lengths: number[], why: string][] = [
  [0, 254, [], 'nothing to embed'],
  [1, 254, [1], 'one token'],
  [254, 254, [254], 'exactly one run'],
  [255, 254, [127, 128], 'even halves rather than a rest of one'],
  [600, 254, [200, 200, 200], 'as few runs as will do'],
];

test.each(cases)('%i tokens in runs of %i are %j: %s', (tokens, size, lengths) => {
  expect(chunksOf(ids(tokens), size).map((run) => run.length)).toEqual(lengths);
});

test('runs hold all tokens in order, are never empty, too long or uneven', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 40 }), (tokens, size) => {
      fc.pre(tokens <= size * MAX_CHUNKS);
      const runs = chunksOf(ids(tokens), size);
      const lengths = runs.map((run) => run.length);
      expect(runs.flat()).toEqual(ids(tokens));
      expect(Math.max(...lengths)).toBeLessThanOrEqual(size);
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
      expect(lengths.length).toBe(Math.ceil(tokens / size));
    }),
  );
});

test('of too many tokens, as many stay from the start and from the end', () => {
  const all = ids(10 * MAX_CHUNKS + 1000);
  const runs = chunksOf(all, 10);
  const half = 5 * MAX_CHUNKS;
  expect(runs).toHaveLength(MAX_CHUNKS);
  expect(runs.flat()).toEqual([...all.slice(0, half), ...all.slice(-half)]);
});

test('head and tail are parts of the text, well formed wherever they are cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 1, max: 10 }), (text, tokens) => {
      const [head, tail] = [headOf(text, tokens), tailOf(text, tokens)];
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
      expect(isHuge(text, tokens) || head.length + tail.length >= text.length - 2).toBe(true);
    }),
  );
});

test('a text counts as huge only if head and tail do not overlap', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 20 }), (length, tokens) => {
      const text = 'x'.repeat(length);
      fc.pre(isHuge(text, tokens));
      expect(headOf(text, tokens).length + tailOf(text, tokens).length).toBeLessThan(length);
    }),
  );
});
