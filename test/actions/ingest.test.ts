import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingest, type IngestDeps, type IngestFile, type IngestReport } from '../../src/actions/ingest.ts';
import { captureTranscript } from '../../src/actions/capture.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import { ingestSteps, type PartDeps } from '../../src/actions/ingest-parts.ts';
import { maskedPart } from '../../src/memory/masked.ts';
import { readTranscriptPart } from '../../src/transcript/part.ts';
import { transcriptsToIngest } from '../../src/wiring/ingest.ts';
import { filesWith, MS, newHome, opened } from '../memory/home.ts';
import { TranscriptBuilder } from '../support/transcript.ts';

const OLD_S = Date.UTC(2026, 0, 31) / 1000;

function session(turns: number, salt: number): string {
  const built = new TranscriptBuilder(salt);
  for (let turn = 0; turn < turns; turn += 1) {
    built.prompt(`question ${salt} number ${turn} about zebras`, { cwd: '/work/shop' });
    built.text(`msg_${salt}_${turn}`, `answer ${salt} number ${turn}`);
  }
  return built.rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function written(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, OLD_S, OLD_S);
  return path;
}

function found(folder: string): Promise<IngestFile[]> {
  return transcriptsToIngest({ env: {}, cwd: folder, project: '/here', path: folder, all: false });
}

const readPart: PartDeps['readPart'] = (path, from, atOnce, before) =>
  readTranscriptPart(path, from, { maxBytes: Number.POSITIVE_INFINITY, atOnce, before });

async function take(memory: MemoryDatabase, files: readonly IngestFile[], reading = readPart): Promise<IngestReport> {
  const deps: PartDeps = { readPart: reading, mask: maskedPart, now: Date.now };
  const read: IngestDeps['read'] = (tasks) => ingestSteps(tasks, deps);
  return ingest(files, { store: memory, read }, { deadlineMs: MS, onProblem: () => undefined });
}

test('archives transcripts and those of sub-agents, in their project, once', async () => {
  const folder = newHome();
  written(folder, 'one.jsonl', session(3, 1));
  written(folder, 'one/subagents/agent-a1.jsonl', session(2, 2));
  written(folder, 'notes.jsonl', '{"type":"session_meta","payload":{"id":"x","cwd":"/x"}}\n');
  written(folder, 'empty.jsonl', '');
  const { memory } = opened();
  expect(await take(memory, await found(folder))).toMatchObject({ files: 2, known: 0, unreadable: 1, turns: 10 });
  expect(await take(memory, await found(folder))).toMatchObject({
    files: 0,
    known: 2,
    unreadable: 1,
    turns: 0,
    bytes: 0,
  });
  const { turns } = await memory.searchText('zebras', '/work/shop', 20, MS);
  expect(new Set(turns.map((turn) => turn.session))).toEqual(new Set(['one', 'one/a1']));
  expect(turns.every(({ archivedMs }) => archivedMs === OLD_S * 1000)).toBe(true);
});

test('goes on where a run ended that was killed', async () => {
  const folder = newHome();
  const path = written(folder, 'one.jsonl', session(200, 1));
  const { memory } = opened();
  let parts = 0;
  const killed: typeof readPart = (file, from, _atOnce, before) => {
    parts += 1;
    if (parts === 3) throw new Error('killed');
    return readPart(file, from, 8_000, before);
  };
  await take(memory, await found(folder), killed);
  const first = await memory.session('one', MS);
  expect(first?.archivedBytes).toBeGreaterThan(8_000);
  const starts: number[] = [];
  await take(memory, await found(folder), (file, from, atOnce, before) => {
    starts.push(from);
    return readPart(file, from, atOnce, before);
  });
  expect(starts).toEqual([first?.archivedBytes]);
  expect((await memory.stats(MS)).turns).toBe(400);
  // What comes later is what a hook reads.
  appendFileSync(path, session(1, 3));
  const request = { transcriptPath: path, session: 'one', project: '/work/shop', deadlineMs: MS };
  await captureTranscript(request, { store: memory, readPart: readTranscriptPart });
  expect((await memory.stats(MS)).turns).toBe(402);
});

test('in parts of any size it is the same archive', async () => {
  const folder = newHome();
  written(folder, 'one.jsonl', session(60, 1));
  const texts: string[][] = [];
  for (const size of [1, 700, 5_000, 1e9]) {
    const { memory } = opened();
    await take(memory, await found(folder), (file, from, _atOnce, before) => readPart(file, from, size, before));
    const { turns } = await memory.searchText('zebras answer', '/work/shop', 1_000, MS);
    texts.push(turns.map(({ text }) => text).sort());
  }
  expect(texts[0]).toHaveLength(120);
  for (const list of texts) expect(list).toEqual(texts[0]);
});

test('masks secrets', async () => {
  const folder = newHome();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const built = new TranscriptBuilder(1);
  built.prompt(`deploy with ${token}`, { cwd: '/work/shop' });
  built.text('m', `I used ${token}`);
  written(folder, 'one.jsonl', built.rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const { memory, home } = opened();
  expect(await take(memory, await found(folder))).toMatchObject({ turns: 2 });
  expect(filesWith(home, token)).toEqual([]);
});

test('finds nothing where no session was held, and says so of a path that is not there', async () => {
  const folder = newHome();
  const place = { env: { HOME: folder }, cwd: folder, project: '/here', all: false };
  expect(await transcriptsToIngest({ ...place, path: undefined })).toEqual([]);
  await expect(transcriptsToIngest({ ...place, path: 'nowhere' })).rejects.toMatchObject({ code: 'E_INPUT_MISSING' });
});
