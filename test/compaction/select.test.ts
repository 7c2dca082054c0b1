import { describe, expect, test } from 'vitest';
import { type Candidate, selectUnits } from '../../src/compaction/select.ts';

const unit = (newest: number, extra: Partial<Candidate> = {}): Candidate => ({
  tokens: 10,
  score: 0.5,
  protected: false,
  barred: false,
  last: false,
  newest,
  ...extra,
});

describe('selectUnits', () => {
  test.each<[why: string, candidates: Candidate[], budget: number, kept: boolean[]]>([
    ['of equal scores the newer goes first', [unit(0), unit(1), unit(2)], 20, [false, true, true]],
    ['a better score goes before a newer one', [unit(0, { score: 0.9 }), unit(1)], 10, [true, false]],
    [
      'what is barred stays out, whatever its score',
      [unit(0, { barred: true, score: 0.9 }), unit(1)],
      30,
      [false, true],
    ],
    [
      'what is protected stays and takes its room first',
      [unit(0, { protected: true, score: 0 }), unit(1)],
      15,
      [true, false],
    ],
    ['what is protected stays even beyond the budget', [unit(0, { protected: true }), unit(1)], 1, [true, false]],
    ['what does not fit is passed over', [unit(0), unit(1, { tokens: 50 })], 10, [true, false]],
    [
      'a unit that only fills up goes last, whatever its score',
      [unit(0), unit(1, { last: true, score: 2 })],
      10,
      [true, false],
    ],
    ['what costs nothing always fits', [unit(0, { tokens: 0 })], 0, [true]],
    ['nothing comes of nothing', [], 100, []],
  ])('%s', (_why, candidates, budget, kept) => {
    expect(selectUnits(candidates, budget)).toEqual(kept);
  });
});
