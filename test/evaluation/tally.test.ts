import { expect, test } from 'vitest';
import { type Run, Tally } from '../../src/evaluation/tally.ts';
import type { Score } from '../../src/evaluation/score.ts';

const NOTHING: Score = {
  ids: null,
  idsOld: null,
  idsCommon: null,
  idsLoose: null,
  idsInReach: null,
  prose: null,
  editLines: null,
  editsWhole: null,
  editLinesInReach: null,
  errors: null,
  failures: null,
  constraints: null,
  composite: null,
  fill: null,
};

function run(method: string, episode: number, composite: number | null, more: Partial<Run> = {}): Run {
  const scored = { score: { ...NOTHING, composite }, tokens: 10, fault: undefined, overBudget: false };
  return { method, ratio: 0.2, transcript: episode, episode, scored, contextTokens: 50_000, tookMs: 1, ...more };
}

function summariesOf(...runs: readonly Run[]): ReturnType<Tally['summaries']> {
  const tally = new Tally();
  for (const one of runs) tally.add(one);
  return tally.summaries();
}

test('the difference is taken episode by episode, also where the means lie far apart', () => {
  const [last, other] = summariesOf(
    run('keep-last', 0, 0.1),
    run('other', 0, 0.2),
    run('keep-last', 1, 0.8),
    run('other', 1, 0.9),
  );
  expect(last?.difference).toBeUndefined();
  expect(other?.measures.composite?.low).toBeCloseTo(0.2);
  expect(other?.difference?.mean).toBeCloseTo(0.1);
  expect(other?.difference?.low).toBeCloseTo(0.1);
  expect(other?.difference?.high).toBeCloseTo(0.1);
});

test('an episode without a composite takes no part, and ratios are kept apart', () => {
  const summaries = summariesOf(
    run('keep-last', 0, 0.5),
    run('other', 0, 0.6),
    run('keep-last', 1, null),
    run('other', 1, null),
    run('keep-last', 0, 0.9, { ratio: 0.4 }),
    run('other', 0, 0.9, { ratio: 0.4 }),
  );
  expect(summaries.map(({ method, ratio }) => [method, ratio])).toEqual([
    ['keep-last', 0.2],
    ['other', 0.2],
    ['keep-last', 0.4],
    ['other', 0.4],
  ]);
  expect(summaries[1]?.difference).toMatchObject({ mean: expect.closeTo(0.1), transcripts: 1 });
  expect(summaries[3]?.difference?.mean).toBe(0);
});

test('faults and time are counted over all runs', () => {
  const bad = { score: NOTHING, tokens: 99, fault: 'a call without its result', overBudget: true };
  const [summary] = summariesOf(run('other', 0, 0.5), run('other', 1, 0, { scored: bad, tookMs: 9 }));
  expect(summary).toMatchObject({ invalid: 1, overBudget: 1, msPer100kTokens: 10 });
});
