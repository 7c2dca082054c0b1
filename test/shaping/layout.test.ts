import { describe, expect, test } from 'vitest';
import type { Block, Message } from '../../src/messages/types.ts';
import { measureBase } from '../../src/shaping/budget.ts';
import { shapeRequest, type ShapeReport } from '../../src/shaping/shape.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';

const words = (lines: number): string => 'the queue keeps each job until its handler returns\n'.repeat(lines);
const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content });
const call = (id: string): object => ({ id, type: 'function', function: { name: 'Read', arguments: '{}' } });
const asks = (...ids: string[]): Message => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: string, lines: number): Message => ({ role: 'tool', tool_call_id: id, content: words(lines) });
const step = (id: string, lines: number): Message[] => [asks(id), result(id, lines)];
const stages = ({ stages: taken }: ShapeReport): string[] => taken.map(({ name }) => name);

test.each(['system', 'tools', 'functions', 'response_format', 'output_config', 'output_format'])(
  '%s stands beside the messages and counts as base',
  (key) => {
    expect(measureBase({ [key]: { text: words(10) }, model: words(10), messages: [user(words(10))] })).toBeGreaterThan(
      90,
    );
  },
);

describe('the prompt', () => {
  const promptOf = (...messages: Message[]): number => shapeRequest({ messages }).report.prompt;
  const sum = (...messages: Message[]): number => messages.reduce((all, one) => all + estimateMessageTokens(one), 0);
  const [a, b, c] = [user('first'), says('second, which is longer'), user('third, which is the longest of all')];

  test.each<[why: string, messages: Message[], prompt: Message[]]>([
    ['what stands behind the last answer', [a, b, c], [c]],
    ['all of it where nothing was answered', [a, c], [a, c]],
    ['an answer that is to be gone on with, too', [a, b, c, says('So')], [c, says('So')]],
    [
      'results that are sent now',
      [a, asks('x', 'y'), result('x', 1), result('y', 2)],
      [result('x', 1), result('y', 2)],
    ],
  ])('%s', (_why, messages, prompt) => {
    expect(promptOf(...messages)).toBe(sum(...prompt));
  });
});

test.each([
  [0, 3],
  [1, 2],
  [2.9, 1],
  [9, 0],
])('a caller may say how many messages are the prompt: of %d, %i of three are history', (promptMessages, history) => {
  const messages = [user('a'), says('b'), user('c')];
  const { report } = shapeRequest({ messages }, { promptMessages, countTokens: () => 1 });
  expect([report.before, report.prompt]).toEqual([history, 3 - history]);
});

test.each([-1, Number.NaN, Infinity])('%d is no number of messages', (promptMessages) => {
  expect(() => shapeRequest({ messages: [user('a')] }, { promptMessages })).toThrow(
    `promptMessages is ${promptMessages}, not a number of messages`,
  );
});

test('the tail begins no later than the call that is answered in it', () => {
  const ids = Array.from({ length: 12 }, (_, at) => `p${at}`);
  const messages = [
    user('Why?'),
    ...step('old', 60),
    asks(...ids),
    ...ids.map((id) => result(id, 30)),
    says('So.'),
    user('And now?'),
  ];
  const tokens = messages.map(estimateMessageTokens);
  const all = tokens.reduce((sum, one) => sum + one, 0);
  const window = Math.ceil((all - tokens[2]! - 200) / 0.9);
  const { report } = shapeRequest({ messages }, { window, responseTokens: 0 });
  // Five of the twelve results stand before the eight newest messages, and are as much of the round trip as the others.
  expect(report.stages[0]).toMatchObject({ name: 'stub-results', messages: 1 });
  expect(stages(report)).toEqual(['stub-results', 'snip', 'shorten-tail']);
});

test('the first message of the user stays, though a later prompt is what is worked on', () => {
  const head = user('Find out why jobs run twice, and keep to the rules of the house.');
  const older = Array.from({ length: 30 }, (_, at) => [says(`So ${at}. ${words(3)}`), user(`And ${at}?`)]).flat();
  const { request, report } = shapeRequest({ messages: [head, ...older] }, { window: 1_500, responseTokens: 0 });
  expect(stages(report)).toEqual(['snip']);
  expect(request.messages[0]).toBe(head);
  expect(request.messages.slice(-9)).toEqual(older.slice(-9));
});

test('a head that is the answer to a call is no head', () => {
  const first: Block = { type: 'tool_result', tool_use_id: 'x', content: words(2) };
  const older = Array.from({ length: 30 }, (_, at) => [says(`So ${at}. ${words(3)}`), user(`And ${at}?`)]).flat();
  const messages: Message[] = [{ role: 'user', content: [first] }, ...older];
  const { request } = shapeRequest({ messages }, { window: 1_500, responseTokens: 0 });
  expect(request.messages).not.toContain(messages[0]);
});
