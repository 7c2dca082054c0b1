import { expect, test } from 'vitest';
import { focusOf, freshness } from '../../src/need/rates.ts';

test('the file at hand counts most when little may stay, and all alike when much may', () => {
  const factors = (ratio: number): number[] => [0, 1, 2, 3, 4, 50].map((rank) => focusOf(rank, ratio));
  expect(factors(0.05)).toEqual(factors(0.1));
  expect(factors(0.1)).toEqual([...factors(0.1)].sort((a, b) => b - a));
  expect(factors(0.4)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(factors(1)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(focusOf(0, 0.25)).toBeGreaterThan(1);
  expect(focusOf(0, 0.25)).toBeLessThan(focusOf(0, 0.1));
});

test('a chance fades with age, that of a line of code faster', () => {
  expect(freshness(0, 'symbol')).toBe(1);
  for (const age of [100, 1_000, 100_000]) {
    expect(freshness(age, 'code')).toBeLessThan(freshness(age, 'symbol'));
    expect(freshness(age * 2, 'symbol')).toBeLessThan(freshness(age, 'symbol'));
    expect(freshness(age, 'code')).toBeGreaterThan(0);
  }
});
