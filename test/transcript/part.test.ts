import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTranscriptPart } from '../../src/transcript/part.ts';
import { linesOf, shown, TranscriptBuilder, uuidOf } from '../support/transcript.ts';

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
  const whole = await readTranscriptPart(path, 0, { maxBytes: MANY });
  expect(shown(whole?.messages ?? [])).toHaveLength(4);
  const next = await readTranscriptPart(path, whole?.resumeAt ?? 0, { maxBytes: MANY });
  expect(shown(next?.messages ?? [])).toEqual(['user: second', 'assistant: two']);
  expect(next?.resumeAt).toBe(whole?.resumeAt);
  appendFileSync(path, linesOf([rows.prompt('third')]));
  const last = await readTranscriptPart(path, next?.resumeAt ?? 0, { maxBytes: MANY });
  expect(shown(last?.messages ?? [])).toEqual(['user: second', 'assistant: two', 'user: third']);
});

test('a row that is still being written is read the next time', async () => {
  const rows = two();
  const bytes = rows.bytes;
  writeFileSync(path, bytes.subarray(0, bytes.length - 20));
  const part = await readTranscriptPart(path, 0, { maxBytes: MANY });
  expect(shown(part?.messages ?? [])).toEqual(['user: first', 'assistant: one', 'user: second']);
  writeFileSync(path, bytes);
  const next = await readTranscriptPart(path, part?.resumeAt ?? 0, { maxBytes: MANY });
  expect(shown(next?.messages ?? [])).toEqual(['user: second', 'assistant: two']);
});

test('of a part that is too long only its end is read, from a whole line on', async () => {
  const rows = two();
  writeFileSync(path, rows.bytes);
  const part = await readTranscriptPart(path, 0, { maxBytes: linesOf(rows.rows.slice(2)).length + 10 });
  expect(shown(part?.messages ?? [])).toEqual(['user: second', 'assistant: two']);
});

test('without a prompt it is read from the same place again', async () => {
  const rows = new TranscriptBuilder();
  rows.text('m1', 'one');
  writeFileSync(path, rows.bytes);
  expect((await readTranscriptPart(path, 0, { maxBytes: MANY }))?.resumeAt).toBe(0);
});

test.each([
  ['a missing file', join(folder, 'none')],
  ['a folder', folder],
  ['a device', '/dev/zero'],
])('there is nothing to read in %s', async (_, place) => {
  expect(await readTranscriptPart(place, 0, { maxBytes: MANY })).toBeUndefined();
});

test('is read part by part, each from where the other ended, and nothing is missing or read in halves', async () => {
  const rows = new TranscriptBuilder();
  for (let i = 0; i < 12; i += 1) {
    rows.prompt(`prompt ${i}`);
    rows.assistant(`m${i}`, [{ type: 'text', text: `first of ${i}` }]);
    rows.assistant(`m${i}`, [{ type: 'text', text: `second of ${i} ${'x'.repeat(200)}` }]);
  }
  writeFileSync(path, rows.bytes);
  const whole = await readTranscriptPart(path, 0, { maxBytes: MANY });
  const seen = new Map<string, string>();
  let parts = 0;
  for (let from: number | undefined = 0; from !== undefined; parts += 1) {
    const part: Awaited<ReturnType<typeof readTranscriptPart>> = await readTranscriptPart(path, from, {
      maxBytes: MANY,
      atOnce: 2_500,
    });
    expect(part?.next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(from);
    for (const message of part?.messages ?? []) seen.set(message.uuid, JSON.stringify(message.content));
    from = part?.next;
  }
  expect(parts).toBeGreaterThan(3);
  expect([...seen]).toEqual(whole?.messages.map(({ uuid, content }) => [uuid, JSON.stringify(content)]));
});

/** Parts of the file, each read from where the one before ended. */
async function inParts(atOnce: number): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  for (let from: number | undefined = 0; from !== undefined;) {
    const part: Awaited<ReturnType<typeof readTranscriptPart>> = await readTranscriptPart(path, from, {
      maxBytes: MANY,
      atOnce,
    });
    for (const message of part?.messages ?? []) seen.set(message.uuid, JSON.stringify(message.content));
    from = part?.next;
  }
  return seen;
}

test('results that a part cuts off from each other stay one message', async () => {
  const rows = new TranscriptBuilder();
  for (let i = 0; i < 8; i += 1) {
    rows.prompt(`prompt ${i}`);
    const calls = ['a', 'b', 'c'].map((name) => ({ type: 'tool_use', id: `${name}${i}`, name: 'Bash', input: {} }));
    rows.assistant(`m${i}`, calls);
    for (const { id } of calls) rows.result(id, `output ${'x'.repeat(100)}`);
  }
  writeFileSync(path, rows.bytes);
  const whole = await inParts(MANY);
  expect(whole.size).toBe(24);
  for (const atOnce of [5_000, 6_100, 7_700]) expect(await inParts(atOnce)).toEqual(whole);
});

test('rows of a sub-agent among the others are left out, also where a part begins with them', async () => {
  const rows = new TranscriptBuilder();
  for (let i = 0; i < 8; i += 1) {
    rows.prompt(`prompt ${i}`);
    for (let n = 0; n < 10; n += 1) rows.text(`side${i}${n}`, 'of a sub-agent', { isSidechain: true });
    rows.text(`m${i}`, `answer ${i}`);
  }
  writeFileSync(path, rows.bytes);
  const whole = await inParts(MANY);
  expect(whole.size).toBe(16);
  for (const atOnce of [800, 1_500, 2_900]) expect(await inParts(atOnce)).toEqual(whole);
});

test('a line without end is read as one, and what cannot be read is gone past', async () => {
  const noise = Buffer.from(`${'x'.repeat(63_990)}\n`);
  writeFileSync(path, Buffer.concat([noise, two().bytes]));
  const first = await readTranscriptPart(path, 0, { maxBytes: MANY, atOnce: 1_000 });
  const next = await readTranscriptPart(path, first?.next ?? 0, { maxBytes: MANY });
  expect([first?.next, next?.messages.length]).toEqual([noise.length, 4]);
});

test.each([
  ['all at once', MANY],
  ['in parts', 600],
])('what stood before the last compaction has left, but for what it kept, read %s', async (_, atOnce) => {
  const rows = two();
  const before = rows.rows.length;
  rows.compaction([uuidOf(rows.rows.at(-1) ?? {})]);
  rows.prompt('third, which says "subtype":"compact_boundary" in passing');
  writeFileSync(path, rows.bytes);
  const left = new Set<string>();
  const all = new Map<string, string>();
  for (let part = await readTranscriptPart(path, 0, { maxBytes: MANY, atOnce }); part !== undefined;) {
    for (const uuid of part.left) left.add(uuid);
    for (const message of part.messages) all.set(message.uuid, shown([message]).join());
    part =
      part.next === undefined
        ? undefined
        : await readTranscriptPart(path, part.next, { maxBytes: MANY, atOnce, before: part });
  }
  expect(before).toBeGreaterThan(3);
  expect([...left].map((uuid) => all.get(uuid))).toEqual(['user: first', 'assistant: one', 'user: second']);
});
