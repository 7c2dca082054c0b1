import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { messagesOf } from '../../src/evaluation/normalise.ts';
import { readSegments } from '../../src/transcript/segments.ts';
import { linesOf, shown, TranscriptBuilder } from '../support/transcript.ts';

const folder = mkdtempSync(join(tmpdir(), 'chitta-segments-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(bytes: Buffer | string): ReturnType<typeof readSegments> {
  const path = join(folder, 'session.jsonl');
  writeFileSync(path, bytes);
  return readSegments(path);
}

test('cuts at compactions, and leaves out sub-agents, meta rows and what the client made up', async () => {
  const made = new TranscriptBuilder();
  made.prompt('begin', { cwd: '/home/me/ledger' });
  made.prompt('aside', { isSidechain: true });
  made.prompt('about', { isMeta: true });
  made.text('m1', 'sorry', { isApiErrorMessage: true });
  made.progress();
  made.call('m2', 'a');
  made.result('a');
  made.compaction();
  made.queued('and then');
  const found = await read(made.bytes);
  expect(found?.cwd).toBe('/home/me/ledger');
  expect(found?.segments.map((rows) => shown(messagesOf(rows)))).toEqual([
    ['user: begin', 'assistant: call a', 'user: result a'],
    ['user: This session is being continued from a previous conversation.\nSummary: so far', 'user: and then'],
  ]);
});

test('reads glued lines, and counts what is damaged', async () => {
  const made = new TranscriptBuilder();
  made.prompt('one');
  made.prompt('two');
  const glued = made.bytes.toString('utf8').replace('\n', '');
  const found = await read(`${glued}{"type":"user","message":\n`);
  expect(found?.segments.map((rows) => rows.length)).toEqual([2]);
  expect(found?.damagedLines).toBe(1);
});

test.each([
  ['another agent’s rollout', linesOf([{ type: 'session_meta', payload: {} }])],
  ['one JSON document', JSON.stringify([{ role: 'user', content: 'hello' }])],
  ['an archive', Buffer.from([0x1f, 0x8b, 8, 0])],
])('%s is no transcript', async (_name, bytes) => {
  expect(await read(bytes)).toBeUndefined();
});

test('a transcript of a sub-agent has no main chain, an empty file nothing', async () => {
  const made = new TranscriptBuilder();
  made.prompt('aside', { isSidechain: true });
  expect((await read(made.bytes))?.segments).toEqual([]);
  expect((await read(''))?.segments).toEqual([]);
});
