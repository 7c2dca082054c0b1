import { expect, test } from 'vitest';
import type { Decision } from '../../src/protocol/compact-result.ts';
import { detailsOf, REASON_COLUMNS, REASON_WORDS } from '../../src/report/reasons.ts';

const decision: Decision = {
  index: 0,
  role: 'user',
  tokens: 100,
  score: 1,
  recency: 0.1,
  sim: 0.5,
  coverage: 0,
  action: 'excerpt',
  reason: 'needed',
  handle: '#abcde23',
};
const lines = (count: number): [number, number][] => Array.from({ length: count }, (_, at) => [at * 3, at * 3 + 1]);

test('words for reasons fit their column', () => {
  for (const words of Object.values(REASON_WORDS)) expect(words.length).toBeLessThanOrEqual(REASON_COLUMNS);
});

test.each([
  [
    'lines, counted from 1',
    {
      kept: [
        {
          field: 'result',
          of: 130,
          lines: [
            [0, 15],
            [39, 39],
          ],
        },
      ],
    },
    ['result lines 1–16, 40 of 130'],
  ],
  [
    'lines of the turn, where they are known',
    {
      kept: [
        { field: 'new_string', of: 9, lines: [[0, 3]], shown: { lines: [[12, 15]], text: [12, 20], of: 44 } },
        { field: 'content', of: 5, lines: [], shown: { lines: [], text: [22, 26], of: 44 } },
      ],
    },
    ['new_string lines 12–15 of 44; content left out (lines 22–26)'],
  ],
  [
    'a long line that is left in part, not as if all of it were there',
    { kept: [{ field: 'text', of: 23, lines: [[22, 22]], shown: { lines: [[1, 1]], text: [1, 1], of: 1 } }] },
    ['text line 1 of 1 (1 of 23 pieces)'],
  ],
  ['one line', { kept: [{ field: 'text', of: 3, lines: [[2, 2]] }] }, ['text line 3 of 3']],
  [
    'texts that are gone',
    {
      action: 'stub',
      kept: [
        { field: 'text', of: 1, lines: [] },
        { field: 'content', of: 40, lines: [] },
      ],
    },
    ['text left out (1 line); content left out (40 lines)'],
  ],
  [
    'many runs, shortly',
    { kept: [{ field: 'result', of: 99, lines: lines(7) }] },
    ['result lines 1–2, 4–5, 7–8, 10–11, 13–14, … of 99'],
  ],
  [
    'many texts, shortly',
    { kept: Array.from({ length: 8 }, () => ({ field: 'a', of: 2, lines: [] })) },
    [`${'a left out (2 lines); '.repeat(6)}…`],
  ],
  ['parts without lines', {}, ['some of its parts left out']],
  ['names that earned it its place', { action: 'keep', names: ['src/a.ts', 'run_at'] }, ['for src/a.ts, run_at']],
  ['no names where they did not decide', { action: 'keep', reason: 'prompt', names: ['src/a.ts'] }, []],
  [
    'names that are lost',
    { action: 'drop', reason: 'over-budget', names: ['x'.repeat(50), 'b'] },
    [`lost: ${'x'.repeat(39)}…, b`],
  ],
  [
    'the memory that covers it',
    { action: 'drop', reason: 'covered', names: ['a_b'], covered_by: 'a_b is the name of it' },
    ['memory: a_b is the name of it', 'lost: a_b'],
  ],
  ['nothing lost with what is kept elsewhere', { action: 'drop', reason: 'kept-elsewhere', names: ['a'] }, []],
] satisfies [string, Partial<Decision>, string[]][])('says %s', (_, more: Partial<Decision>, expected) => {
  expect(detailsOf({ ...decision, ...more })).toEqual(expected);
});
