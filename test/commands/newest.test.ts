import { expect, test } from 'vitest';
import { newestTurns } from '../../src/commands/newest.ts';

const system = { role: 'system', content: 'You are careful.' };
const prompt = (text: string) => ({ role: 'user', content: text });
const answer = (text: string) => ({ role: 'assistant', content: text });
const call = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, function: { name: 'ls', arguments: '{}' } }],
});
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });

const conversation = [
  system, // 0
  prompt('one'),
  answer('1'),
  prompt('two'), // 3
  call('a'),
  result('a'), // 5
  call('b'),
  result('b'), // 7
  answer('2'),
];

test.each([
  ['the newest turn reaches back to the newest prompt', 1, [0, 3, 4, 5, 6, 7, 8]],
  ['results count with their calls, not by themselves', 4, [0, 3, 4, 5, 6, 7, 8]],
  ['more turns reach farther', 5, [0, 2, 3, 4, 5, 6, 7, 8]],
  ['more turns than there are: all', 100, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
])('%s', (_, turns, indices) => {
  const newest = newestTurns(conversation, turns);
  expect(newest).toEqual(indices.map((index) => conversation[index]));
  expect(newest[0]).toBe(system);
});

test('begins where a unit begins, also without any prompt', () => {
  const calls = [call('a'), result('a'), call('b'), result('b')];
  expect(newestTurns(calls, 1)).toEqual(calls.slice(2));
  const crossed = [call('a'), call('b'), result('a'), result('b')];
  expect(newestTurns(crossed, 1)).toEqual(crossed);
});

test('of nothing, nothing', () => {
  expect(newestTurns([], 5)).toEqual([]);
});
