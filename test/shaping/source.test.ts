import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageSpans, withNumbers, withQuotedNumbers } from '../../src/shaping/source.ts';

const slices = (text: string): string[] | undefined =>
  messageSpans(text)?.elements.map(([start, end]) => text.slice(start, end));

test.each<[why: string, text: string, expected: string[] | undefined]>([
  ['a plain one', '{"a":1,"messages":[{"b":"]"},{"c":[1,2]}],"d":"x"}', ['{"b":"]"}', '{"c":[1,2]}']],
  ['printed over lines', '\n{\n "messages" : [\n {"a": 1} ,\n 2\n]\n}\n', ['{"a": 1}', '2']],
  ['quotes and backslashes', '{"messages":["a\\"]", "b\\\\", "\\\\\\""]}', ['"a\\"]"', '"b\\\\"', '"\\\\\\""']],
  ['words and numbers', '{"messages":[null,true , -1.5e3]}', ['null', 'true', '-1.5e3']],
  ['no messages', '{"model":"m"}', undefined],
  ['messages of another kind', '{"messages":{"a":[1]}}', undefined],
  ['an empty list', '{"messages":[ ]}', []],
  ['an empty object', '{}', undefined],
  ['a key with an escape, and the last of two', '{"messages":[1],"mess\\u0061ges":[2]}', ['2']],
  ['a list inside another value', '{"x":{"messages":[1]},"messages":[2]}', ['2']],
  ['a byte order mark', '\uFEFF{"messages":[1]}', ['1']],
])('finds the messages: %s', (_, text, expected) => {
  expect(slices(text)).toEqual(expected);
});

test('finds what JSON.parse finds, whatever it is', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (messages, other, indent) => {
      const text = JSON.stringify({ other, messages, last: other }, undefined, indent);
      expect(slices(text)?.map((one) => JSON.parse(one))).toEqual(JSON.parse(text).messages);
    }),
  );
});

test('numbers come back as they were written', () => {
  const text = '{"a":12345678901234567890,"b":[1.0,1e5,-0,0.1,7],"c":"1.0","d\\"1.0":1E400}';
  const quoted = withQuotedNumbers(text, 'n:');
  expect(JSON.parse(quoted)).toEqual({
    a: 'n:12345678901234567890;',
    b: ['n:1.0;', 'n:1e5;', 'n:-0;', 0.1, 7],
    c: '1.0',
    'd"1.0': 'n:1E400;',
  });
  expect(withNumbers(quoted, 'n:')).toBe(text);
  expect(withNumbers('"of n:1.0; lines"', 'n:')).toBe('"of 1.0 lines"');
  expect(withQuotedNumbers('{"a":[1,"x"]}', 'n:')).toBe('{"a":[1,"x"]}');
});

test('a megabyte of anything takes a moment', () => {
  const startedAt = performance.now();
  for (const text of ['\\'.repeat(400_000), '"'.repeat(200_000), '1.0 '.repeat(100_000)]) {
    const json = JSON.stringify({ messages: [text, text] });
    expect(slices(json)).toHaveLength(2);
    expect(withQuotedNumbers(json, 'n:')).toBe(json);
  }
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
