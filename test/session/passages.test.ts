import { expect, test } from 'vitest';
import type { Message } from '../../src/messages/types.ts';
import {
  filePointers,
  newestGroup,
  nextStepOf,
  rankPassages,
  type Source,
  sourcesOf,
} from '../../src/session/passages.ts';

const user = (content: string): Message => ({ role: 'user', content, uuid: `u-${content}` });
const agent = (content: string): Message => ({ role: 'assistant', content, uuid: `a-${content}` });
const call = (id: string, name: string, input: object): Message => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name, input }],
  uuid: `c-${id}`,
});
const result = (id: string, content: string): Message => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
  uuid: `r-${id}`,
});
const source = (text: string, more: Partial<Source> = {}): Source => ({
  handle: '#aaaaaaa',
  label: 'the agent',
  file: '',
  text,
  ...more,
});

test.each([
  ['its last answer', [user('a'), agent('b')], 1],
  ['a call with its result', [user('a'), call('1', 'Bash', {}), result('1', 'x')], 1],
  ['an answer with the prompt behind it', [user('a'), agent('b'), user('c')], 1],
  ['nothing, where nothing was answered', [user('a')], 1],
  ['nothing, of nothing', [], 0],
])('the newest group of a conversation is %s', (_, messages, start) => {
  expect(newestGroup(messages)).toBe(start);
});

test('the next step is the newest prompt and the end of what was said', () => {
  const query = nextStepOf([user('Fix the lock.'), agent(`${'x'.repeat(5_000)} at the end`)]);
  expect(query).toMatch(/^Fix the lock\.\n/);
  expect(query).toContain('at the end');
  expect(query.length).toBeLessThanOrEqual('Fix the lock.\n'.length + 2_500);
});

test('sources say what they are, and are no summaries and nothing that a harness wrote', () => {
  const messages = [
    user('This session is being continued from a previous conversation.'),
    user('<command-name>/compact</command-name>'),
    user('[chitta:restored]\nx\n[/chitta:restored]'),
    user('Fix the lock.'),
    call('1', 'Read', { file_path: '/p/lock.ts' }),
    result('1', 'export const lock = 1;'),
    agent('It is open.'),
  ];
  expect(sourcesOf(messages).map(({ label, file, text }) => [label, file, text])).toEqual([
    ['the user', '', 'Fix the lock.'],
    ['Read /p/lock.ts', '/p/lock.ts', 'export const lock = 1;'],
    ['the agent', '', 'It is open.'],
  ]);
});

test('passages are ranked by the words of the query, a file that it names before others, the newer of equals first', () => {
  const same = 'The lock is taken before the door opens, always.';
  const sources = [
    source(same, { handle: '#older22' }),
    source(same, { handle: '#named22', file: '/p/door.ts' }),
    source(same, { handle: '#newer22' }),
    source('Nothing of the kind is said in this one at all.'),
  ];
  const ranked = rankPassages(sources, 'the lock in door.ts', 10).map(({ handle }) => handle);
  expect(ranked.slice(0, 3)).toEqual(['#named22', '#newer22', '#older22']);
});

test('a long text is ranked by its parts', () => {
  const filler = 'a line of no interest whatsoever\n'.repeat(200);
  const [best] = rankPassages([source(`${filler}the lock_of_the_door is here\n${filler}`)], 'lock_of_the_door', 1);
  expect(best?.text).toContain('lock_of_the_door');
  expect(best?.text.length).toBeLessThanOrEqual(1_400);
});

test('of each file, the pointer leads to where it was last read or changed', () => {
  const messages = [
    call('1', 'Read', { file_path: '/p/a.ts' }),
    result('1', 'one'),
    call('2', 'Read', { file_path: '/p/a.ts' }),
    result('2', 'two'),
    call('3', 'Edit', { file_path: '/p/b.ts' }),
    result('3', 'done'),
    call('4', 'Grep', { path: '/p' }),
  ];
  const pointers = filePointers(messages, 10);
  expect(pointers.map(({ path }) => path)).toEqual(['/p/b.ts', '/p/a.ts']);
  expect(new Set(pointers.map(({ handle }) => handle)).size).toBe(2);
  expect(filePointers(messages, 1)).toHaveLength(1);
});
