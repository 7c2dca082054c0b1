import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/messages/types.ts';
import { queryOf, snapshotOf } from '../../src/session/snapshot.ts';
import { brokenConversation } from '../support/conversation.ts';

let calls = 0;

/** A call and its answer. */
function ran(name: string, input: Record<string, unknown>, result: string, isError = false): Message[] {
  calls += 1;
  const id = `call_${calls}`;
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result, is_error: isError }] },
  ];
}

const said = (text: string): Message => ({ role: 'user', content: text });

describe('what the user asked for', () => {
  test('the newest prompt stands first; command echoes, summaries and results are no prompts', () => {
    const { goals } = snapshotOf([
      said('first'),
      said('<command-name>/model</command-name>'),
      said('This session is being continued from a previous conversation that ran out of context.'),
      ...ran('Bash', { command: 'ls' }, 'a.txt'),
      said('second'),
    ]);
    expect(goals).toEqual(['second', 'first']);
  });

  test('rules are found in all prompts, and in what the user said when turning a call down', () => {
    const { limits } = snapshotOf([
      said('Write it. Never use globals.'),
      ...ran(
        'Bash',
        { command: 'npm i x' },
        "The user doesn't want to proceed with this tool use. … the user said:\nuse pnpm",
        true,
      ),
    ]);
    expect(limits).toEqual(['use pnpm', 'Never use globals.']);
  });
});

describe('what calls tell', () => {
  test('files come newest first, and stay edited once they were', () => {
    const { files } = snapshotOf([
      ...ran('Edit', { file_path: '/a.ts' }, 'ok'),
      ...ran('Read', { file_path: '/b.ts' }, 'text'),
      ...ran('Read', { file_path: '/a.ts' }, 'text'),
      ...ran('Read', { file_path: '/missing.ts' }, 'File does not exist.', true),
      ...ran('Grep', { pattern: 'x', path: '/src' }, ''),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'open', name: 'Write', input: { file_path: '/new.ts' } }],
      },
    ]);
    expect(files).toEqual([
      { path: '/new.ts', use: 'edited' },
      { path: '/a.ts', use: 'edited' },
      { path: '/b.ts', use: 'read' },
    ]);
  });

  test('a failure is open until the same call goes well', () => {
    const failed = ran('Bash', { command: 'npm test' }, 'Exit code 1\nFAIL a.test.ts', true);
    const open = snapshotOf([...failed, ...ran('Bash', { command: 'npm run build' }, 'ok')]);
    expect(open.failures).toEqual([{ call: 'npm test', error: 'FAIL a.test.ts' }]);
    expect(snapshotOf([...failed, ...ran('Bash', { command: 'npm test' }, 'ok')]).failures).toEqual([]);
  });

  test('an edit that failed is settled by another edit of the same file', () => {
    const { failures } = snapshotOf([
      ...ran('Edit', { file_path: '/a.ts', old_string: 'x' }, 'String to replace not found', true),
      ...ran('Edit', { file_path: '/a.ts', old_string: 'y' }, 'ok'),
    ]);
    expect(failures).toEqual([]);
  });

  test('a command is named once it went well twice', () => {
    const { commands } = snapshotOf([
      ...ran('Bash', { command: 'npm test' }, 'ok'),
      ...ran('Bash', { command: 'ls' }, 'a'),
      ...ran('Bash', { command: 'npm test' }, 'ok'),
    ]);
    expect(commands).toEqual(['npm test']);
  });

  test('reads OpenAI calls as well', () => {
    const { files, commands } = snapshotOf([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'edit_file', arguments: '{"path":"/x.py"}' } },
          { id: 'b', type: 'function', function: { name: 'shell', arguments: '{"command":"make"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      { role: 'tool', tool_call_id: 'b', content: 'ok' },
    ]);
    expect(files).toEqual([{ path: '/x.py', use: 'edited' }]);
    expect(commands).toEqual([]);
  });
});

test('a query holds the newest prompts, the work in progress, the errors and the file names', () => {
  const query = queryOf(
    snapshotOf([
      said('fix the login'),
      ...ran('TodoWrite', { todos: [{ content: 'look at cookies', status: 'in_progress' }] }, 'ok'),
      ...ran('Bash', { command: 'npm test' }, 'Exit code 1\nError: 401', true),
      ...ran('Read', { file_path: 'C:\\app\\login.ts' }, 'x'),
    ]),
  );
  expect(query).toBe('fix the login\nlook at cookies\nnpm test: Error: 401\nlogin.ts');
  expect(queryOf(snapshotOf([]))).toBe('');
});

test('secrets do not get into a snapshot', () => {
  const token = ['gh', 'o_', 'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j'].join('');
  const snapshot = snapshotOf([
    said(`never print ${token}`),
    ...ran('Bash', { command: `curl -H "Authorization: Bearer ${token}" x` }, `error: bad ${token}`, true),
    ...ran('TodoWrite', { todos: [{ content: `rotate ${token}`, status: 'pending' }] }, ''),
  ]);
  expect(JSON.stringify(snapshot)).not.toContain(token);
  expect(queryOf(snapshot)).not.toContain(token);
});

test('is deterministic, bounded and well-formed on any conversation', () => {
  fc.assert(
    fc.property(brokenConversation(), (messages) => {
      const snapshot = snapshotOf(messages);
      expect(snapshotOf(messages)).toEqual(snapshot);
      const texts = [...snapshot.goals, ...snapshot.limits, ...snapshot.commands, queryOf(snapshot)];
      for (const text of texts) {
        expect(text.length).toBeLessThanOrEqual(2_000);
        expect(text.isWellFormed()).toBe(true);
      }
    }),
  );
});
