import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMark } from '../../src/messages/marks.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { enforceToolRoundTrips } from '../../src/shaping/round-trips.ts';
import { anthropicProblems, openAiProblems } from '../support/api-rules.ts';
import { brokenConversation, conversation } from '../support/conversation.ts';
import { frozen } from '../support/laws.ts';
import { anthropicRequest, openAiRequest } from '../support/requests.ts';

const user = (content: Message['content'] = 'go on'): Message => ({ role: 'user', content: content ?? '' });
const use = (id: string, name = 'Read'): Block => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string, content = `of ${id}`): Block => ({ type: 'tool_result', tool_use_id: id, content });
const asks = (...ids: string[]): Message => ({ role: 'assistant', content: ids.map((id) => use(id)) });
const answers = (...ids: string[]): Message => user(ids.map((id) => result(id)));
const says: Message = { role: 'assistant', content: 'done' };

const toolCall = (id: string): object => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } });
const calls = (...ids: string[]): Message => ({ role: 'assistant', content: null, tool_calls: ids.map(toolCall) });
const tool = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: `of ${id}` });

/** Messages in a few signs: `a?` asks, `a!` answers, `a~` answers that there is no answer. */
function sketch(messages: readonly Message[]): string[] {
  const sign = (id: unknown, content: unknown): string =>
    `${String(id)}${typeof content === 'string' && isMark(content) ? '~' : '!'}`;
  return messages.map(({ role, content, tool_calls: list, tool_call_id: id, name }) => {
    const parts = Array.isArray(list) ? list.map((call) => `${String(call.id)}?`) : [];
    if (role === 'tool' && !Array.isArray(content)) parts.push(sign(id, content));
    else if (role === 'function') parts.push(sign(name, content));
    else if (typeof content === 'string') parts.push('text');
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type === 'tool_use' || block.type.endsWith('_tool_use')) parts.push(`${block['id']}?`);
      else if (block['tool_use_id'] === undefined) parts.push('text');
      else parts.push(sign(block['tool_use_id'], block['is_error'] === true ? block['content'] : ''));
    }
    return `${role[0]}: ${parts.join(' ')}`;
  });
}

const cases: [why: string, history: Message[], expected: string[]][] = [
  ['the one call of a history', [user(), asks('a')], ['u: text', 'a: a?', 'u: a~']],
  ['a call before a prompt', [asks('a'), user()], ['a: a?', 'u: a~', 'u: text']],
  ['one of two parallel calls', [asks('a', 'b'), answers('b')], ['a: a? b?', 'u: b! a~']],
  [
    'one of two, before text in the same message',
    [asks('a', 'b'), user([result('a'), { type: 'text', text: 'and' }])],
    ['a: a? b?', 'u: a! b~ text'],
  ],
  ['calls in answers that follow each other', [asks('a'), asks('b'), answers('b')], ['a: a?', 'a: b?', 'u: b! a~']],
  ['a result before its call', [answers('a'), asks('a')], ['u: a!', 'a: a?', 'u: a~']],
  [
    'an id that is used again',
    [asks('a'), answers('a'), asks('a'), user()],
    ['a: a?', 'u: a!', 'a: a?', 'u: a~', 'u: text'],
  ],
  [
    'an id whose first call was cut off',
    [asks('a'), says, user(), asks('a'), answers('a')],
    ['a: a?', 'a: text', 'u: a~', 'u: text', 'a: a?', 'u: a!'],
  ],
  ['a late result', [asks('a', 'b'), answers('a'), says, answers('b')], ['a: a? b?', 'u: a! b!', 'a: text']],
  [
    'a result behind text',
    [asks('a'), user([{ type: 'text', text: 'see' }, result('a')])],
    ['a: a?', 'u: a!', 'u: text'],
  ],
  [
    'a result behind text in the message before it',
    [asks('a', 'b'), user([result('a'), { type: 'text', text: 'see' }]), answers('b')],
    ['a: a? b?', 'u: a! b! text'],
  ],
  [
    'a result behind a message that was typed meanwhile',
    [asks('a'), user(), answers('a')],
    ['a: a?', 'u: a!', 'u: text'],
  ],
  ['OpenAI: the one call', [user(), calls('a')], ['u: text', 'a: a?', 't: a~']],
  ['OpenAI: one of two', [calls('a', 'b'), tool('b'), user()], ['a: a? b?', 't: b!', 't: a~', 'u: text']],
  ['OpenAI: a late result', [calls('a', 'b'), tool('a'), user(), tool('b')], ['a: a? b?', 't: a!', 't: b!', 'u: text']],
  ['OpenAI: answers do not reach over another answer', [calls('a'), says, tool('a')], ['a: a?', 't: a!', 'a: text']],
  [
    'OpenAI: the older single call',
    [{ role: 'assistant', content: null, function_call: { name: 'read', arguments: '{}' } }, user()],
    ['a: ', 'f: read~', 'u: text'],
  ],
  [
    'a framework that mixes the shapes',
    [asks('a', 'b'), { role: 'tool', content: [result('a')] }],
    ['a: a? b?', 't: a! b~'],
  ],
];

describe('puts answers where the APIs want them', () => {
  test.each(cases)('%s', (_, history, expected) => {
    const { messages, report } = enforceToolRoundTrips(frozen(history));
    expect(sketch(messages)).toEqual(expected);
    expect(report.intact).toBe(false);
  });

  test('the synthetic answer says what happened, in the shape of its siblings', () => {
    expect(enforceToolRoundTrips([asks('a')]).messages[1]).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: '[chitta:stub no result: this call was never answered]',
          is_error: true,
        },
      ],
    });
    expect(enforceToolRoundTrips([calls('a')]).messages[1]).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: '[chitta:stub no result: this call was never answered]',
    });
  });
});

const untouched: [why: string, history: Message[]][] = [
  ['nothing at all', []],
  ['text alone', [user(), says]],
  ['parallel calls, answered in another order', [asks('a', 'b'), answers('b', 'a')]],
  ['answers in messages of their own', [asks('a', 'b'), answers('a'), answers('b')]],
  ['calls in answers that follow each other', [asks('a'), asks('b'), answers('a', 'b')]],
  ['an id used again', [asks('a'), answers('a'), asks('a'), answers('a')]],
  ['OpenAI, parallel', [calls('a', 'b'), tool('b'), tool('a'), says]],
  [
    'a server tool',
    [
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        ],
      },
    ],
  ],
  [
    'a paused turn',
    [user(), { role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }] }],
  ],
];

test.each(untouched)('hands back the same array: %s', (_, history) => {
  const { messages, report } = enforceToolRoundTrips(frozen(history));
  expect(messages).toBe(history);
  expect(report).toEqual({ intact: true, answered: [], moved: [], orphans: [], dropped: [], left: [] });
});

describe('orphans', () => {
  const history = [user(), answers('x'), asks('a'), user([result('a'), result('a'), result('y')])];
  test('stay where they are, and are named', () => {
    const { messages, report } = enforceToolRoundTrips(history);
    expect(messages).toBe(history);
    expect(report.orphans).toEqual([
      { id: 'x', message: 1 },
      { id: 'a', message: 3 },
      { id: 'y', message: 3 },
    ]);
    expect(report.intact).toBe(false);
  });

  test('go on request, with the message that they leave empty', () => {
    const { messages, report } = enforceToolRoundTrips(history, { orphans: 'drop' });
    expect(sketch(messages)).toEqual(['u: text', 'a: a?', 'u: a!']);
    expect(report.dropped).toHaveLength(3);
    expect(report.orphans).toEqual([]);
    expect(sketch(enforceToolRoundTrips([user(), tool('x'), says], { orphans: 'drop' }).messages)).toEqual([
      'u: text',
      'a: text',
    ]);
  });
});

test('another word for what becomes of orphans is refused', () => {
  // As a caller without types may write it.
  expect(() => enforceToolRoundTrips([user()], { orphans: 'Drop' as 'drop' })).toThrow(
    expect.objectContaining({ code: 'E_PARAM_INVALID', field: 'orphans' }),
  );
});

test('calls that the prompt answers are left open, the newest of each id', () => {
  const history = [asks('a'), says, user(), asks('a', 'b')];
  const { messages, report } = enforceToolRoundTrips(history, { answeredByPrompt: ['a'] });
  expect(sketch(messages)).toEqual(['a: a?', 'a: text', 'u: a~', 'u: text', 'a: a? b?', 'u: b~']);
  expect(report.answered).toEqual([
    { id: 'a', message: 0 },
    { id: 'b', message: 3 },
  ]);
  expect(enforceToolRoundTrips([asks('a', 'b')], { answeredByPrompt: new Set(['a', 'b']) }).report.intact).toBe(true);
});

test('two calls of one id in one turn get one answer; the second is named', () => {
  const { messages, report } = enforceToolRoundTrips([asks('a', 'a')]);
  expect(sketch(messages)).toEqual(['a: a? a?', 'u: a~']);
  expect(report.left).toEqual([{ id: 'a', message: 0 }]);
});

describe('server tools', () => {
  const search = (name: string, type = 'server_tool_use'): Message => ({
    role: 'assistant',
    content: [
      { type, id: 's', name, input: {} },
      { type: 'text', text: 'so' },
    ],
  });

  test('a call that nobody will answer any more gets an error of its own kind, right behind it', () => {
    const [message] = enforceToolRoundTrips([search('web_search'), user()]).messages;
    expect(message?.content).toEqual([
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      {
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
      },
      { type: 'text', text: 'so' },
    ]);
  });

  test.each([
    ['web_fetch', 'web_fetch'],
    ['code_execution', 'code_execution'],
    ['bash_code_execution', 'bash_code_execution'],
    ['text_editor_code_execution', 'text_editor_code_execution'],
    ['tool_search_tool_regex', 'tool_search'],
    ['tool_search_tool_bm25', 'tool_search'],
  ])('%s is answered as %s is', (name, kind) => {
    const [message] = enforceToolRoundTrips([search(name), user()]).messages;
    expect(message?.content?.[1]).toMatchObject({
      type: `${kind}_tool_result`,
      content: { type: `${kind}_tool_result_error`, error_code: 'unavailable' },
    });
  });

  test('one of an MCP server gets a text, one of an unknown kind is named', () => {
    const [message] = enforceToolRoundTrips([search('x', 'mcp_tool_use'), user()]).messages;
    expect(message?.content).toHaveLength(3);
    const { messages, report } = enforceToolRoundTrips([search('novel'), user()]);
    expect(messages).toHaveLength(2);
    expect(report.left).toEqual([{ id: 's', message: 0 }]);
  });

  test('a result of an id that is used again answers the newest call of it', () => {
    const search: Block = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const found: Block = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
    const history: Message[] = [
      { role: 'assistant', content: [search] },
      user(),
      { role: 'assistant', content: [search, found] },
      user(),
    ];
    const { messages, report } = enforceToolRoundTrips(history);
    expect(report.answered).toEqual([{ id: 's', message: 0 }]);
    expect(messages.slice(1)).toEqual(history.slice(1));
  });

  test('results may come after those of the caller', () => {
    const history: Message[] = [
      { role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, use('a')] },
      answers('a'),
    ];
    expect(enforceToolRoundTrips(history).messages).toBe(history);
    const later: Message = {
      role: 'assistant',
      content: [{ type: 'web_search_tool_result', tool_use_id: 's', content: [] }],
    };
    expect(enforceToolRoundTrips([...history, later, user()]).report.intact).toBe(true);
  });
});

test('what the APIs take comes back as it was', () => {
  fc.assert(
    fc.property(fc.oneof(anthropicRequest, openAiRequest), (history) => {
      expect(enforceToolRoundTrips(history).messages).toBe(history);
    }),
  );
});

/** Breaks a conversation: some messages go, some stand elsewhere. */
const broken = (whole: fc.Arbitrary<Message[]>): fc.Arbitrary<Message[]> =>
  whole.chain((messages) => fc.oneof(fc.subarray(messages), fc.shuffledSubarray(messages)));

/** Problems that have to do with round trips: not how a history begins or ends, and not what was written into it. */
const ofPairs = (problem: string): boolean => /tool_use|tool_result|tool_call|role tool/.test(problem);

test('whatever was lost or moved, no round trip is half, in either format', () => {
  fc.assert(
    fc.property(broken(anthropicRequest), (history) => {
      const { messages } = enforceToolRoundTrips(frozen(history), { orphans: 'drop' });
      expect(anthropicProblems([user(), ...messages]).filter(ofPairs)).toEqual([]);
    }),
  );
  fc.assert(
    fc.property(broken(openAiRequest), (history) => {
      const { messages } = enforceToolRoundTrips(frozen(history), { orphans: 'drop' });
      expect(openAiProblems([user(), ...messages]).filter(ofPairs)).toEqual([]);
    }),
  );
});

test('a second time changes nothing, and nothing is lost that was no orphan', () => {
  fc.assert(
    fc.property(fc.oneof(conversation(), brokenConversation()), (history) => {
      const { messages, report } = enforceToolRoundTrips(frozen(history));
      const again = enforceToolRoundTrips(messages);
      expect(again.messages).toBe(messages);
      expect(again.report.answered).toEqual([]);
      expect(report.dropped).toEqual([]);
      const texts = (list: readonly Message[]): string[] =>
        sketch(list)
          .flatMap((line) => line.slice(3).split(' '))
          .filter((sign) => !sign.endsWith('~'))
          .sort();
      expect(texts(messages)).toEqual(texts(history));
    }),
  );
});

test('twenty thousand messages take no more than their share', { timeout: 60_000 }, () => {
  const history = Array.from({ length: 10_000 }, (_, at) => [asks('same', `b${at}`), answers('same')]).flat();
  const startedAt = performance.now();
  expect(enforceToolRoundTrips(history).report.answered).toHaveLength(10_000);
  expect(performance.now() - startedAt).toBeLessThan(8_000);
});
