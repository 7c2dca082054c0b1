import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MaxHeap } from '../../src/need/heap.ts';

test('gives candidates by rank, equal ranks by number', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 })), (ranks) => {
      const heap = new MaxHeap();
      ranks.forEach((rank, candidate) => heap.push(candidate, rank));
      const order = ranks.map((_, candidate) => candidate).sort((a, b) => ranks[b]! - ranks[a]! || a - b);
      expect(ranks.map(() => heap.pop())).toEqual(order);
      expect(heap.pop()).toBeUndefined();
      expect(heap.top).toBe(Number.NEGATIVE_INFINITY);
    }),
  );
});
