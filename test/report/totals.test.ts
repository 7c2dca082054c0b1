import { expect, test } from 'vitest';
import type { CompactStats } from '../../src/protocol/compact-result.ts';
import { countPairs, grouped, totals, totalsLine } from '../../src/report/totals.ts';

const stats: CompactStats = {
  before_tokens: 48_200,
  after_tokens: 18_600,
  dropped: 29,
  dropped_pct: 61.4,
  embedding: false,
  vectors: { used: 0, total: 60 },
  over_budget: false,
  strategy: 'formula',
  covered: 0,
  excerpted: 0,
  pointer_tokens: 0,
  took_ms: 84.3,
};

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [48_200.4, '48,200'],
  [1_234_567, '1,234,567'],
])('%d is written %s', (value, text) => {
  expect(grouped(value)).toBe(text);
});

test('the totals are one line', () => {
  expect(totalsLine(stats, { intact: 12, touched: 12 })).toBe(
    '48,200 → 18,600 tokens · 61.4 % let go · 12 of 12 tool pairs intact · 84 ms',
  );
});

test('says nothing of tool pairs where there are none, and keeps the tenths of a short time', () => {
  expect(totalsLine({ ...stats, took_ms: 1.3, dropped_pct: 60 }, { intact: 0, touched: 0 })).toBe(
    '48,200 → 18,600 tokens · 60.0 % let go · 1.3 ms',
  );
});

test('says what stands behind the numbers', () => {
  expect(totals(stats, { intact: 0, touched: 0 }, 31)).toBe(
    '48,200 → 18,600 tokens · 61.4 % let go · 84 ms\n31 messages kept, 29 let go\nstrategy formula · without vectors\n',
  );
  const more = { ...stats, covered: 5, embedding: true, vectors: { used: 58, total: 60 }, over_budget: true };
  expect(totals(more, { intact: 0, touched: 0 }, 31).split('\n').slice(1)).toEqual([
    '31 messages kept, 29 let go, 5 of them covered by memory',
    'strategy formula · vectors for 58 of 60 messages',
    'over budget: what must stay is larger than the budget',
    '',
  ]);
});

test('counts pairs that are whole and those that were torn', () => {
  const call = (id: string) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input: {} }] });
  const result = (id: string) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] });
  const messages = [call('a'), result('a'), call('b'), result('b'), call('c'), result('c'), call('d')];
  const survivors = messages.filter((_, index) => [0, 1, 2, 6].includes(index));
  expect(countPairs(messages, messages)).toEqual({ intact: 3, touched: 3 });
  expect(countPairs(messages, survivors)).toEqual({ intact: 1, touched: 2 });
  expect(countPairs(messages, [])).toEqual({ intact: 0, touched: 0 });
});
