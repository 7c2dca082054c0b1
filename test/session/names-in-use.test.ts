import { expect, test } from 'vitest';
import type { Message } from '../../src/messages/types.ts';
import { namesInUse } from '../../src/session/names-in-use.ts';

const said = (role: string, content: string): Message => ({ role, content });

test('a prompt makes a name one in use; anything else has to use it twice', () => {
  const messages = [said('user', 'Raise retry_limit.'), said('assistant', 'once_only'), said('assistant', 'page_size')];
  expect(namesInUse([...messages, said('assistant', 'page_size')], 9)).toEqual(['retry_limit', 'page_size']);
});

test('a file is named once, with its folder', () => {
  expect(namesInUse([said('user', 'See src/login.ts, I mean login.ts.')], 9)).toEqual(['src/login.ts']);
});

test("names of a tool's parameters are not in use", () => {
  const call = { type: 'tool_use', id: 't', name: 'Read', input: { file_path: '/p/src/a_b.ts', max_lines: 5 } };
  const messages = Array.from({ length: 3 }, (): Message => ({ role: 'assistant', content: [call] }));
  expect(namesInUse(messages, 9)).toEqual(['src/a_b.ts']);
});

test('at most as many as asked for, masked', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const names = namesInUse([said('user', `a_b c_d_e f_g_h i_j_k with ${token}`)], 2);
  expect(names).toHaveLength(2);
  expect(namesInUse([said('user', `use ${token}`)], 9).join()).not.toContain(token);
});
