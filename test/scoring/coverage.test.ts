import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coverageOf, SIMILAR_ONLY } from '../../src/scoring/coverage.ts';

test('nothing remembered covers nothing', () => {
  expect(coverageOf('use port 8080', [])).toBe(0);
});

test('the same fact reworded covers as much as it is alike', () => {
  expect(coverageOf('use port 8080 for the API', [{ cosine: 0.87, text: 'The API listens on port 8080' }])).toBe(0.87);
});

test('a similar fact with another number stays below a half', () => {
  expect(coverageOf('use port 8080', [{ cosine: 0.97, text: 'use port 9090' }])).toBe(SIMILAR_ONLY);
});

test('a fact that is the same covers beside a nearer one that is only similar', () => {
  const near = [
    { cosine: 0.97, text: 'use port 9090' },
    { cosine: 0.9, text: 'port 8080 is used' },
  ];
  expect(coverageOf('use port 8080', near)).toBe(0.9);
});

test.each([
  ['The crash came from a null config.', 'The crash caused a null config.'],
  ['The error is caused by the cache.', 'The cache error comes from the loader.'],
  ['The outage of billing came from a race in parseBatch.', 'A race in parseBatch caused the outage of the mailer.'],
  ['The shop is on port 1200.', 'The shop is on port 3400. The till is on port 1200.'],
  ['dev uses alpha\nprod uses beta', 'dev uses beta\nprod uses alpha'],
])('%j stays below a half beside %j', (text, memory) => {
  expect(coverageOf(text, [{ cosine: 0.97, text: memory }])).toBe(SIMILAR_ONLY);
});

test.each([
  ['Requests time out after 44 minutes.', 'The timeout of requests is 44 minutes.'],
  ['The key is read from the variable MAIN_KEY.', 'MAIN_KEY is the variable from which the key is read.'],
  ['src/retry.ts holds the retry logic.', 'The retry logic is in src/retry.ts. Ada owns it.'],
])('%j is covered by %j', (text, memory) => {
  expect(coverageOf(text, [{ cosine: 0.9, text: memory }])).toBe(0.9);
});

test('only the three nearest count', () => {
  const text = 'use port 8080';
  const others = [0.95, 0.94, 0.93].map((cosine) => ({ cosine, text: 'use port 9090' }));
  expect(coverageOf(text, [{ cosine: 0.9, text }, ...others])).toBe(SIMILAR_ONLY);
});

test('a cosine below zero is no coverage, and one above one is full coverage', () => {
  expect(coverageOf('a', [{ cosine: -0.4, text: 'a' }])).toBe(0);
  expect(coverageOf('a', [{ cosine: 1.0001, text: 'a' }])).toBe(1);
  expect(coverageOf('a', [{ cosine: Number.NaN, text: 'a' }])).toBe(0);
});

test('coverage lies between 0 and 1 and never above the best cosine, in whatever order memories come', () => {
  const near = fc.record({ cosine: fc.double({ min: -1, max: 1, noNaN: true }), text: fc.string() });
  fc.assert(
    fc.property(
      fc.string(),
      fc.uniqueArray(near, { maxLength: 8, selector: ({ cosine }) => cosine }),
      (text, memories) => {
        const coverage = coverageOf(text, memories);
        expect(coverage).toBeGreaterThanOrEqual(0);
        expect(coverage).toBeLessThanOrEqual(Math.max(0, ...memories.map(({ cosine }) => cosine)));
        expect(coverageOf(text, memories.toReversed())).toBe(coverage);
      },
    ),
  );
});
