import { describe, expect, test } from 'vitest';
import { foreignFormat, parseTranscript, sniff } from '../../src/transcript/index.ts';
import { TranscriptBuilder } from '../support/transcript.ts';

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('another format', () => {
  const foreign: [name: string, head: Buffer][] = [
    ['Codex CLI rollout', json({ timestamp: 't', type: 'session_meta', payload: { id: 'x', cwd: '/' } })],
    ['Codex CLI rollout', json({ timestamp: 't', type: 'response_item', payload: { type: 'message', role: 'user' } })],
    ['Codex CLI exec output', json({ type: 'thread.started', thread_id: 'x' })],
    ['Gemini CLI chat', json({ sessionId: 's', projectHash: 'p', startTime: 't', messages: [{ type: 'gemini' }] })],
    ['ChatGPT export', json([{ title: 't', create_time: 1, mapping: {}, current_node: 'n' }])],
    ['Claude.ai export', json([{ uuid: 'u', name: 'n', chat_messages: [] }])],
    ['VS Code Copilot chat export', json({ requesterUsername: 'a', responderUsername: 'b', requests: [] })],
    ['Aider chat history', Buffer.from('\n# aider chat started at 2026-01-01 10:00:00\n\n#### hello\n')],
    ['gzip archive', Buffer.from([0x1f, 0x8b, 8, 0])],
    ['zip archive', Buffer.from([0x50, 0x4b, 3, 4])],
    ['UTF-16 text', Buffer.from('\ufeff{}', 'utf16le')],
  ];
  test.each(foreign)('is named: %s', (name, head) => {
    expect(foreignFormat(head)).toBe(name);
  });

  test.each(foreign)('is refused by that name, whole or cut: %s', async (name, head) => {
    for (const bytes of [head, Buffer.concat([head, Buffer.from('\n{"type":"user"}\n')])]) {
      await expect(parseTranscript(bytes)).rejects.toMatchObject({
        code: 'E_INPUT_FORMAT',
        message: `the input is not a Claude Code transcript: ${name}`,
      });
    }
  });

  test('is named when it is a database', () => {
    expect(foreignFormat(Buffer.from('SQLite format 3\0'))).toMatch(/^SQLite database/);
  });

  test.each([
    ['a transcript', new TranscriptBuilder().add({ type: 'user', message: {} })],
    ['messages', [{ role: 'user', content: 'x' }]],
    ['a request', { messages: [{ role: 'user', content: 'x' }], target_ratio: 0.4 }],
    ['an unknown object', { type: 'event', payload: {} }],
  ])('is not seen in %s', (_what, value) => {
    expect(foreignFormat(json(value))).toBeUndefined();
  });
});

describe('the kind of input', () => {
  const made = new TranscriptBuilder();
  made.prompt('messages: [');
  const pretty = (value: unknown): Buffer => Buffer.from(JSON.stringify(value, null, 2));
  const kinds: [kind: string, what: string, head: Buffer][] = [
    ['empty', 'nothing', Buffer.from('')],
    ['empty', 'blanks', Buffer.from(' \n\r\n')],
    ['lines', 'a transcript', made.bytes],
    ['lines', 'a transcript behind a comment', Buffer.concat([Buffer.from('// note\n'), made.bytes])],
    [
      'lines',
      'messages, one a line',
      Buffer.from('{"role":"user","content":"x"}\n{"role":"assistant","content":"y"}\n'),
    ],
    ['lines', 'a row cut by the end of the head', made.bytes.subarray(0, 100)],
    ['rows', 'an array of rows', pretty(made.rows)],
    ['messages', 'an array of messages', pretty([{ role: 'user', content: 'x' }])],
    ['messages', 'an empty array', Buffer.from('[ ]\n')],
    ['object', 'a request', json({ query: 'x', messages: [] })],
    ['object', 'a printed request', pretty({ target_ratio: 0.4, messages: [{ role: 'user', content: 'x' }] })],
    ['unknown', 'words', Buffer.from('hello')],
    ['unknown', 'an array of numbers', Buffer.from('[1,2]')],
  ];
  test.each(kinds)('%s: %s', (kind, _what, head) => {
    expect(sniff(head)).toBe(kind);
  });
});
