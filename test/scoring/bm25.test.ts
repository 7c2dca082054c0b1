import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { bm25 } from '../../src/scoring/bm25.ts';

test('a rare word of the query counts more than a common one, and a short text more than a long one', () => {
  const texts = ['the lock of the door', 'the door', 'the door and the house and the garden and the street', 'a house'];
  const [lock = 0, door = 0, long = 0, none = 0] = bm25(texts, 'lock door');
  expect(lock).toBeGreaterThan(door);
  expect(door).toBeGreaterThan(long);
  expect(none).toBe(0);
});

test('words are the same in any case and any script', () => {
  expect(bm25(['ДВЕРЬ', 'окно'], 'дверь')[0]).toBeGreaterThan(0);
});

test('there is a finite score for each text, whatever the texts are', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 8 }), fc.string(), (texts, query) => {
      const scores = bm25(texts, query);
      expect(scores).toHaveLength(texts.length);
      for (const score of scores) expect(score).toBeGreaterThanOrEqual(0);
    }),
  );
});
