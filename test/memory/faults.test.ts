import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setAsideIfDamaged } from '../../src/memory/damage.ts';
import { deadlineIn } from '../../src/memory/deadline.ts';
import { loadSqlite } from '../../src/platform/native.ts';
import { beside, episode, fact, MS, newHome, opened, openedAt, turn } from './home.ts';

/** Too short to wait for anybody. */
const SHORT_MS = 120;

describe('a database that another process holds', () => {
  test('fails a reader within its deadline, with an error that says so', async () => {
    const { memory, path } = opened();
    await memory.remember(fact('a'), MS);
    beside(path).exec('BEGIN IMMEDIATE');
    const startedAt = performance.now();
    await expect(memory.remember(fact('b'), SHORT_MS)).rejects.toMatchObject({ code: 'E_STORE_BUSY' });
    expect(performance.now() - startedAt).toBeLessThan(SHORT_MS + 1_000);
    expect(await memory.memories({ project: '/project', limit: 5 }, SHORT_MS)).toHaveLength(1);
  });

  test('has turns and episodes spooled, and taken in by the next one', async () => {
    const { memory, home, path, lines } = opened();
    await memory.stats(MS);
    const other = beside(path);
    other.exec('BEGIN IMMEDIATE');
    await memory.archive([turn(1), turn(2)], SHORT_MS);
    await memory.recordEpisode(episode(), SHORT_MS);
    await memory.finishEpisode('session', SHORT_MS);
    const spool = join(home, 'spool.ndjson');
    expect(statSync(spool).mode & 0o777).toBe(0o600);
    expect(lines).toHaveLength(3);
    other.exec('ROLLBACK');
    const next = openedAt(home).memory;
    expect(await next.turns(turn(2).handle, MS)).toHaveLength(1);
    expect(await next.episodes({ limit: 5 }, MS)).toMatchObject([
      { state: 'done', beforeTokens: 48_200, transcript: '/transcripts/session.jsonl', transcriptBytes: 5_000_000 },
    ]);
    expect(readdirSync(home).filter((name) => name.startsWith('spool'))).toEqual([]);
  });

  test('is not waited for by readers that find something spooled, nor twice by a writer', async () => {
    const { memory, home, path } = opened();
    await memory.stats(MS);
    const other = beside(path);
    other.exec('BEGIN IMMEDIATE');
    await memory.archive([turn(1)], SHORT_MS);
    const next = openedAt(home).memory;
    const startedAt = performance.now();
    await next.memories({ project: '/project', limit: 5 }, 10_000);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    const writer = openedAt(home).memory;
    const writesAt = performance.now();
    await expect(writer.remember(fact('b'), 2_000)).rejects.toMatchObject({ code: 'E_STORE_BUSY' });
    expect(performance.now() - writesAt).toBeLessThan(3_500);
    other.exec('ROLLBACK');
    expect(await openedAt(home).memory.turns(turn(1).handle, MS)).toHaveLength(1);
  });

  test('while it is not there yet has them spooled as well', async () => {
    const { memory, path, home } = opened();
    const other = beside(path);
    other.exec('BEGIN EXCLUSIVE');
    await memory.archive([turn(1)], SHORT_MS);
    other.exec('ROLLBACK');
    expect(await openedAt(home).memory.turns(turn(1).handle, MS)).toHaveLength(1);
  });

  test('that is full has them spooled, and takes them in when there is space again', async () => {
    const { memory, path, home } = opened();
    await memory.stats(MS);
    memory.close();
    const db = beside(path);
    const pages = Number(db.pragma('page_count', { simple: true }));
    // As a full disk answers, at every write of the transaction in turn.
    for (let more = 0; more < 6; more += 1) {
      db.pragma(`max_page_count = ${pages + more}`);
      expect(() =>
        db.exec(
          `INSERT INTO turns SELECT NULL, 'h', hex(randomblob(9)), 's', 'p', NULL, 'user', hex(randomblob(90000)), 1, 1, NULL`,
        ),
      ).toThrow(/full/);
    }
    db.close();
    await memory.archive([turn(1)], MS);
    expect(await openedAt(home).memory.turns(turn(1).handle, MS)).toHaveLength(1);
  });
});

describe('a damaged database', () => {
  const damages: [what: string, damage: (path: string) => void][] = [
    [
      'another file in its place',
      (path) => writeFileSync(path, 'this was never a database, but it is long enough. '.repeat(100)),
    ],
    ['a header overwritten', (path) => overwrite(path, 0, 100)],
    ['pages overwritten', (path) => overwrite(path, 4_096, 200_000)],
    ['half of it cut off', (path) => truncateSync(path, 40_960)],
  ];

  function overwrite(path: string, from: number, count: number): void {
    const bytes = readFileSync(path);
    bytes.fill(0x5a, from, from + count);
    writeFileSync(path, bytes);
  }

  test.each(damages)('with %s is set aside, and a new one takes its place', async (_what, damage) => {
    const { memory, home, path } = opened();
    await memory.archive(
      Array.from({ length: 200 }, (_, i) => turn(i, { text: `turn ${i} `.repeat(200) })),
      MS,
    );
    memory.close();
    damage(path);
    const before = readFileSync(path);
    const { memory: next, lines } = openedAt(home);
    await next.archive([turn(500)], MS);
    expect(await next.turns(turn(500).handle, MS)).toHaveLength(1);
    const aside = readdirSync(home).filter((name) => /^memory\.db\.corrupt-[\dTZ-]+$/.test(name));
    expect(aside).toHaveLength(1);
    expect(readFileSync(join(home, aside[0]!)).equals(before)).toBe(true);
    expect(lines.join()).toContain('set aside');
  });

  test('that is set aside under a writer has what it wrote in the new one', async () => {
    const { memory: first, home, path } = opened();
    await first.archive(
      Array.from({ length: 200 }, (_, i) => turn(i, { text: `turn ${i} `.repeat(200) })),
      MS,
    );
    first.close();
    const sqlite = await loadSqlite();
    if (sqlite.state !== 'ok') throw new Error(sqlite.reason);
    let aside: string | undefined;
    const { memory } = openedAt(home, () => {
      // In the middle of the transaction.
      aside ??= setAsideIfDamaged(sqlite, path, deadlineIn(MS), 1);
      return 1;
    });
    await memory.stats(MS);
    overwrite(path, 200_000, 100_000);
    await memory.remember(fact('kept'), MS);
    expect(aside).toMatch(/corrupt-1970/);
    expect(await openedAt(home).memory.memories({ project: '/project', limit: 5 }, MS)).toHaveLength(1);
  });

  test('whose journal was left behind when it was set aside has it, before there is a new one', async () => {
    const { memory, home, path } = opened();
    const aside = `${path}.corrupt-2026-11-30T10-00-00-000Z`;
    await memory.archive([turn(1)], MS);
    const journal = readFileSync(`${path}-wal`);
    memory.close();
    // As a process leaves it that ends there.
    renameSync(path, aside);
    writeFileSync(`${path}-wal`, journal, { mode: 0o600 });
    writeFileSync(`${path}.lock`, '', { mode: 0o600 });
    const next = openedAt(home).memory;
    await next.archive([turn(2)], MS);
    expect(await next.turns(turn(1).handle, MS)).toEqual([]);
    expect(await next.turns(turn(2).handle, MS)).toHaveLength(1);
    expect(readFileSync(`${aside}-wal`).equals(journal)).toBe(true);
  });

  test('of zero bytes is a new one', async () => {
    const { memory, path, home } = opened();
    writeFileSync(path, '');
    await memory.archive([turn(1)], MS);
    expect(await memory.turns(turn(1).handle, MS)).toHaveLength(1);
    expect(readdirSync(home).some((name) => name.includes('corrupt'))).toBe(false);
  });

  test('beside a damaged journal keeps what was in the file', async () => {
    const { memory, path, home } = opened();
    await memory.archive([turn(1)], MS);
    memory.close();
    writeFileSync(`${path}-wal`, 'no journal at all, '.repeat(500));
    expect(await openedAt(home).memory.turns(turn(1).handle, MS)).toHaveLength(1);
    expect(readdirSync(home).some((name) => name.includes('corrupt'))).toBe(false);
  });

  test('in its full-text index only has the index made anew', async () => {
    const { memory, path, home, lines } = opened();
    await memory.archive([turn(1, { text: 'the quick brown fox' })], MS);
    memory.close();
    const db = beside(path);
    db.unsafeMode(true);
    db.exec('UPDATE turns_fts_data SET block = zeroblob(20) WHERE id > 10');
    db.close();
    const { turns } = await memory.searchText('brown fox', '/project', 5, MS);
    expect(turns).toHaveLength(1);
    expect(lines.join()).toContain('full-text index');
    expect(readdirSync(home).some((name) => name.includes('corrupt'))).toBe(false);
  });

  test('that was replaced while it was open is left for the new one', async () => {
    const one = opened();
    await one.memory.archive([turn(1)], MS);
    const other = openedAt(one.home);
    await other.memory.stats(MS);
    other.memory.close();
    one.memory.close();
    writeFileSync(one.path, 'damaged '.repeat(1_000));
    const stale = openedAt(one.home);
    await stale.memory.archive([turn(2)], MS);
    expect(await one.memory.turns(turn(2).handle, MS)).toHaveLength(1);
  });
});

test('a file that only looks damaged for a moment is not set aside', async () => {
  const { memory, path, home } = opened();
  await memory.archive([turn(1)], MS);
  memory.close();
  const good = `${path}.good`;
  copyFileSync(path, good);
  const { setAsideIfDamaged } = await import('../../src/memory/damage.ts');
  const { deadlineIn } = await import('../../src/memory/deadline.ts');
  const { loadSqlite } = await import('../../src/platform/native.ts');
  const sqlite = await loadSqlite();
  expect(sqlite.state).toBe('ok');
  // Checked in the line above.
  expect(setAsideIfDamaged(sqlite as never, path, deadlineIn(MS), 0)).toBeUndefined();
  expect(existsSync(path)).toBe(true);
  expect(readdirSync(home).some((name) => name.includes('corrupt'))).toBe(false);
});

test('where nothing can be written at all, archiving says why', async () => {
  const home = join(newHome(), 'file');
  writeFileSync(home, '');
  const { memory } = openedAt(home);
  await expect(memory.archive([turn(1)], MS)).rejects.toMatchObject({ code: 'E_STORE_UNAVAILABLE' });
});
