import { expect, test } from 'vitest';
import type { MethodSummary } from '../../src/evaluation/tally.ts';
import { retentionTable } from '../../src/report/retention.ts';

const canvas = { paint: (_look: string, text: string): string => text };
const at = (mean: number): { mean: number; low: number; high: number; transcripts: number } => ({
  mean,
  low: mean - 0.05,
  high: mean + 0.05,
  transcripts: 9,
});

const summary = (method: string, more: Partial<MethodSummary> = {}): MethodSummary => ({
  method,
  ratio: 0.1,
  measures: { composite: at(0.394), ids: at(0.37), editLines: at(0.5), idsInReach: at(0.5) },
  difference: undefined,
  invalid: 0,
  overBudget: 0,
  msPer100kTokens: 27.6,
  ...more,
});

test('a block for each budget, columns under their titles, a dash for what was not measured', () => {
  const better = { difference: at(0.157), measures: { composite: at(0.551) } };
  const table = retentionTable(
    [summary('keep-last'), summary('other', better), summary('keep-last', { ratio: 0.2 })],
    canvas,
  );
  expect(table.split('\n')).toEqual([
    'budget 10 %      composite    against keep-last  ids  edits  whole  rules  reach  ms',
    'keep-last     39.4 [34–44]                        37     50      –      –   50/–  28',
    'other         55.1 [50–60]  +15.7 [+10.7 +20.7]    –      –      –      –    –/–  28',
    '',
    'budget 20 %      composite    against keep-last  ids  edits  whole  rules  reach  ms',
    'keep-last     39.4 [34–44]                        37     50      –      –   50/–  28',
    '',
  ]);
});

test('outputs that counted as nothing are said', () => {
  expect(retentionTable([summary('odd', { invalid: 2, overBudget: 1 })], canvas)).toMatch(/ 2 invalid, 1 too large$/m);
});
