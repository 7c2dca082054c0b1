import { expect, test } from 'vitest';
import { focusOfSession, focusOfText } from '../../src/hot/focus.ts';

test('of a session: the first lines of its newest prompts, then the open work', () => {
  expect(
    focusOfSession({
      goals: ['Now the tests.\nAll of them, please.', 'Log in with a passkey', 'Look around', 'hello'],
      todos: [
        { text: 'write the handler', state: 'in_progress' },
        { text: 'write the docs', state: 'pending' },
      ],
    }),
  ).toEqual([
    { title: 'Now the tests.' },
    { title: 'Log in with a passkey' },
    { title: 'Look around' },
    { title: 'write the handler (in progress)' },
    { title: 'write the docs' },
  ]);
});

test('a long prompt gives the beginning of its first line', () => {
  const [entry] = focusOfSession({ goals: ['word '.repeat(500)], todos: [] });
  expect(entry?.title).toMatch(/^(?:word ?){30,40}…$/);
});

test.each([
  ['Log in with a passkey', [{ title: 'Log in with a passkey' }]],
  ['#12 Log in', [{ number: 12, title: 'Log in' }]],
  [
    '12. Log in\n\n 13: log out ',
    [
      { number: 12, title: 'Log in' },
      { number: 13, title: 'log out' },
    ],
  ],
  ['404 errors', [{ title: '404 errors' }]],
  ['# Heading', [{ title: '# Heading' }]],
  [' \n', []],
])('of a person: %j', (text, expected) => {
  expect(focusOfText(text)).toEqual(expected);
});
