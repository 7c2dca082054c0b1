import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTranscriptPart } from '../../src/transcript/part.ts';
import { linesOf, shown, TranscriptBuilder } from '../support/transcript.ts';

const folder = mkdtempSync(join(tmpdir(), 'chitta-part-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'session.jsonl');
const MANY = 1_000_000;

function two(): TranscriptBuilder {
  const rows = new TranscriptBuilder();
  rows.prompt('first');
  rows.text('m1', 'one');
  rows.prompt('second');
  rows.text('m2', 'two');
  return rows;
}

test('reads on at the newest prompt, again and again', async () => {
  const rows = two();
  writeFileSync(path, rows.bytes);
  const whole = await readTranscriptPart(path, 0, MANY);
  expect(shown(whole?.messages ?? [])).toHaveLength(4);
  const next = await readTranscriptPart(path, whole?.resumeAt ?? 0, MANY);
  expect(shown(next?.messages ?? [])).toEqual(['user: second', 'assistant: two']);
  expect(next?.resumeAt).toBe(whole?.resumeAt);
  appendFileSync(path, linesOf([rows.prompt('third')]));
  const last = await readTranscriptPart(path, next?.resumeAt ?? 0, MANY);
  expect(shown(last?.messages ?? [])).toEqual(['user: second', 'assistant: two', 'user: third']);
});

test('a row that is still being written is read the next time', async () => {
  const rows = two();
  const bytes = rows.bytes;
  writeFileSync(path, bytes.subarray(0, bytes.length - 20));
  const part = await readTranscriptPart(path, 0, MANY);
  expect(shown(part?.messages ?? [])).toEqual(['user: first', 'assistant: one', 'user: second']);
  writeFileSync(path, bytes);
  const next = await readTranscriptPart(path, part?.resumeAt ?? 0, MANY);
  expect(shown(next?.messages ?? [])).toEqual(['user: second', 'assistant: two']);
});

test('of a part that is too long only its end is read, from a whole line on', async () => {
  const rows = two();
  writeFileSync(path, rows.bytes);
  const part = await readTranscriptPart(path, 0, linesOf(rows.rows.slice(2)).length + 10);
  expect(shown(part?.messages ?? [])).toEqual(['user: second', 'assistant: two']);
});

test('without a prompt it is read from the same place again', async () => {
  const rows = new TranscriptBuilder();
  rows.text('m1', 'one');
  writeFileSync(path, rows.bytes);
  expect((await readTranscriptPart(path, 0, MANY))?.resumeAt).toBe(0);
});

test.each([
  ['a missing file', join(folder, 'none')],
  ['a folder', folder],
  ['a device', '/dev/zero'],
])('there is nothing to read in %s', async (_, place) => {
  expect(await readTranscriptPart(place, 0, MANY)).toBeUndefined();
});
