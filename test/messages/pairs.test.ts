import { describe, expect, test } from 'vitest';
import { callsByResult, pairUp } from '../../src/messages/pairs.ts';
import type { Message } from '../../src/messages/types.ts';
import { unitsOf } from '../../src/messages/units.ts';
import { viewOf } from '../../src/messages/view.ts';

const call = (...ids: string[]): Message => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: {} })),
});
const answer = (...ids: string[]): Message => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
});
const say = (text: string): Message => ({ role: 'assistant', content: text });

function read(messages: readonly Message[]): { units: number[]; orphans: string[] } {
  const pairing = pairUp(messages.map(viewOf));
  return {
    units: unitsOf(messages.length, pairing),
    orphans: pairing.orphans.map(({ half, id, message }) => `${half} ${id} @${message}`),
  };
}

const cases: [why: string, messages: Message[], units: number[], orphans: string[]][] = [
  ['a call stands with its result', [say('hi'), call('a'), answer('a'), say('done')], [0, 1, 1, 3], []],
  [
    'parallel calls stand with every message that answers one of them',
    [call('a', 'b'), answer('b'), say('-'), answer('a')],
    [0, 0, 2, 0],
    [],
  ],
  ['one message that answers two calls joins them', [call('a'), call('b'), answer('a', 'b')], [0, 0, 0], []],
  ['an id reused later pairs in order', [call('x'), answer('x'), call('x'), answer('x')], [0, 0, 2, 2], []],
  ['a result before its call is found', [answer('a'), call('a')], [0, 0], []],
  [
    'result blocks answer their calls in a message of role user, tool, assistant or any other',
    ['user', 'tool', 'assistant', 'other'].flatMap((role) => [call(role), { ...answer(role), role }]),
    [0, 0, 2, 2, 4, 4, 6, 6],
    [],
  ],
  ['half a pair stays alone', [call('a'), say('-'), answer('b')], [0, 1, 2], ['call a @0', 'result b @2']],
  [
    'a call written twice stands with the pair of its id',
    [call('a'), answer('a'), say('-'), call('a')],
    [0, 0, 2, 0],
    ['call a @3'],
  ],
  [
    'a result written twice stands with the pair of its id',
    [call('a'), answer('a'), answer('a')],
    [0, 0, 0],
    ['result a @2'],
  ],
  [
    'a surplus half joins the nearest earlier pair',
    [call('x'), answer('x'), call('x'), answer('x'), answer('x')],
    [0, 0, 2, 2, 2],
    ['result x @4'],
  ],
];

describe('tool pairs', () => {
  test.each(cases)('%s', (_why, messages, units, orphans) => {
    expect(read(messages)).toEqual({ units, orphans });
  });

  test('OpenAI calls stand with the tool messages that answer them', () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: 'not json' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{}' } },
      { role: 'function', name: 'old', content: '3' },
    ];
    expect(read(messages)).toEqual({ units: [0, 0, 0, 3, 3], orphans: [] });
  });

  test('a server tool that is answered inside its own message is no orphan', () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        ],
      },
    ];
    expect(read(messages)).toEqual({ units: [0], orphans: [] });
  });

  test('a hundred thousand halves of one id are sorted out in one pass', () => {
    const messages = Array.from({ length: 100_000 }, (_, index) => (index % 2 === 0 ? call('x') : answer('x')));
    const { units } = read(messages);
    expect(units[99_999]).toBe(99_998);
  });
});

test('results name their calls: those of an id that is used again each its own, and those without a call none', () => {
  const asks = (...inputs: string[]): Message => ({
    role: 'assistant',
    content: inputs.map((path) => ({ type: 'tool_use', id: 'a', name: 'Read', input: { path } })),
  });
  const views = [asks('first'), answer('a'), asks('second', 'twin'), answer('a'), answer('a'), answer('b')].map(viewOf);
  const callOf = callsByResult(views, pairUp(views));
  expect([1, 3].map((at) => callOf(at, 'a')?.input)).toEqual([{ path: 'first' }, { path: 'second' }]);
  expect([callOf(1, 'b'), callOf(5, 'b'), callOf(0, 'a')]).toEqual([undefined, undefined, undefined]);
});

test('thousands of calls in one message are read once', () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => `c${at}`);
  const views = [
    { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: {} })) },
    { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: '' })) },
  ].map(viewOf);
  const startedAt = performance.now();
  const callOf = callsByResult(views, pairUp(views));
  expect(ids.every((id) => callOf(1, id)?.id === id)).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
