import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/protocol/compact-result.ts';
import { bars, type Canvas, type Turn } from '../../src/report/bars.ts';
import { columnsOf } from '../../src/report/width.ts';

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
  expect(bars(turns, plain(80))).toBe(
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
  expect(bars(turns, plain(56))).toBe(
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
  expect(bars(turns, plain(90), true)).toBe(
    [
      '   # role       tokens         rec  sim  cov  score reason        handle   text',
      '   0 system      1,204 kept    1.00 0.50 0.00 0.61  system        #abcde23 Please fix the…',
      '   1 user          602 dropped 0.10 0.50 0.00 0.61  over-budget   #abcde23 ← 漢字 and so …',
      '   2 assistant       1 covered 0.10 0.50 0.80 0.61  covered       #abcde23',
      '',
    ].join('\n'),
  );
});

test('colour repeats what the word says', () => {
  const painted = bars(turns, { width: 80, paint: (look, text) => `<${look}>${text}` });
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
      reason: fc.constantFrom('within-budget' as const, 'waiting-call' as const),
      handle: fc.constant('#abcde23'),
    }),
    preview: fc.string({ unit: 'grapheme' }).map((text) => text.replace(/\s+/g, ' ')),
  });

  test('no line is longer than the width, and there is one per turn', () => {
    fc.assert(
      fc.property(
        fc.array(anyTurn, { maxLength: 20 }),
        fc.integer({ min: 1, max: 200 }),
        fc.boolean(),
        (some, width, explain) => {
          const lines = bars(some, plain(width), explain).split('\n');
          expect(lines).toHaveLength(some.length + 2);
          for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
