/** Everything that may arrive at a hook: each event, broken input, and paths that are no transcript. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TranscriptBuilder } from '../support/transcript.ts';

/** An event: how the command line calls it, how the host does, and what the host says besides. */
export interface HookEvent {
  readonly name: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Milliseconds from the start of the process to its end, on a machine that has other things to do. */
  readonly withinMs: number;
}

/** The start of a process, and other work on the machine. */
const START_MS = 3_000;

export const EVENTS: readonly HookEvent[] = [
  {
    name: 'pre-compact',
    event: 'PreCompact',
    fields: { trigger: 'auto', custom_instructions: null },
    withinMs: 3_600 + START_MS,
  },
  {
    name: 'post-compact',
    event: 'PostCompact',
    fields: { compact_summary: '<summary>x</summary>' },
    withinMs: 3_000 + START_MS,
  },
  { name: 'session-start', event: 'SessionStart', fields: { source: 'startup' }, withinMs: 4_000 + START_MS },
  { name: 'session-start', event: 'SessionStart', fields: { source: 'compact' }, withinMs: 4_000 + START_MS },
  { name: 'session-end', event: 'SessionEnd', fields: { reason: 'other' }, withinMs: 1_000 + START_MS },
  {
    name: 'user-prompt-submit',
    event: 'UserPromptSubmit',
    fields: { prompt: 'Where is readColumn in src/app.ts?' },
    withinMs: 250 + START_MS,
  },
  { name: 'stop', event: 'Stop', fields: {}, withinMs: 20_000 },
  { name: 'subagent-stop', event: 'SubagentStop', fields: { agent_id: 'a1' }, withinMs: 20_000 },
];

/** What each event is called on the command line, and a name that none has. */
export const NAMES: readonly string[] = [...new Set(EVENTS.map(({ name }) => name)), 'no-such-event'];

/** The input of an event, as its host sends it. */
export function inputOf({ event, fields }: HookEvent, transcript: unknown, cwd: string): Record<string, unknown> {
  const paths = {
    transcript_path: transcript,
    ...(event === 'SubagentStop' ? { agent_transcript_path: transcript } : {}),
  };
  return { session_id: 'a session', ...paths, cwd, hook_event_name: event, ...fields };
}

/** Standard input that is no event. */
export const BROKEN: readonly (readonly [what: string, input: () => Buffer])[] = [
  ['nothing', () => Buffer.alloc(0)],
  ['blanks', () => Buffer.from(' \n\t\n')],
  ['half an object', () => Buffer.from('{"session_id":"a","transcript_path":"/tmp')],
  ['a text', () => Buffer.from('"words"')],
  ['a list', () => Buffer.from('[{"session_id":"a"}]')],
  ['null', () => Buffer.from('null')],
  ['bytes that are no text', () => Buffer.from([0xff, 0xfe, 0, 0x7b, 0x22, 0xed, 0xa0, 0x80, 0x7d])],
  ['100,000 brackets', () => Buffer.from('['.repeat(100_000))],
  ['50 MB that are JSON', () => Buffer.from(JSON.stringify({ session_id: 'a', prompt: 'x'.repeat(50_000_000) }))],
];

/** Fields of other types than a host sends. */
export const WRONG_TYPES: readonly unknown[] = [null, 7, true, [], {}, ['/etc/passwd'], ''];

/** Paths that are no transcript, made in `folder`, which is outside of any home. */
export function badPaths(folder: string): readonly (readonly [what: string, path: unknown])[] {
  const at = (name: string): string => join(folder, name);
  if (!existsSync(at('a-folder'))) {
    mkdirSync(at('a-folder'));
    execFileSync('mkfifo', [at('a-pipe')]);
    symlinkSync(at('a-loop'), at('a-loop'));
    symlinkSync(at('gone'), at('a-dangling-link'));
    writeFileSync(at('empty.jsonl'), '');
    writeFileSync(at('other.jsonl'), '{"type":"session_meta","payload":{}}\n');
  }
  return [
    ['an empty path', ''],
    ['no path', undefined],
    ['a missing file', at('missing.jsonl')],
    ['a folder', at('a-folder')],
    ['a pipe that nobody writes to', at('a-pipe')],
    ['a device without end', '/dev/zero'],
    ['a link to itself', at('a-loop')],
    ['a link to nothing', at('a-dangling-link')],
    ['a file below a file', join(at('empty.jsonl'), 'x')],
    ['a path with a NUL', `${at('a')}\0b`],
    ['a path of 10,000 characters', `/${'x'.repeat(10_000)}`],
    ['an empty file', at('empty.jsonl')],
    ["another agent's file", at('other.jsonl')],
  ];
}

/** A good transcript outside of the home. */
export function goodTranscript(folder: string): string {
  const rows = new TranscriptBuilder(41);
  rows.prompt('Rename the column in src/app.ts. Never drop data.');
  rows.text('m1', 'The column `user_id` is now called `account_id` in all tables.');
  rows.call('m2', 't1');
  rows.result('t1', 'one more line of output\n'.repeat(20));
  const path = join(folder, 'good.jsonl');
  writeFileSync(path, rows.bytes);
  return path;
}
