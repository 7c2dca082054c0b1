import { appendFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SpoolRecord } from '../../src/memory/spool-record.ts';
import { spool, SPOOL_MAX_BYTES, spoolBytes, spooledEpisode, takeSpool } from '../../src/memory/spool.ts';
import { beside, episode, MS, newHome, opened, openedAt, turn } from './home.ts';

const record = (number: number): SpoolRecord => ({ kind: 'turn', atMs: number, turn: turn(number) });

function taken(home: string): SpoolRecord[] {
  const records: SpoolRecord[] = [];
  takeSpool(home, (list) => records.push(...list));
  return records;
}

test('gives back what it was given, once, in order', () => {
  const home = newHome();
  const records: SpoolRecord[] = [
    record(1),
    { kind: 'episode', atMs: 2, episode: episode({ project: undefined }) },
    { kind: 'finish', atMs: 3, session: 's' },
  ];
  expect(spool(home, records.slice(0, 1))).toBe(0);
  expect(spool(home, records.slice(1))).toBe(0);
  expect(taken(home)).toEqual(records);
  expect(taken(home)).toEqual([]);
});

test('is bounded: says how many records had no room', () => {
  const home = newHome();
  const room = 3 * JSON.stringify(record(1)).length;
  expect(spool(home, [1, 2, 3, 4, 5].map(record), room)).toBe(3);
  expect(spool(home, [record(6)], room)).toBe(1);
  expect(spoolBytes(home)).toBeLessThanOrEqual(room);
  expect(taken(home)).toEqual([record(1), record(2)]);
});

test('is kept in files that are taken in one by one, as far as there is time', () => {
  const home = newHome();
  const large = Array.from({ length: 30 }, (_, i): SpoolRecord => ({
    kind: 'turn',
    atMs: i,
    turn: turn(i, { text: 'x'.repeat(100_000) }),
  }));
  expect(spool(home, large)).toBe(0);
  const files = readdirSync(home).length;
  expect(files).toBeGreaterThan(3);
  const asked: number[] = [];
  const records: SpoolRecord[] = [];
  takeSpool(
    home,
    (list) => records.push(...list),
    (bytes) => asked.push(bytes) < 3,
  );
  expect(Math.max(...asked)).toBeLessThan(1_000_000);
  expect(readdirSync(home)).toHaveLength(files - 2);
  records.push(...taken(home));
  expect(records.map(({ atMs }) => atMs).toSorted((a, b) => a - b)).toEqual(large.map(({ atMs }) => atMs));
});

test('a line that was never finished costs only itself', () => {
  const home = newHome();
  spool(home, [record(1)]);
  appendFileSync(join(home, 'spool.ndjson'), '{"kind":"turn","atMs":5,"turn":{"hand');
  spool(home, [record(2)]);
  expect(taken(home)).toEqual([record(1), record(2)]);
});

test('lines of a wrong shape are skipped', () => {
  const home = newHome();
  const lines = [
    'null',
    '[]',
    '7',
    '{}',
    '{"kind":"turn","atMs":1}',
    '{"kind":"turn","atMs":1,"turn":{"handle":5}}',
    '{"kind":"x","atMs":1}',
  ];
  writeFileSync(join(home, 'spool.ndjson'), `${lines.join('\n')}\n`);
  expect(taken(home)).toEqual([]);
});

test('what a taker that died had taken is taken by the next', () => {
  const home = newHome();
  spool(home, [record(1)]);
  renameSync(join(home, 'spool.ndjson'), join(home, 'spool.ndjson.taken-000000000000'));
  spool(home, [record(2)]);
  expect(taken(home)).toHaveLength(2);
  expect(readdirSync(home)).toEqual([]);
});

test('tells how far the newest episode of a session has come, over all its files', () => {
  const home = newHome();
  expect(spooledEpisode(home, 's')).toBeUndefined();
  const begun = (atMs: number, state: 'done' | 'proposed', session = 's'): SpoolRecord => ({
    kind: 'episode',
    atMs,
    episode: episode({ session, state }),
  });
  spool(home, [record(1), begun(2, 'done'), begun(3, 'proposed'), begun(9, 'done', 'other')]);
  expect(spooledEpisode(home, 's')).toEqual({ state: 'proposed', createdMs: 3, doneMs: undefined });
  renameSync(join(home, 'spool.ndjson'), join(home, 'spool.ndjson.taken-000000000000'));
  spool(home, [{ kind: 'finish', atMs: 4, session: 's' }]);
  expect(spooledEpisode(home, 's')).toEqual({ state: 'done', createdMs: 3, doneMs: 4 });
  expect(taken(home)).toHaveLength(5);
});

test('stays if it cannot be taken in', () => {
  const home = newHome();
  spool(home, [record(1)]);
  const fail = (): void => {
    throw new Error('database is locked');
  };
  expect(() => takeSpool(home, fail)).toThrow('locked');
  expect(taken(home)).toEqual([record(1)]);
});

test('does not write through a link', () => {
  const home = newHome();
  const elsewhere = join(newHome(), 'victim');
  writeFileSync(elsewhere, 'mine');
  symlinkSync(elsewhere, join(home, 'spool.ndjson'));
  expect(() => spool(home, [record(1)])).toThrow(/ELOOP|EMLINK/);
});

test('taken in twice is taken in once', async () => {
  const home = newHome();
  const records: SpoolRecord[] = [
    record(1),
    { kind: 'episode', atMs: 2, episode: episode({ session: undefined, lastUuid: undefined }) },
  ];
  for (let time = 0; time < 2; time += 1) {
    spool(home, records);
    const { memory } = openedAt(home);
    const { turns, episodes, spoolBytes: waiting } = await memory.stats(MS);
    expect({ turns, episodes, waiting }).toEqual({ turns: 1, episodes: 1, waiting: 0 });
    memory.close();
  }
});

test('that is full is told to the caller and in the log, and takes in what fits', async () => {
  const { memory, home, path, lines } = opened();
  await memory.stats(MS);
  const other = beside(path);
  other.exec('BEGIN IMMEDIATE');
  writeFileSync(join(home, 'spool.ndjson'), Buffer.alloc(SPOOL_MAX_BYTES - 1_000, '\n'), { mode: 0o600 });
  const turns = Array.from({ length: 9 }, (_, i) => turn(i));
  await expect(memory.archive(turns, 120)).rejects.toMatchObject({ code: 'E_STORE_BUSY' });
  expect(lines.join()).toMatch(/[1-8] of 9 records were spooled, for more there is no room: /);
  expect(spoolBytes(home)).toBeLessThanOrEqual(SPOOL_MAX_BYTES);
  other.exec('ROLLBACK');
  expect((await openedAt(home).memory.stats(MS)).turns).toBeGreaterThan(0);
});
