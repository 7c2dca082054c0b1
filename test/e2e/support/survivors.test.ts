/** How the scenarios tell survivors from what is new, tried on requests that no host sent. */
import { expect, test } from 'vitest';
import type { Block, Message } from '../../../src/messages/types.ts';
import type { ModelRequest } from './requests.ts';
import { conversationIn, FRONT, isExcerpt, survivorsIn } from './survivors.ts';

function request(...messages: Message[]): ModelRequest {
  return { kind: 'main', agent: undefined, session: 's', model: 'm', system: '', thinking: 'adaptive', messages };
}

const said = (text: string): Block => ({ type: 'text', text });
const call = (id: string, input: Record<string, unknown>): Block => ({ type: 'tool_use', id, name: 'Write', input });
const result = (id: string, content: string): Block => ({ type: 'tool_result', tool_use_id: id, content });
/** As a host may write it, in another order. */
const turned = (id: string, content: string): Block => ({
  content,
  is_error: false,
  tool_use_id: id,
  type: 'tool_result',
});

const RAW = [
  said('First.'),
  call('a', { path: 'x', content: '1\n2\n3' }),
  turned('a', 'one\ntwo\nthree'),
  said('Last.'),
];
const SOURCE = conversationIn(request({ role: 'user', content: RAW }));
const others = (...blocks: Block[]): readonly Block[] =>
  survivorsIn(request({ role: 'user', content: blocks }), SOURCE).others;

test.each([
  ['one\n[chitta:gap #abcdefg 2 lines]', true],
  ['[chitta:gap #abcdefg 1 line]\ntwo\n[chitta:gap #abcdefg 1 line]', true],
  ['one\n[chitta:gap #abcdefg 1 line]', false],
  ['three\none\n[chitta:gap #abcdefg 1 line]', false],
  ['one\ntw\n[chitta:gap #abcdefg 1 line]', false],
  ['one\nthree', false],
])('%j is an excerpt of three lines: %s', (text, is) => {
  expect(isExcerpt(text, 'one\ntwo\nthree')).toBe(is);
});

test('a survivor is found as it was, shortened, or not at all', () => {
  const excerpt = call('a', { path: 'x', content: '1\n[chitta:gap #abcdefg 2 lines]' });
  const found = survivorsIn(
    request({ role: 'user', content: [said(`${FRONT}: 1 of 4.`), said('First.\n'), excerpt, said('New.')] }),
    SOURCE,
  );
  expect(found.fronts).toHaveLength(1);
  expect(found).toMatchObject({ whole: [said('First.')], excerpts: [excerpt], others: [said('New.')] });
});

test.each([
  ['another order', [said('Last.'), said('First.')], 1],
  ['a letter more', [said('First..')], 1],
  ['a result of another call', [result('b', 'one\ntwo\nthree')], 1],
  ['a result that has become an error', [{ ...result('a', 'one\ntwo\nthree'), is_error: true }], 1],
  ['another argument', [call('a', { path: 'y', content: '1\n2\n3' })], 1],
  ['twice the same', [said('First.'), said('First.')], 1],
  ['a shortened result', [result('a', '[chitta:gap #abcdefg 3 lines]')], 0],
  ['as it was', RAW, 0],
] as const)('%s: %#', (_what, blocks, count) => {
  expect(others(...blocks)).toHaveLength(count);
});

test('altered thinking is no survivor', () => {
  const thinking: Block = { type: 'thinking', thinking: 'Hm.', signature: 'abc' };
  const at = (block: Block): number =>
    survivorsIn(request({ role: 'assistant', content: [block] }), [thinking]).others.length;
  expect([at(thinking), at({ ...thinking, signature: 'abd' }), at({ ...thinking, thinking: 'Hm' })]).toEqual([0, 1, 1]);
});

test("the host's own words are no part of a conversation", () => {
  const reminder = '<system-reminder>\nToday is Monday.\n</system-reminder>';
  const content = [said(reminder), result('a', `one\n\n${reminder}`), said('Go on.\n')];
  expect(conversationIn(request({ role: 'user', content }))).toEqual([result('a', 'one'), said('Go on.')]);
});
