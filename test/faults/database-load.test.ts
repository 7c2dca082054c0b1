/** Two processes write as fast as they can while a third reads: none of the rows is lost, none is there twice, and every read is whole. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtStore } from '../memory/built.ts';
import { MS, openedAt, openSqlite } from '../memory/home.ts';
import { databaseRig } from './database.ts';
import { ended, listen, script } from './database-process.ts';

const rig = databaseRig();
let store = '';
beforeAll(async () => {
  store = await builtStore();
}, 60_000);
afterAll(() => rmSync(dirname(store), { recursive: true, force: true }));

const ROWS = 1_000;

const WRITER = `
  const [store, home, name, rows, deadlineMs] = args;
  const { openMemory } = await import(store);
  const memory = openMemory({ home });
  for (let i = 0; i < Number(rows); i++) {
    const uuid = name + i;
    await memory.archive([{ handle: '#' + uuid, session: name, project: '/p', uuid, role: 'user', text: 'row ' + uuid, tokens: 1 }], Number(deadlineMs));
    if (i % 4 > 0) continue;
    await memory.recordEpisode({ session: name, project: '/p', lastUuid: uuid, state: 'done', trigger: 'auto', strategy: 'formula',
      beforeTokens: 2, afterTokens: 1, dropped: 1, embedding: false, tookMs: 1 }, Number(deadlineMs));
  }
  memory.close();
`;

/** Reads in rounds until it is killed: how many turns there are, the memory's, and whether the newest of them is whole. */
const READER = `
  const [store, home] = args;
  const { openMemory } = await import(store);
  const memory = openMemory({ home });
  for (;;) {
    const startedAt = performance.now();
    const { turns } = await memory.stats(5000);
    const found = await memory.searchText('row', '/p', 5, 5000);
    const isWhole = found.turns.every(({ text, uuid, handle }) => text === 'row ' + uuid && handle === '#' + uuid);
    say([turns, found.turns.length, isWhole, Math.round(performance.now() - startedAt)].join(' '));
    await new Promise((resolve) => setImmediate(resolve));
  }
`;

test.each([
  ['with time to wait for each other', '20000'],
  ['with so little that the spool has to help', '60'],
])('two writers of a thousand rows each, %s, and a reader', { timeout: 120_000 }, async (_how, deadlineMs) => {
  const home = rig.emptyHome();
  const { memory } = openedAt(home);
  await memory.stats(MS);
  memory.close();
  const url = pathToFileURL(store).href;
  const reads: string[][] = [];
  const reader = script(READER, url, home);
  listen(reader, (line) => reads.push(line.split(' ')));
  const writers = ['a', 'b'].map((name) => script(WRITER, url, home, name, String(ROWS), deadlineMs));
  await Promise.all(writers.map(ended));
  expect(writers.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(reader.exitCode).toBeNull();
  reader.kill('SIGKILL');
  await ended(reader);

  const after = openedAt(home).memory;
  expect(await after.stats(MS)).toMatchObject({ turns: 2 * ROWS, episodes: ROWS / 2, spoolBytes: 0 });
  const db = openSqlite(join(home, 'memory.db'));
  expect(db.prepare('SELECT count(DISTINCT uuid) FROM turns').pluck().get()).toBe(2 * ROWS);
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();

  const counts = reads.map(([turns]) => Number(turns));
  expect(counts.length).toBeGreaterThan(10);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(reads.filter(([, , isWhole]) => isWhole !== 'true')).toEqual([]);
  // Nobody who only reads waits for those who write.
  expect(Math.max(...reads.map(([, , , tookMs]) => Number(tookMs)))).toBeLessThan(5_000);
});
