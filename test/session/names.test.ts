import { expect, test } from 'vitest';
import { namesIn } from '../../src/session/names.ts';

test('names in backticks, the ones used in most texts first', () => {
  const texts = ['call `x` then `bee` and `ant`', 'then `ant`', '```\nuse `code`\n```', 'not `over\ntwo lines`'];
  expect(namesIn(texts, 5)).toEqual(['ant', 'bee']);
  expect(namesIn(texts, 1)).toEqual(['ant']);
});
