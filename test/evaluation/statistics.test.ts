import { expect, test } from 'vitest';
import { estimate } from '../../src/evaluation/statistics.ts';

test('each transcript counts once, however many episodes it has', () => {
  const observations = [
    { transcript: 0, value: 0 },
    { transcript: 0, value: 0 },
    { transcript: 0, value: null },
    { transcript: 1, value: 1 },
  ];
  expect(estimate(observations)).toMatchObject({ mean: 0.5, transcripts: 2 });
});

test('nothing to average is no zero', () => {
  expect(estimate([{ transcript: 0, value: null }])).toBeUndefined();
  expect(estimate([])).toBeUndefined();
});

test('the interval is the same each time, holds the mean, and shrinks with more transcripts', () => {
  const spread = (count: number): NonNullable<ReturnType<typeof estimate>> => {
    const made = estimate(Array.from({ length: count }, (_, transcript) => ({ transcript, value: transcript % 2 })));
    if (made === undefined) throw new Error('no estimate');
    return made;
  };
  expect(spread(20)).toEqual(spread(20));
  expect(spread(20).low).toBeLessThan(0.5);
  expect(spread(20).high).toBeGreaterThan(0.5);
  expect(spread(200).high - spread(200).low).toBeLessThan(spread(20).high - spread(20).low);
});
