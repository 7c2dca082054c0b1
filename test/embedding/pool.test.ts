import fc from 'fast-check';
import { expect, test } from 'vitest';
import { poolVectors } from '../../src/embedding/pool.ts';

test('one run: the same direction, of length 1', () => {
  expect([...(poolVectors([{ vector: [3, 4], tokens: 7 }]) ?? [])]).toEqual([expect.closeTo(0.6), expect.closeTo(0.8)]);
});

test('several runs: each counts by its tokens', () => {
  const pooled = poolVectors([
    { vector: [1, 0], tokens: 3 },
    { vector: [0, 1], tokens: 1 },
  ]);
  expect([...(pooled ?? [])]).toEqual([expect.closeTo(3 / Math.sqrt(10)), expect.closeTo(1 / Math.sqrt(10))]);
});

const useless: [name: string, parts: { vector: number[]; tokens: number }[]][] = [
  ['no runs', []],
  ['an empty vector', [{ vector: [], tokens: 1 }]],
  ['zeros', [{ vector: [0, 0], tokens: 1 }]],
  ['what is no number', [{ vector: [Number.NaN, 1], tokens: 1 }]],
  [
    'runs that cancel out',
    [
      { vector: [1, 0], tokens: 1 },
      { vector: [-1, 0], tokens: 1 },
    ],
  ],
  [
    'vectors of two lengths',
    [
      { vector: [1, 0], tokens: 1 },
      { vector: [1], tokens: 1 },
    ],
  ],
];

test.each(useless)('there is no vector of %s', (_name, parts) => {
  expect(poolVectors(parts)).toBeUndefined();
});

test('is of length 1, or not there', () => {
  const part = fc.record({
    vector: fc.array(fc.float({ min: -100, max: 100, noNaN: true }), { minLength: 3, maxLength: 3 }),
    tokens: fc.integer({ min: 1, max: 256 }),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const pooled = poolVectors(parts);
      expect(pooled === undefined ? 1 : Math.hypot(...pooled)).toBeCloseTo(1, 5);
    }),
  );
});
