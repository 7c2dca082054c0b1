import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuseRankings } from '../../src/scoring/fusion.ts';

test('what stands in two rankings goes before what stands in one', () => {
  const fused = fuseRankings([
    ['a', 'b', 'c'],
    ['d', 'c'],
  ]);
  expect(fused.map(({ key }) => key)).toEqual(['c', 'a', 'd', 'b']);
  expect(fused[0]?.score).toBeCloseTo(1 / 63 + 1 / 62);
});

const rankings = fc.array(fc.uniqueArray(fc.nat(30), { maxLength: 20 }), { maxLength: 4 });

test('every key comes out once, best first, with a score of at most one first place per ranking', () => {
  fc.assert(
    fc.property(rankings, (lists) => {
      const fused = fuseRankings(lists);
      expect(new Set(fused.map(({ key }) => key))).toEqual(new Set(lists.flat()));
      expect(fused).toHaveLength(new Set(lists.flat()).size);
      fused.forEach(({ score }, index) => {
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThanOrEqual(lists.length / 61 + 1e-12);
        expect(score).toBeLessThanOrEqual(fused[index - 1]?.score ?? 1);
      });
    }),
  );
});

test('one ranking comes out as it went in', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(), { maxLength: 50 }), (ranking) => {
      expect(fuseRankings([ranking]).map(({ key }) => key)).toEqual(ranking);
    }),
  );
});
