import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NewVector } from '../../src/ports/memories.ts';
import { beside, episode, fact, MS, newHome, opened, openedAt, turn } from './home.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('the file', () => {
  test('is opened once, however many calls come first together', async () => {
    const { memory, lines } = opened();
    const calls = Array.from({ length: 20 }, (_, index) => memory.archive([turn(index)], MS));
    await Promise.all(calls);
    expect((await memory.stats(MS)).turns).toBe(20);
    expect(lines).toEqual([]);
  });

  test('is made by the first call, private to its user, with its journal', async () => {
    const { memory, home, path } = openedAt(join(newHome(), 'inner'));
    await memory.archive([turn(1)], MS);
    expect(modeOf(home)).toBe(0o700);
    expect(readdirSync(home).toSorted()).toEqual(['memory.db', 'memory.db-shm', 'memory.db-wal']);
    for (const end of ['', '-wal', '-shm']) expect(modeOf(path + end)).toBe(0o600);
  });

  test('is closed to others again if somebody opened it to them', async () => {
    const { memory, home, path } = opened();
    await memory.archive([turn(1)], MS);
    memory.close();
    chmodSync(path, 0o644);
    await openedAt(home).memory.stats(MS);
    expect(modeOf(path)).toBe(0o600);
  });

  test('is in WAL mode, overwrites what is deleted, and its index does so too', async () => {
    const { memory, path } = opened();
    await memory.stats(MS);
    const db = beside(path);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.prepare("SELECT v FROM turns_fts_config WHERE k = 'secure-delete'").pluck().get()).toBe(1);
  });

  test('closing it changes nothing: the next call opens it again', async () => {
    const { memory } = opened();
    await memory.archive([turn(1)], MS);
    memory.close();
    expect(await memory.turns(turn(1).handle, MS)).toHaveLength(1);
  });
});

describe('archived turns', () => {
  test('come back as they went in', async () => {
    const { memory } = opened(() => 1_000);
    await memory.archive([turn(1)], MS);
    expect(await memory.turns(turn(1).handle, MS)).toEqual([{ ...turn(1), id: 1, archivedMs: 1_000 }]);
  });

  test('are one row however often they are archived, in one call or in many', async () => {
    const { memory } = opened();
    await memory.archive([turn(1), turn(1)], MS);
    await memory.archive([turn(1), turn(2)], MS);
    expect((await memory.stats(MS)).turns).toBe(2);
  });

  test('of one handle but different messages are both kept', async () => {
    const { memory } = opened();
    const handle = '#same777';
    await memory.archive([turn(1, { handle }), turn(2, { handle }), turn(3, { handle, uuid: undefined })], MS);
    expect((await memory.turns(handle, MS)).map(({ text }) => text)).toEqual([1, 2, 3].map((n) => turn(n).text));
  });

  test('have neighbours from their own session, in order', async () => {
    const { memory } = opened();
    await memory.archive([turn(1), turn(2), turn(9, { session: 'other' }), turn(3), turn(4), turn(5)], MS);
    const [third] = await memory.turns(turn(3).handle, MS);
    const { before, after } = await memory.neighbours(third!, 2, MS);
    expect(before.map(({ uuid }) => uuid)).toEqual(['uuid-1', 'uuid-2']);
    expect(after.map(({ uuid }) => uuid)).toEqual(['uuid-4', 'uuid-5']);
  });

  test('may hold anything, also what is no valid text', async () => {
    const { memory } = opened();
    await memory.archive([turn(1, { text: 'half \ud83d of a pair, and a \u0000 zero', tokens: Number.NaN })], MS);
    const [stored] = await memory.turns(turn(1).handle, MS);
    expect(stored?.text).toBe('half \ufffd of a pair, and a \u0000 zero');
    expect(stored?.tokens).toBe(0);
  });
});

describe('episodes', () => {
  test('are one row for a session and its last message, with the newest numbers', async () => {
    const { memory } = opened();
    await memory.recordEpisode(episode(), MS);
    await memory.recordEpisode(episode({ afterTokens: 17_000 }), MS);
    await memory.finishEpisode('session', MS);
    await memory.recordEpisode(episode({ lastUuid: 'later' }), MS);
    const stored = await memory.episodes({ limit: 10 }, MS);
    expect(stored.map(({ lastUuid, afterTokens }) => [lastUuid, afterTokens])).toEqual([
      ['later', 18_600],
      ['last', 17_000],
    ]);
  });

  test('that are done stay as they are', async () => {
    const { memory } = opened();
    await memory.recordEpisode(episode(), MS);
    await memory.finishEpisode('session', MS);
    await memory.recordEpisode(episode({ afterTokens: 1 }), MS);
    const [stored] = await memory.episodes({ limit: 10 }, MS);
    expect(stored).toMatchObject({ state: 'done', afterTokens: 18_600 });
    expect(stored?.doneMs).toBeTypeOf('number');
  });

  test('end one by one: only the newest of the session is done, and what came to nothing gives way', async () => {
    let clock = 1;
    const { memory } = opened(() => clock++);
    await memory.recordEpisode(episode({ lastUuid: 'a' }), MS);
    await memory.recordEpisode(episode({ lastUuid: 'b' }), MS);
    await memory.recordEpisode(episode({ lastUuid: 'c', session: 'other' }), MS);
    await memory.finishEpisode('session', MS);
    const states = (await memory.episodes({ limit: 10 }, MS)).map(({ lastUuid, state }) => [lastUuid, state]);
    expect(states).toEqual([
      ['c', 'proposed'],
      ['b', 'done'],
    ]);
  });

  test('without a session are kept each', async () => {
    let clock = 1;
    const { memory } = opened(() => clock++);
    const nameless = episode({ session: undefined, lastUuid: undefined });
    await memory.recordEpisode(nameless, MS);
    await memory.recordEpisode(nameless, MS);
    expect(await memory.episodes({ project: '/project', limit: 10 }, MS)).toHaveLength(2);
    expect(await memory.episodes({ project: '/elsewhere', limit: 10 }, MS)).toEqual([]);
  });
});

describe('memories', () => {
  test('are one row per text and scope', async () => {
    const { memory } = opened();
    const first = await memory.remember(fact('use port 8080'), MS);
    const again = await memory.remember(fact('use port 8080'), MS);
    const everywhere = await memory.remember(fact('use port 8080', { project: undefined }), MS);
    expect(first.added).toBe(true);
    expect(again).toEqual({ memory: first.memory, added: false });
    expect(everywhere.added).toBe(true);
  });

  test('made by chitta become the person’s who says the same, and not the other way round', async () => {
    const { memory } = opened();
    const auto = { origin: 'auto', kind: 'novel', sourceIds: ['m1'] } as const;
    await memory.remember(fact('use port 8080', auto), MS);
    const { memory: mine } = await memory.remember(fact('use port 8080'), MS);
    expect(mine).toMatchObject({ origin: 'person', kind: 'fact', sourceIds: ['m1'] });
    const { memory: still } = await memory.remember(fact('use port 8080', { ...auto, sourceIds: ['m2'] }), MS);
    expect(still).toMatchObject({ origin: 'person', kind: 'fact', sourceIds: ['m1', 'm2'] });
  });

  test('are listed for their project and for all, newest first', async () => {
    const { memory } = opened();
    await memory.remember(fact('a'), MS);
    await memory.remember(fact('b', { project: undefined }), MS);
    await memory.remember(fact('c', { project: '/elsewhere' }), MS);
    const texts = async (project: string | undefined | { all: true }): Promise<string[]> =>
      (await memory.memories({ project, limit: 10 }, MS)).map(({ text }) => text);
    expect(await texts('/project')).toEqual(['b', 'a']);
    expect(await texts(undefined)).toEqual(['b']);
    expect(await texts({ all: true })).toEqual(['c', 'b', 'a']);
  });

  test('that are superseded are neither found nor embedded, and name what took their place', async () => {
    const { memory } = opened();
    const { memory: old } = await memory.remember(fact('the port is 8080'), MS);
    const { memory: now } = await memory.remember(fact('the port is 9090'), MS, [old.id]);
    expect((await memory.searchText('port', '/project', 10, MS)).memories.map(({ id }) => id)).toEqual([now.id]);
    expect((await memory.missingVectors('m', 10, MS)).map(({ id }) => id)).toEqual([now.id]);
    expect(await memory.memoriesById([old.id, 99], MS)).toEqual([
      { ...old, status: 'superseded', supersededBy: now.id },
    ]);
    const { added } = await memory.remember(fact('the port is 8080'), MS);
    expect(added).toBe(true);
  });
});

describe('vectors', () => {
  const vector = (id: number, ...values: number[]): NewVector => ({ id, vector: Float32Array.from(values) });

  test('come back bit by bit, per model, and fill what was missing', async () => {
    const { memory } = opened();
    const { memory: row } = await memory.remember(fact('use port 8080'), MS);
    await memory.putVectors('m', [vector(row.id, 0.6, 0.8), vector(77, 1, 0)], MS);
    expect(await memory.missingVectors('m', 10, MS)).toEqual([]);
    expect(await memory.missingVectors('other', 10, MS)).toEqual([{ id: row.id, text: row.text }]);
    expect(await memory.missingVectors('m', 10, MS)).toEqual([]);
    const { memory: later } = await memory.remember(fact('later'), MS);
    expect(await memory.missingVectors('m', 10, MS)).toEqual([{ id: later.id, text: 'later' }]);
    await memory.forget(later.id, MS);
    const { rows } = await memory.changesSince('m', 0, 1, MS);
    expect(rows.map(({ id, vector: stored }) => [id, stored])).toEqual([[row.id, Float32Array.from([0.6, 0.8])]]);
    expect((await memory.changesSince('other', 0, 1, MS)).rows[0]?.vector).toBeUndefined();
  });

  test('changes are told once, in order, page by page, forgotten rows too', async () => {
    const { memory } = opened();
    const ids: number[] = [];
    for (const text of ['a', 'b', 'c']) ids.push((await memory.remember(fact(text), MS)).memory.id);
    await memory.putVectors('m', [vector(ids[0]!, 1, 0), vector(ids[1]!, 1, 0), vector(ids[2]!, 1, 0)], MS);
    await memory.forget(ids[1]!, MS);
    const told: [number, boolean][] = [];
    let revision = 0;
    for (;;) {
      const { rows } = await memory.changesSince('m', revision, 2, MS);
      for (const row of rows) told.push([row.id, row.vector !== undefined]);
      revision = rows.at(-1)?.revision ?? revision;
      if (rows.length < 2) break;
    }
    expect(told).toEqual([
      [ids[0], true],
      [ids[2], true],
      [ids[1], false],
    ]);
    expect((await memory.changesSince('m', revision, 2, MS)).rows).toEqual([]);
  });
});

test('stats count what is there', async () => {
  const { memory } = opened();
  await memory.archive([turn(1)], MS);
  await memory.recordEpisode(episode(), MS);
  const { memory: row } = await memory.remember(fact('a'), MS);
  await memory.putVectors('m', [{ id: row.id, vector: Float32Array.from([1]) }], MS);
  const stats = await memory.stats(MS);
  expect(stats).toMatchObject({
    memories: { active: 1, superseded: 0, archived: 0 },
    vectors: [{ model: 'm', count: 1 }],
    turns: 1,
    episodes: 1,
    spoolBytes: 0,
  });
  expect(stats.bytes).toBeGreaterThan(4_096);
});

test('a folder in the place of the database is an error that names it', async () => {
  const { memory, path } = opened();
  mkdirSync(path);
  await expect(memory.stats(MS)).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
});

describe('while another process holds the database', () => {
  test('the process has its turn, and the write comes once the lock is free', async () => {
    const { memory, path } = opened();
    await memory.remember(fact('before'), MS);
    const other = beside(path);
    other.exec('BEGIN IMMEDIATE');
    // Were the event loop held for as long as may be waited, nothing could free it.
    setTimeout(() => other.exec('ROLLBACK'), 20);
    expect(await memory.remember(fact('after'), MS)).toMatchObject({ added: true });
  });

  test('a write that may not wait so long fails in time, and names for how long', async () => {
    const { memory, path } = opened();
    await memory.remember(fact('before'), MS);
    beside(path).exec('BEGIN IMMEDIATE');
    const startedAt = performance.now();
    await expect(memory.remember(fact('after'), 700)).rejects.toMatchObject({
      code: 'E_STORE_BUSY',
      message: expect.stringContaining('700 ms'),
    });
    expect(performance.now() - startedAt).toBeGreaterThan(600);
  });
});
