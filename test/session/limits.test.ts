import { expect, test } from 'vitest';
import { limitsIn } from '../../src/session/limits.ts';

test.each([
  ['Build the parser. Never touch the public API! Thanks.', ['Never touch the public API!']],
  ["don't add dependencies\nuse tabs", ["don't add dependencies"]],
  ['Use port 8080 instead of 3000.', ['Use port 8080 instead of 3000.']],
  ['nur deutsche Texte, bitte', ['nur deutsche Texte, bitte']],
  ['테스트는 절대 지우지 마', ['테스트는 절대 지우지 마']],
  ['не трогай файлы без спроса', ['не трогай файлы без спроса']],
  ['Should we never do that?', []],
  ['Connection: keep-alive is set', []],
  ['please run the tests', []],
  [`must ${'x'.repeat(500)}`, []],
])('finds the rules in %j', (prompt, expected) => {
  expect(limitsIn(prompt)).toEqual(expected);
});
