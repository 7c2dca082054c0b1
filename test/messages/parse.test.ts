import { describe, expect, test } from 'vitest';
import { ChittaError } from '../../src/errors.ts';
import { parseMessages } from '../../src/messages/parse.ts';

function fieldOf(value: unknown): string | undefined {
  try {
    parseMessages(value);
  } catch (error) {
    if (error instanceof ChittaError) return `${error.code} ${error.field}`;
    throw error;
  }
  return undefined;
}

/** An object of so many levels. */
function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}

function called(input: object): object {
  return { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input }] };
}

function knotted(): object {
  const knot: Record<string, unknown> = {};
  knot['a'] = knot;
  knot['b'] = [knot, knot];
  return knot;
}

const good = { role: 'user', content: 'hi' };

describe('messages from outside', () => {
  test('are the same objects, unknown keys kept', () => {
    const messages = [
      good,
      { role: 'assistant', content: [{ type: 'future_block', x: 1 }], uuid: 'u', extra: { a: 1 } },
    ];
    const parsed = parseMessages(messages);
    expect(parsed.every((message, index) => message === messages[index])).toBe(true);
  });

  test.each<[why: string, value: unknown, field: string]>([
    ['no list', { role: 'user' }, 'E_PARAM_INVALID messages'],
    ['nothing', undefined, 'E_PARAM_INVALID messages'],
    ['null', [good, null], 'E_MESSAGE_INVALID messages[1]'],
    ['a number', [7], 'E_MESSAGE_INVALID messages[0]'],
    ['a hole', Array.from({ length: 1 }), 'E_MESSAGE_INVALID messages[0]'],
    ['a list as message', [[good]], 'E_MESSAGE_INVALID messages[0]'],
    ['no role', [good, { content: 'x' }], 'E_MESSAGE_INVALID messages[1].role'],
    ['an empty role', [{ role: '', content: 'x' }], 'E_MESSAGE_INVALID messages[0].role'],
    ['a number as content', [{ role: 'user', content: 3 }], 'E_MESSAGE_INVALID messages[0].content'],
    ['no content', [{ role: 'user' }], 'E_MESSAGE_INVALID messages[0].content'],
    ['a block that is a text', [{ role: 'user', content: ['x'] }], 'E_MESSAGE_INVALID messages[0].content[0]'],
    [
      'a block without a type',
      [{ role: 'user', content: [{ text: 'x' }] }],
      'E_MESSAGE_INVALID messages[0].content[0].type',
    ],
    [
      'calls that are no list',
      [{ role: 'assistant', content: null, tool_calls: {} }],
      'E_MESSAGE_INVALID messages[0].tool_calls',
    ],
    ['an input that holds itself', [called(knotted())], 'E_MESSAGE_INVALID messages[0]'],
    ['an input too deep to be written', [good, called(nested(20_000))], 'E_MESSAGE_INVALID messages[1]'],
  ])('%s is an error that names the place', (_why, value, field) => {
    expect(fieldOf(value)).toBe(field);
  });

  test.each<[why: string, value: unknown]>([
    ['an empty list', []],
    ['an assistant message that only calls', [{ role: 'assistant', content: null, tool_calls: [] }]],
    ['an assistant message without content', [{ role: 'assistant' }]],
    ['an input of 997 levels in a message of three', [called(nested(997))]],
    ['an unknown role', [{ role: 'critic', content: 'x' }]],
  ])('%s is fine', (_why, value) => {
    expect(fieldOf(value)).toBeUndefined();
  });
});
