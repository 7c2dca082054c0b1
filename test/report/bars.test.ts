import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/protocol/compact-result.ts';
import { bars, type Canvas, type Turn } from '../../src/report/bars.ts';
import { columnsOf } from '../../src/report/width.ts';

const formula = { explain: false, strategy: 'formula' };
const need = { explain: false, strategy: 'need' };
const plain = (width: number): Canvas => ({ width, paint: (_, text) => text });

function turn(decision: Partial<Decision>, preview = 'Please fix the date parser.'): Turn {
  return {
    decision: {
      index: 0,
      role: 'user',
      tokens: 100,
      score: 0.615,
      recency: 0.1,
      sim: 0.5,
      coverage: 0,
      action: 'keep',
      reason: 'within-budget',
      handle: '#abcde23',
      ...decision,
    },
    preview,
  };
}

const turns = [
  turn({ role: 'system', reason: 'system', tokens: 1204, recency: 1 }),
  turn(
    { index: 1, action: 'drop', reason: 'over-budget', tokens: 602 },
    '← 漢字 and so on, longer than fits into eighty columns',
  ),
  turn({ index: 2, action: 'drop', reason: 'covered', tokens: 1, coverage: 0.8, role: 'assistant' }, ''),
];

test('draws a line per turn: size, fate, and the three terms', () => {
  expect(bars(turns, plain(80), formula)).toBe(
    [
      '   # role       tokens                       rec  sim  cov  text',
      '   0 system      1,204 kept    █████████████ 1.00 0.50 0.00 Please fix the date…',
      '   1 user          602 dropped ░░░░░░░       0.10 0.50 0.00 ← 漢字 and so on, l…',
      '   2 assistant       1 covered ▒             0.10 0.50 0.80',
      '',
    ].join('\n'),
  );
});

test('draws the terms as blocks where there is little room', () => {
  expect(bars(turns, plain(56), formula)).toBe(
    [
      '   # role       tokens                  rsc text',
      '   0 system      1,204 kept    ████████ █▅▁ Please fix …',
      '   1 user          602 dropped ░░░░     ▁▅▁ ← 漢字 and …',
      '   2 assistant       1 covered ▒        ▁▅▇',
      '',
    ].join('\n'),
  );
});

test('explains with score, reason and handle', () => {
  expect(bars(turns, plain(90), { ...formula, explain: true })).toMatchInlineSnapshot(`
    "   # role       tokens         rec  sim  cov  score why             handle   text
       0 system      1,204 kept    1.00 0.50 0.00 0.61  system message  #abcde23 Please fix t…
       1 user          602 dropped 0.10 0.50 0.00 0.61  no room left    #abcde23 ← 漢字 and s…
       2 assistant       1 covered 0.10 0.50 0.80 0.61  in memory       #abcde23
    "
  `);
});

const needed = [
  turn({ reason: 'last-prompt', names: ['src/a.ts'] }),
  turn({
    index: 1,
    action: 'excerpt',
    reason: 'needed',
    tokens: 1420,
    score: 12.34,
    kept: [
      {
        field: 'result',
        of: 130,
        lines: [
          [0, 15],
          [39, 51],
        ],
      },
    ],
    names: ['src/queue.ts', 'job.runAt', 'baseDelayMs'],
  }),
  turn({ index: 2, action: 'stub', reason: 'needed', kept: [{ field: 'content', of: 40, lines: [] }] }, '→ Write x'),
  turn({ index: 3, action: 'drop', reason: 'over-budget', names: ['AbortController', 'clock.now'] }),
  turn({ index: 4, action: 'drop', reason: 'kept-elsewhere', names: ['x'], tokens: 80 }),
  turn({ index: 5, action: 'drop', reason: 'covered', tokens: 80 }),
];

test('strategies without terms show their score', () => {
  expect(bars(needed, plain(80), need)).toMatchInlineSnapshot(`
    "   # role       tokens                       score text
       0 user          100 kept    █             0.61  Please fix the date parser.
       1 user        1,420 excerpt ▓▓▓▓▓▓▓▓▓▓▓▓▓ 12.3  Please fix the date parser.
       2 user          100 stub    ▒             0.61  → Write x
       3 user          100 dropped ░             0.61  Please fix the date parser.
       4 user           80 dropped ░             0.61  Please fix the date parser.
       5 user           80 covered ▒             0.61  Please fix the date parser.
    "
  `);
});

test('explains which lines are left, and the names that decided', () => {
  expect(bars(needed, plain(80), { ...need, explain: true })).toMatchInlineSnapshot(`
    "   # role       tokens         score why             handle   text
       0 user          100 kept    0.61  last prompt     #abcde23 Please fix the da…
       1 user        1,420 excerpt 12.3  likely needed   #abcde23 Please fix the da…
         result lines 1–16, 40–52 of 130 · for src/queue.ts, job.runAt, baseDelayMs
       2 user          100 stub    0.61  likely needed   #abcde23 → Write x
         content left out (40 lines)
       3 user          100 dropped 0.61  no room left    #abcde23 Please fix the da…
         lost: AbortController, clock.now
       4 user           80 dropped 0.61  kept elsewhere  #abcde23 Please fix the da…
       5 user           80 covered 0.61  in memory       #abcde23 Please fix the da…
    "
  `);
});

test('explains in lines of their own where there is little room', () => {
  expect(bars(needed, plain(44), { ...need, explain: true })).toMatchInlineSnapshot(`
    "   # role       tokens         handle   text
       0 user          100 kept    #abcde23 Ple…
         last prompt
       1 user        1,420 excerpt #abcde23 Ple…
         likely needed · result lines 1–16,
         40–52 of 130 · for src/queue.ts,
         job.runAt, baseDelayMs
       2 user          100 stub    #abcde23 → W…
         likely needed · content left out (40
         lines)
       3 user          100 dropped #abcde23 Ple…
         no room left · lost: AbortController,
         clock.now
       4 user           80 dropped #abcde23 Ple…
         kept elsewhere
       5 user           80 covered #abcde23 Ple…
         in memory
    "
  `);
});

test('colour repeats what the word says', () => {
  const painted = bars(turns, { width: 80, paint: (look, text) => `<${look}>${text}` }, need);
  expect(painted.split('\n').map((line) => /^<(\w+)>/.exec(line)?.[1])).toEqual([
    'bold',
    'green',
    'dim',
    'yellow',
    undefined,
  ]);
});

describe('whatever the conversation', () => {
  const anyTurn = fc.record({
    decision: fc.record({
      index: fc.nat(),
      role: fc.string({ unit: 'grapheme' }),
      tokens: fc.nat({ max: 10_000_000 }),
      score: fc.double({ min: 0, max: 4, noNaN: true }),
      recency: fc.double({ min: 0, max: 1, noNaN: true }),
      sim: fc.double({ min: 0, max: 1, noNaN: true }),
      coverage: fc.double({ min: 0, max: 1, noNaN: true }),
      action: fc.constantFrom('keep' as const, 'drop' as const, 'stub' as const, 'excerpt' as const),
      reason: fc.constantFrom('within-budget' as const, 'needed' as const, 'over-budget' as const),
      handle: fc.constant('#abcde23'),
      kept: fc.array(fc.record({ field: fc.string(), of: fc.nat(), lines: fc.array(fc.tuple(fc.nat(), fc.nat())) })),
      names: fc.array(fc.string({ unit: 'grapheme' })),
    }),
    preview: fc.string({ unit: 'grapheme' }).map((text) => text.replace(/\s+/g, ' ')),
  });

  test('no line is longer than the width, and there is one per turn, or more where it explains', () => {
    fc.assert(
      fc.property(
        fc.array(anyTurn, { maxLength: 20 }),
        fc.integer({ min: 1, max: 200 }),
        fc.boolean(),
        fc.constantFrom('need', 'formula'),
        (some, width, explain, strategy) => {
          const lines = bars(some, plain(width), { explain, strategy }).split('\n');
          const rows = some.length + 2;
          expect(explain ? lines.length >= rows : lines.length === rows).toBe(true);
          for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
