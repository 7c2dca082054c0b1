import { describe, expect, test } from 'vitest';
import { cleanAnswer } from '../../src/summarize/answer.ts';
import { structured } from './scripted.ts';

const summary = structured('done');

describe('what stands around a summary goes', () => {
  test.each([
    ['thoughts', `<think>hm</think>\n${summary}`],
    ['thoughts with headings of their own', `<thinking>\n## Goal\nhm\n</thinking>\n\n${summary}`],
    ['thoughts whose opening tag stands in the prompt', `hm\n</think>\n${summary}`],
    ['such thoughts with a draft in them', `## Goal\nhm\n\nNo.</think>${summary}`],
    ['an analysis', `<analysis>\nhm\n</analysis>\n\n<summary>\n${summary}\n</summary>`],
    ['a wrapping', `<summary>${summary}</summary>`],
    ['words before and behind a wrapping', `Here it is:\n\n<summary>\n${summary}\n</summary>\n\nIs that all?`],
    ['a wrapping that has no end', `<summary>\n${summary}`],
    ['a header of its own', `[CONVERSATION SUMMARY — 3 messages compressed]\n\n${summary}`],
  ])('%s', (_what, text) => {
    expect(cleanAnswer(text)).toBe(summary);
  });
});

test.each([
  '`</think>` is left in the reply',
  '`<think>`',
  'the `<summary>` of a `<details>`',
  '</summary>',
  '</analysis>',
])('a summary that tells of tags stays whole: %s', (goal) => {
  const text = structured(`Find out why: ${goal}`);
  expect(cleanAnswer(text)).toBe(text);
  expect(cleanAnswer(`<think>hm</think>\n<summary>\n${text}\n</summary>`)).toBe(text);
});

test.each([
  '',
  ' \n',
  '<think>hm',
  '<think>hm</think>',
  '<summary></summary>',
  '…',
  '[CONVERSATION SUMMARY — 3 messages compressed]',
])('%j is none', (text) => {
  expect(cleanAnswer(text)).toBe('');
});
