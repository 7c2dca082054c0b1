import { expect, test } from 'vitest';
import type { CompactStats } from '../../src/protocol/compact-result.ts';
import { countPairs, grouped, hintsOf, totals, totalsLine } from '../../src/report/totals.ts';

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

test('says how many messages are excerpts, and what the list of dropped calls takes', () => {
  const more = { ...stats, excerpted: 1_012, pointer_tokens: 164 };
  expect(totalsLine(more, { intact: 12, touched: 12 })).toBe(
    '48,200 → 18,600 tokens · 61.4 % let go · 1,012 in excerpts · 12 of 12 tool pairs intact · list of 164 tokens · 84 ms',
  );
  expect(totals(more, { intact: 0, touched: 0 }, 31)).toContain('31 messages kept (1,012 in excerpts), 29 let go\n');
});

test.each([
  ['nothing is gone', { dropped: 0 }, true, []],
  ['something was dropped', {}, true, ['bring one back: chitta show HANDLE --about WORD']],
  ['handles are not shown', {}, false, ['bring one back: chitta show HANDLE --about WORD (handles: --explain)']],
  ['parts are gone', { dropped: 0, excerpted: 2 }, true, ['bring one back: chitta show HANDLE --about WORD']],
  [
    'there is a list of what was dropped',
    { pointer_tokens: 40 },
    true,
    [
      'a list in front names dropped calls, each with the handle that brings it back',
      'bring one back: chitta show HANDLE --about WORD',
    ],
  ],
])('hints where %s', (_, more, explain, expected) => {
  expect(hintsOf({ ...stats, ...more }, explain)).toEqual(expected);
});

test('a call and a result that are left of their messages are a pair', () => {
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'a\nb' });
  const messages = [
    { role: 'assistant', content: [call('a'), call('b')] },
    { role: 'user', content: [result('a'), result('b')] },
  ];
  const survivors = [
    { role: 'assistant', content: [call('a')] },
    { role: 'user', content: [{ ...result('a'), content: 'a' }] },
  ];
  expect(countPairs(messages, survivors)).toEqual({ intact: 1, touched: 1 });
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
