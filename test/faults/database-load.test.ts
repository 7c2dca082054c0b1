/**
 * Two processes write as fast as they can while a third reads: none of the rows is lost, none is there twice, and every read is whole.
 * Many processes meet a damaged database in the same moment: one of them sets it aside, and none of the rows is lost.
 */
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtStore } from '../memory/built.ts';
import { MS, openedAt, openSqlite } from '../memory/home.ts';
import { databaseRig, seed } from './database.ts';
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

const PROCESSES = 8;
const ROUNDS = 3;

/**
 * Does what it is told, a line at a time: `open HOME` has it use a database and stay, as a daemon does; `write HOME MOMENT NAME` has it
 * write from a moment on that all have in common, and then leave. It says what was kept.
 */
const WORKER = `
  const [store] = args;
  const { openMemory } = await import(store);
  const { createInterface } = await import('node:readline');
  const about = { kind: 'fact', project: '/p', session: undefined, origin: 'person', sourceIds: [] };
  let memory;
  const orders = {
    open: async (home) => {
      memory = openMemory({ home });
      await memory.stats(20000);
    },
    write: async (home, moment, name) => {
      memory ??= openMemory({ home });
      while (performance.timeOrigin + performance.now() < Number(moment));
      for (let i = 0; i < 4; i++) {
        const uuid = name + i;
        await memory.archive([{ handle: '#' + uuid, session: 's', project: '/p', uuid, role: 'user', text: 'row ' + uuid, tokens: 1 }], 20000);
        say('kept ' + uuid);
        await memory.remember({ ...about, text: 'fact ' + uuid }, 20000);
        say('kept fact ' + uuid);
      }
      memory.close();
      memory = undefined;
    },
  };
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const [order, ...rest] = line.split(' ');
    await orders[order](...rest);
    say('done');
  });
  say('done');
`;

const DAMAGES: readonly (readonly [string, (path: string) => void])[] = [
  ['a header overwritten', (path) => overwrite(path, 0, 100)],
  ['pages overwritten', (path) => overwrite(path, 4_096, 200_000)],
  ['half of it cut off', (path) => truncateSync(path, 40_960)],
];

function overwrite(path: string, from: number, count: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0x5a, from, from + count);
  writeFileSync(path, bytes);
}

test(
  `${PROCESSES} processes that meet a damaged database at once set one file aside, and lose nothing`,
  { timeout: 120_000 },
  async () => {
    const seeded = rig.emptyHome();
    await seed(seeded);
    const url = pathToFileURL(store).href;
    let kept: string[] = [];
    const workers = Array.from({ length: PROCESSES }, () => {
      const child = script(WORKER, url);
      let done: () => void = () => undefined;
      listen(child, (line) => (line === 'done' ? done() : kept.push(line.slice('kept '.length))));
      return (order?: string): Promise<void> =>
        new Promise((resolve) => {
          done = resolve;
          if (order !== undefined) child.stdin?.write(`${order}\n`);
        });
    });
    await Promise.all(workers.map((tell) => tell()));
    for (const [what, damage] of DAMAGES) {
      for (let round = 0; round < ROUNDS; round += 1) {
        kept = [];
        const home = rig.emptyHome();
        const path = join(home, 'memory.db');
        cpSync(seeded, home, { recursive: true });
        // Two have it open when it is damaged.
        await Promise.all(workers.slice(0, 2).map((tell) => tell(`open ${home}`)));
        damage(path);
        const moment = performance.timeOrigin + performance.now() + 30;
        await Promise.all(workers.map((tell, index) => tell(`write ${home} ${moment} w${index}-`)));

        const aside = readdirSync(home).filter((name) => name.startsWith('memory.db.corrupt-'));
        const { memory } = openedAt(home);
        const { spoolBytes } = await memory.stats(MS);
        memory.close();
        const db = openSqlite(path);
        const held = new Set(
          db.prepare<[], string>('SELECT uuid FROM turns UNION SELECT text FROM memories').pluck().all(),
        );
        const check = db.pragma('integrity_check', { simple: true });
        db.close();
        const before = Buffer.concat(aside.map((name) => readFileSync(join(home, name))));
        // Of those two a row may be in what was set aside, if it was written a moment before.
        const lost = kept.filter((one) => !held.has(one) && !(/\bw[01]-/.test(one) && before.includes(one)));
        expect({ what, round, kept: kept.length, lost, check, spoolBytes }).toEqual({
          what,
          round,
          kept: PROCESSES * 8,
          lost: [],
          check: 'ok',
          spoolBytes: 0,
        });
        expect(aside.filter((name) => !/-(?:wal|shm)$/.test(name))).toHaveLength(1);
      }
    }
  },
);
