import { describe, expect, test } from 'vitest';
import type { Block, Message } from '../../src/messages/types.ts';
import { anthropicProblems, lostThinking, openAiProblems } from './api-rules.ts';

function user(...content: readonly Block[]): Message {
  return { role: 'user', content };
}
function assistant(...content: readonly Block[]): Message {
  return { role: 'assistant', content };
}
const says = (content: string): Message => ({ role: 'assistant', content });
const prompt = (content: string): Message => ({ role: 'user', content });
const text = (words: string): Block => ({ type: 'text', text: words });
const call = (id: string): Block => ({ type: 'tool_use', id, name: 'Read', input: {} });
const answer = (id: string, rest: object = { content: 'ok' }): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  ...rest,
});
const thinking: Block = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
const image: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const search: Block = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } };
const found: Block = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
const hi = prompt('hi');

describe('the Anthropic API accepts', () => {
  test.each<[string, Message[]]>([
    ['a prompt', [hi]],
    ['turns of one role in a row', [hi, hi, says('a'), says('b'), hi]],
    ['a call and its answer', [hi, assistant(text('so'), call('1')), user(answer('1'), text('go on'))]],
    [
      'answers in several messages of one turn',
      [hi, assistant(call('1'), call('2')), user(answer('2')), user(answer('1'))],
    ],
    ['an answer without content', [hi, assistant(call('1')), user(answer('1', {}))]],
    ['an answer of text and image', [hi, assistant(call('1')), user(answer('1', { content: [text('a'), image] }))]],
    ['thinking before its call', [hi, assistant(thinking, call('1')), user(answer('1'))]],
    ['thinking between calls', [hi, assistant(thinking, text('a'), thinking, call('1')), user(answer('1'))]],
    ['thinking behind text in an older turn', [hi, assistant(text('a'), thinking, text('b')), hi, says('c'), hi]],
    ['a server tool answered in its own turn', [hi, assistant(search, found, text('so'))]],
    ['an empty last answer', [hi, says('')]],
    ['a system message behind a user turn', [hi, { role: 'system', content: 'be brief' }, says('ok')]],
  ])('%s', (_, messages) => {
    expect(anthropicProblems(messages)).toEqual([]);
  });
});

describe('the Anthropic API refuses', () => {
  test.each<[string, Message[], RegExp]>([
    ['no message', [], /at least one message/],
    ['an answer as the first message', [says('a')], /must use the user role/],
    ['an unknown role', [hi, { role: 'tool', content: 'x' }], /unknown role tool/],
    ['a system message as the first one', [{ role: 'system', content: 'x' }, hi], /must use the user role/],
    ['a system message behind an assistant', [hi, says('a'), { role: 'system', content: 'x' }], /no user turn/],
    ['content null', [{ role: 'user', content: null }], /content is missing/],
    ['an empty list', [hi, says('a'), { role: 'user', content: [] }], /non-empty content/],
    ['an empty answer that is not the last', [hi, says(''), hi], /non-empty content/],
    ['an empty text block', [user(text(''))], /non-whitespace/],
    ['a text of spaces', [user(text(' \n'))], /non-whitespace/],
    ['a prompt of spaces', [prompt(' ')], /non-whitespace/],
    ['a call of a user', [user(call('1')), user(answer('1'))], /cannot stand/],
    ['a result of an assistant', [hi, assistant(answer('1'))], /cannot stand/],
    ['a call without an answer', [hi, assistant(call('1')), hi], /without a tool_result/],
    ['a call without an answer at the end', [hi, assistant(call('1'))], /without a tool_result/],
    ['a late answer', [hi, assistant(call('1')), hi, says('a'), user(answer('1'))], /unexpected tool_use_id/],
    ['an answer without a call', [user(answer('1'))], /unexpected tool_use_id/],
    ['two answers to one call', [hi, assistant(call('1')), user(answer('1'), answer('1'))], /single result/],
    [
      'an id used twice',
      [hi, assistant(call('1')), user(answer('1')), assistant(call('1')), user(answer('1'))],
      /unique/,
    ],
    ['text before an answer', [hi, assistant(call('1')), user(text('so'), answer('1'))], /must come first/],
    ['a prompt before an answer', [hi, assistant(call('1')), hi, user(answer('1'))], /must come first/],
    [
      'an input that is no object',
      [hi, assistant({ ...call('1'), input: 'x' }), user(answer('1'))],
      /an object as input/,
    ],
    [
      'an empty text in an answer',
      [hi, assistant(call('1')), user(answer('1', { content: [text('')] }))],
      /non-whitespace/,
    ],
    [
      'an image in a failed answer',
      [hi, assistant(call('1')), user(answer('1', { content: [image], is_error: true }))],
      /must be text if is_error/,
    ],
    [
      'an answer that is an object',
      [hi, assistant(call('1')), user(answer('1', { content: {} }))],
      /no text and no list/,
    ],
    ['unsigned thinking', [hi, assistant({ type: 'thinking', thinking: 'hm' }, text('a'))], /text or signature/],
    ['thinking at the end', [hi, assistant(text('a'), thinking)], /cannot be thinking/],
    ['thinking behind text in the last turn', [hi, assistant(text('a'), thinking, text('b'))], /start with a thinking/],
    [
      'thinking behind the first call of the last turn',
      [hi, assistant(call('1')), user(answer('1')), assistant(thinking, text('b'))],
      /start with a thinking/,
    ],
    ['spaces at the end of the last answer', [hi, says('a ')], /trailing whitespace/],
    ['a server tool without its result', [hi, assistant(search, text('a')), hi], /without its result/],
    ['a server tool without its call', [hi, assistant(found, text('a')), hi], /without its call/],
  ])('%s', (_, messages, problem) => {
    expect(anthropicProblems(messages).join('\n')).toMatch(problem);
  });

  test('thinking that was changed, or left out of the latest answer', () => {
    const before = [hi, assistant(thinking, text('a')), hi, assistant(thinking, call('1')), user(answer('1'))];
    const without = (at: number): Message[] => before.map((message, i) => (i === at ? assistant(text('a')) : message));
    expect(anthropicProblems(before, before)).toEqual([]);
    expect(anthropicProblems(without(1), before)).toEqual([]);
    const bare = [...before.slice(0, 3), assistant(call('1')), ...before.slice(4)];
    expect(anthropicProblems(bare, before).join()).toMatch(/latest assistant turn/);
    expect(lostThinking(bare, before).join()).toMatch(/as it did/);
    expect(lostThinking(before.slice(0, 3), before)).toEqual([]);
    const changed = [hi, assistant({ ...thinking, thinking: 'other' }, text('a')), ...before.slice(2)];
    expect(anthropicProblems(changed, before)).toEqual(['messages[1]: modified thinking']);
  });
});

const fn = (id: string, args: unknown = '{}'): object => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});
const asks = (...calls: object[]): Message => ({ role: 'assistant', content: null, tool_calls: calls });
const tool = (id: string, content: Message['content'] = 'ok'): Message => ({ role: 'tool', tool_call_id: id, content });

describe('the OpenAI API accepts', () => {
  test.each<[string, Message[]]>([
    ['instructions, a prompt and an answer', [{ role: 'developer', content: 'x' }, hi, says('a')]],
    ['an answer as the first message', [says('a')]],
    ['calls answered in any order', [hi, asks(fn('1'), fn('2')), tool('2'), tool('1'), says('a')]],
    ['text beside calls', [hi, { ...asks(fn('1')), content: 'so' }, tool('1', '')]],
    ['an answer in parts', [hi, asks(fn('1')), tool('1', [text('a')])]],
    ['an id used again later', [hi, asks(fn('1')), tool('1'), asks(fn('1')), tool('1')]],
    ['a custom tool', [hi, asks({ id: '1', type: 'custom', custom: { name: 'p', input: 'free' } }), tool('1')]],
    [
      'the older shape',
      [
        hi,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'ok' },
      ],
    ],
  ])('%s', (_, messages) => {
    expect(openAiProblems(messages)).toEqual([]);
  });
});

describe('the OpenAI API refuses', () => {
  test.each<[string, Message[], RegExp]>([
    ['no message', [], /at least one message/],
    ['an unknown role', [{ role: 'human', content: 'x' }], /unknown role human/],
    ['null without calls', [hi, { role: 'assistant', content: null }], /got null/],
    ['null of a tool', [hi, asks(fn('1')), tool('1', null)], /got null/],
    ['an empty list of parts', [{ role: 'user', content: [] }], /no filled list/],
    ['an empty list of calls', [hi, { role: 'assistant', content: 'a', tool_calls: [] }], /no filled list/],
    ['calls of a user', [{ ...hi, tool_calls: [fn('1')] }], /of an assistant/],
    ['a call without an answer', [hi, asks(fn('1'), fn('2')), tool('1'), hi], /without an answer: 2/],
    ['a call without an answer at the end', [hi, asks(fn('1'))], /without an answer: 1/],
    ['an answer behind another role', [hi, asks(fn('1')), hi, tool('1')], /must answer a preceding/],
    ['an answer without a call', [hi, tool('1')], /must answer a preceding/],
    ['an unknown id', [hi, asks(fn('1')), tool('1'), tool('2')], /2 is not of the calls/],
    ['two answers to one call', [hi, asks(fn('1')), tool('1'), tool('1')], /1 is not of the calls/],
    ['two calls of one id', [hi, asks(fn('1'), fn('1')), tool('1')], /two calls/],
    ['arguments that are no string', [hi, asks(fn('1', {})), tool('1')], /arguments must be a string/],
    ['a call without an id', [hi, asks({ type: 'function', function: { name: 'f', arguments: '{}' } })], /needs an id/],
    ['an image in an answer', [hi, asks(fn('1')), tool('1', [{ type: 'image_url', image_url: {} }])], /cannot stand/],
    ['a part without text', [{ role: 'user', content: [{ type: 'text' }] }], /text is missing/],
    ['a function without a name', [{ role: 'function', content: 'x' }], /needs its name/],
  ])('%s', (_, messages, problem) => {
    expect(openAiProblems(messages).join('\n')).toMatch(problem);
  });
});
