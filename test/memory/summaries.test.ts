import { expect, test } from 'vitest';
import { MS, opened, summary } from './home.ts';

test('keeps the summaries of a session in order, and gives those of no other', async () => {
  const { memory } = opened(() => 1_000);
  await memory.addSummary(summary(), MS);
  await memory.addSummary(summary({ session: 'other' }), MS);
  await memory.addSummary(summary({ generation: 2, upTo: 'uuid 2', project: undefined }), MS);
  expect(await memory.summaries('s', MS)).toEqual([
    { id: 1, createdMs: 1_000, ...summary() },
    { id: 3, createdMs: 1_000, ...summary({ generation: 2, upTo: 'uuid 2', project: undefined }) },
  ]);
  expect(await memory.summaries('nobody', MS)).toEqual([]);
});

test('masks secrets in them, and writes well-formed text', async () => {
  const { memory } = opened();
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  await memory.addSummary(summary({ text: `token ${secret} \ud800`, messages: Number.NaN }), MS);
  const [stored] = await memory.summaries('s', MS);
  expect(stored).toMatchObject({ text: 'token [masked:github-token] \ufffd', messages: 0 });
});
