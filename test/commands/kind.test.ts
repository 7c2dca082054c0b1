import { expect, test } from 'vitest';
import { DOCUMENT_KEYS, kindOf } from '../../src/commands/kind.ts';
import { share } from '../../src/commands/numbers.ts';
import { compactParamsSchema } from '../../src/protocol/compact-params.ts';

test.each([
  ['', 'empty'],
  [' \n\t\uFEFF', 'empty'],
  ['[]', 'document'],
  ['[{"role":"user"', 'document'],
  ['\uFEFF\n [', 'document'],
  ['{"messages":[{"role":"user","content":"a', 'document'],
  ['{\n  "query": "what",\n  "messages": [', 'document'],
  ['{"query":"a text that is longer than the head', 'document'],
  ['{"query":"a", "target_ratio"', 'document'],
  ['{"messages" : []}', 'document'],
  ['{"type":"x","messages":[],"target_ratio":1}', 'document'],
  ['{"messages":[],"query":"a","sessionId":"b"}', 'document'],
  ['{"parentUuid":null,"type":"user","message":{"messages":[]}}', 'transcript'],
  ['{"type":"prompt_snapshot","messages":[]}', 'either'],
  ['{"uuid":"a","messages":[1]}\n \n', 'either'],
  ['{"type":"prompt_snapshot","messages":[{"role":"user","content":"longer than the head', 'either'],
  ['{"type":"prompt_snapshot","messages":[]}\n{"type":"user"', 'transcript'],
  ['{"role":"user","content":"one message a line"}', 'transcript'],
  ['{"a":{"messages":[]}}', 'transcript'],
  ['{"a":"\\"messages\\":"}', 'transcript'],
  ['{}', 'transcript'],
  ['words', 'transcript'],
  ['# a comment\n{"type":"user"}', 'transcript'],
])('%j is a %s', (head, kind) => {
  expect(kindOf(head)).toBe(kind);
});

test('knows an object of a conversation by every parameter of compact_context, and by nothing else', () => {
  const { properties } = compactParamsSchema();
  expect([...DOCUMENT_KEYS].sort()).toEqual(Object.keys(Object(properties)).sort());
});

test('a share on the command line has the range of target_ratio', () => {
  const { properties } = compactParamsSchema();
  const { minimum, maximum } = Object(properties).target_ratio;
  expect([share(String(minimum)), share(String(maximum))]).toEqual([minimum, maximum]);
  for (const text of [minimum - 0.001, maximum + 0.001, 'a', '', ' ', 'NaN', 'Infinity']) {
    expect(() => share(String(text))).toThrow('from 0.05 to 1');
  }
});
