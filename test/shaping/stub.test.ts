import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMark, stripMarks } from '../../src/messages/marks.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { type AnsweredCall, stubResults } from '../../src/shaping/stub.ts';
import { estimateTokens } from '../../src/tokens/text.ts';
import { conversation } from '../support/conversation.ts';
import { frozen } from '../support/laws.ts';
import { unpairedIds } from '../support/pairs.ts';

const text = Array.from({ length: 40 }, (_, at) => `line ${at} of what was read`).join('\n');
const TOKENS = estimateTokens(text);
const block = (content: unknown): Block => ({ type: 'tool_result', tool_use_id: 'a', content });
const IMAGE: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const calling =
  (name: string, input: unknown): ((id: string) => AnsweredCall | undefined) =>
  () => ({ name, input });
const nobody = (): undefined => undefined;

function stubText(content: unknown, callOf = calling('Read', { file_path: 'src/a.ts' })): string {
  return String(stubResults({ role: 'tool', tool_call_id: 'a', content } as Message, callOf).content);
}

test.each<[why: string, call: AnsweredCall | undefined, says: string]>([
  [
    'a file',
    { name: 'Read', input: { limit: 5, file_path: 'src/a.ts' } },
    `result of Read src/a.ts (40 lines, ${TOKENS} tokens) left out; make the call again if needed`,
  ],
  [
    'a command, of which the first line',
    { name: 'Bash', input: { command: 'npm test\nls' } },
    'result of Bash npm test (40',
  ],
  ['an input of another kind', { name: 'T', input: { n: 1, what: 'x]y' } }, 'result of T x)y (40'],
  ['no input', { name: 'List', input: {} }, 'result of List (40'],
  ['arguments that are no JSON', { name: 'run', input: '{"a": ' }, 'result of run {"a": (40'],
  ['a call that is not there', undefined, `result (40 lines, ${TOKENS} tokens) left out; ask for it again if needed`],
])('says what it was: %s', (_, call, says) => {
  const stub = stubText(text, () => call);
  expect(stub).toMatch(/^\[chitta:stub #[a-z2-7]{7} /);
  expect(stub).toContain(says);
  expect(isMark(stub)).toBe(true);
  expect(stripMarks(stub)).toBe('');
});

test('how to get it again, and by which handle, may be said by the caller', () => {
  const message: Message = { role: 'tool', tool_call_id: 'a', content: text };
  const again = (call: AnsweredCall | undefined): string => `${call?.name} runs for minutes`;
  const stub = stubResults(message, calling('Task', { description: 'look around' }), { again, handle: '#abcdefg' });
  expect(stub.content).toBe(
    `[chitta:stub #abcdefg result of Task look around (40 lines, ${TOKENS} tokens) left out; Task runs for minutes]`,
  );
});

test('ids, errors, breakpoints and unknown keys stay, and texts beside results', () => {
  const given = { ...block(text), is_error: true, cache_control: { type: 'ephemeral' }, mine: 1 };
  const beside: Block = { type: 'text', text };
  const stub = stubResults(frozen({ role: 'user', content: [given, beside], id: 7 }), nobody);
  const [first, second] = stub.content as Block[];
  expect({ ...first, content: '' }).toEqual({ ...given, content: '' });
  expect(second).toBe(beside);
  expect(stub['id']).toBe(7);
});

test('images go with the rest, and are counted', () => {
  expect(stubText([{ type: 'text', text }, IMAGE])).toContain(`(40 lines, ${TOKENS} tokens, 1 image) left out`);
  expect(stubText([IMAGE, IMAGE])).toContain('(2 images) left out');
});

test.each<[why: string, content: unknown]>([
  ['a few words', 'done'],
  ['nothing', ''],
  ['a mark', `[chitta:stub #aaaaaaa result of Read src/a.ts (40 lines, ${TOKENS} tokens) left out]`],
  ['blocks with sources', [{ type: 'search_result', content: text }]],
])('stays as it is: %s', (_, content) => {
  const message = { role: 'user', content: [block(content)] };
  expect(stubResults(message, nobody)).toBe(message);
});

test('a long subject is cut, and in no character', () => {
  const stub = stubText(text, calling('Bash', { command: `${'x'.repeat(79)}🙂${'y'.repeat(1_000_000)}` }));
  expect(stub.isWellFormed()).toBe(true);
  expect(stub.length).toBeLessThan(250);
});

test('a second time changes nothing, and no round trip is broken', () => {
  fc.assert(
    fc.property(conversation(), (messages) => {
      const once = messages.map((message) => stubResults(frozen(message), nobody));
      expect(once.map((message) => stubResults(message, nobody))).toEqual(once);
      expect(unpairedIds(once)).toEqual(unpairedIds(messages));
    }),
  );
});
