import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { longestFitting } from '../../src/hot/longest.ts';

test('finds the last count that fits, and tries none above twice that', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(1_000), (most, limit) => {
      let highest = 0;
      const found = longestFitting(most, (count) => {
        highest = Math.max(highest, count);
        return count <= limit;
      });
      expect(found).toBe(Math.min(most, limit));
      expect(highest).toBeLessThanOrEqual(Math.max(1, 2 * limit));
    }),
  );
});

test.each([0, -1])('of %i things none fits', (most) => {
  expect(longestFitting(most, () => true)).toBe(0);
});
