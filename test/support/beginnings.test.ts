import { describe, expect, test } from 'vitest';
import { type Compaction, compactMessages, STRATEGIES } from '../../src/compaction/compact.ts';
import type { Strategy } from '../../src/compaction/strategy.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { wrongBeginnings } from './beginnings.ts';

const says = (content: string): Message => ({ role: 'user', content });
const answers = (...content: Block[]): Message => ({ role: 'assistant', content });
const text = { type: 'text', text: 'src/app.ts has the port 8080' };
const thinking = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
const call = (id: string): Block => ({ type: 'tool_use', id, name: 'Read', input: {} });
const returns = (id: string): Message => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: '8080' }],
});

/** A compaction that keeps these, with prices by hand. */
function keeping(
  kept: readonly number[],
  messages: readonly Message[],
  prices: readonly number[],
  budgetTokens: number,
): Compaction {
  const strategy: Strategy = ({ items }) => ({
    choices: items.map(({ message }) => ({
      action: kept.includes(message) ? 'keep' : 'drop',
      reason: 'needed',
      score: 0,
    })),
  });
  return compactMessages(messages, {
    strategy,
    budgetTokens,
    countTokens: (one) => prices[messages.indexOf(one)] ?? 1,
  });
}

describe.each(Object.entries(STRATEGIES))('by %s', (_name, strategy) => {
  const given = { strategy, detail: 'whole' } as const;
  const turns = [says('one'), answers(text), says('two'), answers(text), says('three')];
  const steps = [
    says('Look.'),
    answers(thinking, text, call('a')),
    returns('a'),
    answers(call('b')),
    returns('b'),
    answers(text),
  ];

  test.each([
    ['an answer first, where a prompt has room', turns, [1, 3, 4], [5, 20, 5, 20, 5], 60, 1],
    ['an answer first, where all before a prompt costs little', turns, [1, 3, 4], [500, 5, 5, 50, 5], 70, 1],
    ['an answer first, where little would be left else', turns, [3, 4], [30, 20, 30, 20, 5], 30, 0],
    ['a prompt first', turns, [0, 1, 4], [5, 20, 5, 20, 5], 60, 0],
    [
      'no thinking at the start of the last turn, where it has room',
      steps,
      [0, 3, 4, 5],
      [5, 10, 10, 10, 10, 10],
      60,
      1,
    ],
    ['no thinking where it has no room', steps, [0, 3, 4, 5], [5, 100, 10, 10, 10, 10], 60, 0],
    ['no thinking where little would be left with it', steps, [0, 3, 4, 5], [5, 40, 40, 10, 1_600, 10], 1_650, 0],
  ])('%s', (_what, messages, kept, prices, budget, wrong) => {
    expect(wrongBeginnings(messages, keeping(kept, messages, prices, budget), given)).toHaveLength(wrong);
  });
});

test('in excerpts a mark does for a prompt, so that nothing excuses an answer', () => {
  const turns = [says('one'), answers(text), says('two')];
  const result = keeping([1, 2], turns, [500, 20, 5], 30);
  expect(wrongBeginnings(turns, result, { detail: 'whole' })).toEqual([]);
  expect(wrongBeginnings(turns, result, { detail: 'excerpt' })).toHaveLength(1);
});
