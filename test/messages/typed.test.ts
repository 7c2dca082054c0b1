import { describe, expect, test } from 'vitest';
import { writeBlock, writeMark } from '../../src/messages/marks.ts';
import { humanText, isTypedPrompt } from '../../src/messages/typed.ts';
import type { Message } from '../../src/messages/types.ts';

const user = (content: Message['content'], extra: Record<string, unknown> = {}): Message => ({
  role: 'user',
  content: content ?? null,
  ...extra,
});

describe('typed prompts', () => {
  test.each<[why: string, message: Message, typed: string]>([
    ['plain text', user('Make the port 8080'), 'Make the port 8080'],
    ['a text block', user([{ type: 'text', text: 'Fix it' }]), 'Fix it'],
    ['text beside a picture', user([{ type: 'image' }, { type: 'text', text: 'What is this?' }]), 'What is this?'],
    ['text after what the editor added', user('<ide_opened_file>src/a.ts</ide_opened_file>\nRename it'), 'Rename it'],
    [
      'text block behind a reminder block',
      user([
        { type: 'text', text: '<system-reminder>x</system-reminder>' },
        { type: 'text', text: 'Go on' },
      ]),
      'Go on',
    ],
    ['a tag that no harness writes', user('<div>is this valid?</div>'), '<div>is this valid?</div>'],
    [
      'text that looks like a tag by its first letters',
      user('<command-nameless> what is it?'),
      '<command-nameless> what is it?',
    ],
    ['text around a mark of ours', user(`${writeBlock('recall', 'old fact')}\nContinue`), 'Continue'],
  ])('%s was typed', (_why, message, typed) => {
    expect(humanText(message)).toBe(typed);
    expect(isTypedPrompt(message)).toBe(true);
  });

  test.each<[why: string, message: Message]>([
    ['an assistant message', { role: 'assistant', content: 'Done' }],
    ['a tool result', user([{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }])],
    [
      'text beside a tool result',
      user([
        { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
        { type: 'text', text: 'more' },
      ]),
    ],
    ['a command echo', user('<command-name>/compact</command-name>\n<command-message>compact</command-message>')],
    ['what a command printed', user('<local-command-stdout>Compacted</local-command-stdout>')],
    ['a shell line and its output', user('<bash-input>ls</bash-input><bash-stdout>a.ts</bash-stdout>')],
    ['a tag that never closes', user('<local-command-stdout>half')],
    ['an interrupt', user([{ type: 'text', text: '[Request interrupted by user]' }])],
    ['a summary', user('This session is being continued from a previous conversation that ran out of context.')],
    ['a meta row', user('Caveat', { isMeta: true })],
    ['a summary row', user('Summary', { isCompactSummary: true })],
    ['hook feedback', user('Stop hook feedback:\nrun the tests')],
    ['hook context', user('UserPromptSubmit hook additional context: …')],
    ['nothing', user('  \n')],
    ['a picture alone', user([{ type: 'image' }])],
    ['our own mark', user(writeMark('gap', ['#abcdefg'], '3 messages'))],
    ['our own block behind a host prefix', user(`SessionStart:compact hook success: ${writeBlock('restored', 'x')}`)],
  ])('%s was not typed', (_why, message) => {
    expect(humanText(message)).toBe('');
  });
});
