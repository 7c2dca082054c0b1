import { describe, expect, test } from 'vitest';
import { compactMessages, STRATEGIES } from '../../src/compaction/compact.ts';
import type { Message } from '../../src/messages/types.ts';

const says = (text: string): Message => ({ role: 'user', content: text });
const answers = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const calls = (id: string, ...before: { type: string }[]): Message => ({
  role: 'assistant',
  content: [...before, { type: 'tool_use', id, name: 'Read', input: { file_path: `src/${id}.ts` } }],
});
const returns = (id: string, content: string): Message => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});
const thinking = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };

/** What is left by its place, and why. Prices by hand, in the order of the messages. */
function reasonsOf(
  messages: readonly Message[],
  prices: readonly number[],
  budgetTokens: number,
  name: string,
): Map<number, string> {
  const { afterTokens, verdicts } = compactMessages(messages, {
    strategy: STRATEGIES[name],
    budgetTokens,
    countTokens: (message) => prices[messages.indexOf(message)] ?? 1,
  });
  expect(afterTokens).toBeLessThanOrEqual(budgetTokens);
  const kept = verdicts.filter(({ choice }) => choice.action === 'keep');
  return new Map(kept.map(({ item, choice }) => [item.message, choice.reason]));
}

function compacted(...given: Parameters<typeof reasonsOf>): number[] {
  return [...reasonsOf(...given).keys()];
}

describe.each(Object.keys(STRATEGIES))('whole messages under %s', (name) => {
  const messages = [
    says('Here is all that we know of it, at length.'),
    answers('src/server.ts has the port 8080, and src/limits.ts the limit 250.'),
    says('<command-name>/model</command-name>'),
    answers('src/queue.ts has retryDelay and MAX_RETRIES, which is 500.'),
    says('go on'),
    answers('Next is src/importer.ts with batchSize 100.'),
  ];

  test('a cheap message of the user is kept so that it begins with one', () => {
    const left = compacted(messages, [500, 20, 5, 20, 5, 20], 75, name);
    expect(messages[left[0]!]?.role).toBe('user');
    expect(left).toContain(4);
    expect(left.length).toBeGreaterThan(2);
  });

  test('answers go where the messages before them are too large', () => {
    const left = compacted(messages, [500, 20, 500, 20, 5, 20], 75, name);
    expect(left).toEqual([4, 5]);
  });

  test('a beginning is not worth the conversation behind it', () => {
    const steps = Array.from({ length: 30 }, (_, at) => [
      calls(`s${at}`, ...(at === 0 ? [thinking] : [])),
      returns(`s${at}`, `export const limit${at} = ${at + 100};`),
    ]).flat();
    const early = [says('All there is to say.'), ...steps, says('yes')];
    const few = compacted(early, [500, ...steps.map(() => 5), 5], 200, name);
    expect(few.length).toBeGreaterThan(30);
    const going = [says('Look at all of it.'), ...steps, calls('z', thinking), returns('z', 'fine')];
    const prices = [5, 5, 500, ...steps.slice(2).map(() => 5), 5, 5];
    expect(compacted(going, prices, 200, name).length).toBeGreaterThan(30);
  });

  test('what does not begin with a user’s message is not cut short for it', () => {
    const late = [...messages.slice(1, 2), ...messages.slice(3)];
    expect(compacted(late, [20, 20, 5, 20], 60, name)).toContain(2);
    expect(compacted(late, [20, 20, 5, 20], 65, name)).toEqual([0, 1, 2, 3]);
  });

  test('the last turn keeps the answer that began with thinking, and says that this is why', () => {
    const turn = [
      says('Look at both.'),
      calls('a', thinking),
      returns('a', 'export const one = 1;'),
      calls('b'),
      returns('b', 'export const two = 2;\nexport const retryDelay = 500;'),
      calls('c'),
      returns('c', 'export const three = 3;'),
    ];
    const reasons = reasonsOf(turn, [5, 10, 10, 10, 10, 10, 10], 55, name);
    const left = [...reasons.keys()];
    expect(reasons.get(1)).toBe('opening');
    expect(left.slice(0, 3)).toEqual([0, 1, 2]);
    expect(left.length).toBe(5);
    // Without thinking at its start there is nothing to hold.
    const plain = turn.with(1, calls('a'));
    expect(compacted(plain, [5, 10, 10, 10, 10, 10, 10], 55, name).at(-1)).toBe(6);
  });
});
