import { describe, expect, test } from 'vitest';
import { compactMessages } from '../../src/compaction/compact.ts';
import { writeMark } from '../../src/messages/marks.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { breachesOf, frozen } from '../support/laws.ts';
import { unpairedIds } from '../support/pairs.ts';

const use = (id: string, input: unknown = {}, name = 'Bash'): Block => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: unknown = 'ok'): Block => ({ type: 'tool_result', tool_use_id: id, content });
const user = (content: string): Message => ({ role: 'user', content });
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const IMAGE: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(1_000) } };
const between = (messages: Message[]): Message[] => [user('go'), ...messages, user('then')];
const read = (text: string): Message[] => [
  { role: 'assistant', content: [use('x', { file_path: 'a/b.ts' }, 'Read')] },
  { role: 'user', content: [result('x', text)] },
];
const lines = (count: number, end: string): string =>
  times(count, (n) => `const line_${n} = readColumn(${n * 7});`).join(end);

const CASES: readonly (readonly [why: string, make: () => Message[]])[] = [
  [
    'a thousand parallel calls of one id',
    (): Message[] =>
      between([
        { role: 'assistant', content: times(1_000, (n) => use('x', { command: `echo file_${n}.ts` })) },
        { role: 'user', content: times(1_000, (n) => result('x', `output of long_name_${n}\nsecond`)) },
      ]),
  ],
  [
    'one call and thousands of results of it',
    (): Message[] =>
      between([
        { role: 'assistant', content: [use('x')] },
        ...times(2_000, (n): Message => ({ role: 'user', content: [result('x', `output_${n}`)] })),
      ]),
  ],
  ['one line of 1 MB', (): Message[] => between(read('abc_def 12345, '.repeat(70_000)))],
  ['one line of 1 MB without a blank', (): Message[] => between(read('a/'.repeat(500_000)))],
  ['half a megabyte of empty lines', (): Message[] => between(read('\n'.repeat(500_000)))],
  [
    'quotes and dashes that never end',
    (): Message[] => between([user('"'.repeat(500_000)), user('--a-'.repeat(90_000))]),
  ],
  ['brackets that never close', (): Message[] => between(read(`${'a(b'.repeat(6_000)}\n`.repeat(20)))],
  [
    'thousands of empty messages',
    (): Message[] => times(4_000, (n) => ({ role: n % 2 ? 'assistant' : 'user', content: '' })),
  ],
  ['content that is null', (): Message[] => between(times(500, () => ({ role: 'assistant', content: null })))],
  ['a prompt larger than the budget', (): Message[] => [user('long_prompt '.repeat(50_000)), user('then')]],
  [
    'a last prompt larger than the budget',
    (): Message[] => [...read(lines(500, '\n')), user('long_prompt '.repeat(50_000))],
  ],
  ['CRLF', (): Message[] => between(read(lines(3_000, '\r\n')))],
  ['lone surrogates', (): Message[] => between([user(`${'\ud800 x_y_z'.repeat(3_000)}\n${'\udc00'.repeat(5_000)}`)])],
  [
    "texts that look like chitta's own marks",
    (): Message[] =>
      between([
        user(`${writeMark('gap', ['#abcdefg'], '3 lines')}\n`.repeat(3_000)),
        { role: 'assistant', content: '[chitta:restored]'.repeat(2_000) },
        { role: 'assistant', content: '[chitta:gap unclosed\n'.repeat(2_000) },
      ]),
  ],
  [
    'messages of thinking alone',
    (): Message[] =>
      between(
        times(300, (n) => ({
          role: 'assistant',
          content: [{ type: 'thinking', thinking: `some_thought_${n} `.repeat(20), signature: 'c2ln' }],
        })),
      ),
  ],
  [
    'images everywhere',
    (): Message[] =>
      between([
        ...times(50, (n): Message => ({ role: 'user', content: [IMAGE, { type: 'text', text: `see image_${n}` }] })),
        { role: 'assistant', content: [use('x')] },
        { role: 'user', content: [result('x', [IMAGE, { type: 'text', text: 'some_text here\n'.repeat(50) }])] },
      ]),
  ],
  [
    'unknown roles and blocks',
    (): Message[] =>
      between(
        times(300, (n) => ({
          role: 'critic',
          content: [{ type: 'strange', inner: { text: 'long_name '.repeat(20), n } }],
        })),
      ),
  ],
  [
    'results before their calls',
    (): Message[] => [
      user('go'),
      ...times(300, (n): Message => ({ role: 'user', content: [result(`${n}`, 'some_text here\n'.repeat(20))] })),
      ...times(300, (n): Message => ({ role: 'assistant', content: [use(`${n}`)] })),
    ],
  ],
  [
    'two calls of one id in a message',
    (): Message[] =>
      between([
        {
          role: 'assistant',
          content: [use('a', { command: 'one_x '.repeat(50) }), use('a', { command: 'two_x '.repeat(50) })],
        },
        { role: 'user', content: [result('a', 'result_1 \n'.repeat(50)), result('a', 'result_2 \n'.repeat(50))] },
      ]),
  ],
  [
    'tools of the server',
    (): Message[] =>
      between(
        times(100, (n) => ({
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: `s${n}`, name: 'web_search', input: { query: 'a_b' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: `s${n}`,
              content: [{ type: 'web_search_result', encrypted_content: 'AAAA'.repeat(200) }],
            },
            { type: 'text', text: 'found it_all', citations: [] },
          ],
        })),
      ),
  ],
  [
    'an input of thousands of texts',
    (): Message[] =>
      between([
        {
          role: 'assistant',
          content: [use('x', Object.fromEntries(times(3_000, (n) => [`k${n}`, `value_${n} `.repeat(30)])))],
        },
        { role: 'user', content: [result('x')] },
      ]),
  ],
];

describe.each(['whole', 'excerpt'] as const)('in detail %s', (detail) => {
  test.each(CASES)('%s: only own lines, within the budget, pairs together, and again', (_why, make) => {
    const messages = frozen(make());
    const before = new Set(unpairedIds(messages));
    for (const budget of [{ budgetTokens: 1 }, { budgetTokens: 300 }, { targetRatio: 0.2 }, { targetRatio: 1 }]) {
      const once = compactMessages(messages, { detail, ...budget });
      expect(breachesOf(messages, once)).toEqual([]);
      expect(unpairedIds(once.messages).filter((id) => !before.has(id))).toEqual([]);
      const twice = compactMessages(once.messages, { detail: 'excerpt', targetRatio: 0.5 });
      expect(breachesOf(once.messages, twice)).toEqual([]);
    }
  });

  test('all messages pinned: all stay, and it says that they are too many', () => {
    const messages = between(read(lines(200, '\n')));
    const all = compactMessages(messages, { detail, budgetTokens: 1, pinned: () => true });
    expect(all.messages).toEqual(messages);
    expect(all.overBudget).toBe(true);
  });

  test('inputs nested thousands of levels deep do no harm', () => {
    let input: unknown = 'some_leaf';
    for (let level = 0; level < 3_000; level++) input = { input };
    const messages = between([
      { role: 'assistant', content: [use('x', input)] },
      { role: 'user', content: [result('x')] },
    ]);
    expect(compactMessages(messages, { detail, budgetTokens: 30 }).overBudget).toBe(false);
  });
});

test('the work grows with the conversation and not with its square: the counter is asked in proportion', () => {
  const asked = (steps: number): number => {
    let count = 0;
    const countTokens = (message: Message): number => {
      count += 1;
      return JSON.stringify(message).length / 4;
    };
    const messages = times(steps, (n) => [
      { role: 'assistant', content: [use(`${n}`, { command: `run_${n} --flag-${n}` })] },
      { role: 'user', content: [result(`${n}`, `${lines(20, '\n')} word_${n}`)] },
    ]).flat();
    compactMessages(messages, { detail: 'excerpt', targetRatio: 0.2, countTokens });
    return count / steps;
  };
  expect(asked(2_000)).toBeLessThan(asked(250) * 1.5);
});
