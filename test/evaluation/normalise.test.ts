import { expect, test } from 'vitest';
import { faultOf, isPrompt, messagesOf, type SegmentRow } from '../../src/evaluation/normalise.ts';
import type { Block } from '../../src/messages/types.ts';
import { shown } from '../support/transcript.ts';
import { answer, call, prompt } from './session.ts';

function row(role: 'user' | 'assistant', content: string | Block[], messageId?: string, queued = false): SegmentRow {
  return { role, content, messageId, queued };
}

const use = (id: string): Block => ({ type: 'tool_use', id, name: 'Bash', input: {} });
const result = (id: string): Block => ({ type: 'tool_result', tool_use_id: id, content: `output of ${id}` });
const text = (words: string): Block => ({ type: 'text', text: words });

const cases: [why: string, rows: SegmentRow[], messages: string[]][] = [
  [
    'joins the rows of one answer and puts all its results behind it',
    [
      row('assistant', [text('on it')], 'm1'),
      row('assistant', [use('a')], 'm1'),
      row('user', [result('a')]),
      row('assistant', [use('b')], 'm1'),
      row('user', [result('b')]),
    ],
    ['assistant: on it + call a + call b', 'user: result a + result b'],
  ],
  [
    'leaves out calls without results and results without calls',
    [row('assistant', [use('a'), text('well')], 'm1'), row('user', [result('z')])],
    ['assistant: well'],
  ],
  [
    'takes a call that was written again once',
    [row('assistant', [use('a')], 'm1'), row('user', [result('a')]), row('assistant', [use('a')], 'm2')],
    ['assistant: call a', 'user: result a'],
  ],
  [
    'leaves out thinking and empty texts',
    [row('assistant', [{ type: 'thinking', thinking: 'hm' }, text(' ')], 'm1'), row('user', 'go on')],
    ['user: go on'],
  ],
  ['shows an image by its name', [row('user', [{ type: 'image', source: {} }, text('see')])], ['user: [image] + see']],
  [
    'takes a queued prompt as a prompt, its text only',
    [row('user', [{ type: 'image', source: {} }, text('and this')], undefined, true)],
    ['user: and this'],
  ],
  [
    'keeps a text beside a result, in a message of its own',
    [row('assistant', [use('a')], 'm1'), row('user', [result('a'), text('by the way')])],
    ['assistant: call a', 'user: result a', 'user: by the way'],
  ],
];

test.each(cases)('%s', (_why, rows, messages) => {
  const made = messagesOf(rows);
  expect(shown(made)).toEqual(messages);
  expect(faultOf(made)).toBeUndefined();
});

test('a result’s parts become one text, what is no text by its name', () => {
  const content = [text('one'), { type: 'image', source: {} }];
  const [, answered] = messagesOf([
    row('assistant', [use('a')], 'm1'),
    row('user', [{ type: 'tool_result', tool_use_id: 'a', content, is_error: true }]),
  ]);
  expect(answered?.content).toEqual([
    { type: 'tool_result', tool_use_id: 'a', content: 'one\n[image]', is_error: true },
  ]);
});

test.each([
  ['fix the parser', true],
  ['<command-name>/clear</command-name>', false],
  ['[Request interrupted by user]', false],
  ['This session is being continued from a previous conversation that ran out', false],
  ['Warmup', false],
  ['Warmup the cache first', true],
  ['  ', false],
])('%j was typed: %s', (words, typed) => {
  expect(isPrompt(prompt(words))).toBe(typed);
  expect(isPrompt({ role: 'user', content: words })).toBe(typed);
});

test('results and answers are no prompts', () => {
  const [asked, answered] = call('Bash', {}, 'ok');
  expect([asked, answered, answer('done')].map((message) => message && isPrompt(message))).toEqual([
    false,
    false,
    false,
  ]);
});

const [asked, answered] = call('Bash', { command: 'ls' }, 'ok');
const faults: [string, readonly (typeof asked)[], string | undefined][] = [
  ['a pair', [asked, answered], undefined],
  ['a call alone', [asked], 'a call without its result'],
  ['a result alone', [answered], 'a result without its call'],
  ['a pair with something in between', [asked, prompt('wait'), answered], 'a call without its result'],
  ['nothing', [], 'no messages'],
  ['a message without blocks', [{ role: 'user', content: [] }], 'an empty message'],
  ['a role that is none', [{ role: 'system', content: 'be good' }], 'a message of role system'],
];

test.each(faults)('%s as a request: %3$s', (_name, messages, fault) => {
  expect(faultOf(messages.filter((message) => message !== undefined))).toBe(fault);
});
