import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { withheldIn } from '../../src/transcript/withheld.ts';
import { linesOf, TranscriptBuilder, uuidOf } from '../support/transcript.ts';

const folder = mkdtempSync(join(tmpdir(), 'chitta-media-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } };
const rows = new TranscriptBuilder();
const drawn = rows.prompt([image, { type: 'text', text: 'Compare.' }, image]);
rows.call('m1', 't1');
const read = rows.prompt([{ type: 'tool_result', tool_use_id: 't1', content: [image] }]);
rows.prompt('Words about "type":"image" and "type":"user".');
rows.add({ type: 'api-request-blob', message: { role: 'user', content: [image] } });
rows.assistant('m2', [{ type: 'text', text: 'Done.' }, image]);

function written(bytes: Buffer): string {
  const path = join(folder, 'session.jsonl');
  writeFileSync(path, bytes);
  return path;
}

test('counts the images of prompts and results, by uuid', async () => {
  expect([...(await withheldIn(written(rows.bytes), 1e9)).media]).toEqual([
    [uuidOf(drawn), 2],
    [uuidOf(read), 1],
  ]);
});

test('reads the end of a long transcript, and steps over what is damaged', async () => {
  const deep = `{"type":"user","uuid":"d","message":{"content":[{"type":"image"},${'['.repeat(9_000)}${']'.repeat(9_000)}]}}\n`;
  const end = linesOf(rows.rows.slice(2));
  const bytes = Buffer.concat([rows.bytes, Buffer.from(`${deep}null\n{"type":"user","type":"image"\n`), end]);
  const { media: found } = await withheldIn(written(bytes), end.length + 5);
  expect([...found]).toEqual([[uuidOf(read), 1]]);
});

test.each([
  ['a device', '/dev/zero'],
  ['a folder', folder],
])('finds nothing in %s', async (_, path) => {
  expect((await withheldIn(path, 1e6)).media.size).toBe(0);
});

test('tells the model that answered last, and whether any answer was thought about', async () => {
  const path = written(rows.bytes);
  expect(await withheldIn(path, 1e9)).toMatchObject({ thinks: false, model: 'claude-test' });
  const later = new TranscriptBuilder();
  later.prompt('Why "type":"thinking"?');
  later.assistant('m1', [{ type: 'thinking', thinking: 'Hm.', signature: 's' }]);
  later.add({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(5_000) }], model: 'claude-b' },
  });
  later.add({ type: 'assistant', message: { role: 'assistant', model: '<synthetic>', content: [] } });
  expect(await withheldIn(written(later.bytes), 1e9)).toMatchObject({ thinks: true, model: 'claude-b' });
});
