import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openVectorCache, type VectorCache } from '../../src/embedding/cache.ts';
import { loadSqlite } from '../../src/platform/native.ts';
import { useFolder } from './folder.ts';

const path = useFolder();
const vector = (...values: number[]): Float32Array => Float32Array.from(values);
const textHash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hashes = (count: number): string[] => Array.from({ length: count }, (_, index) => textHash(`text ${index}`));
const [a = '', b = '', c = ''] = hashes(3);
const sqlite = await loadSqlite();
/** Reading by a second process: a cache that has nothing in memory. */
const reopen = (file = path('vectors.db')): Promise<VectorCache> => openVectorCache({ path: file });

const whyNot = sqlite.state === 'ok' ? '' : ` (skipped: ${sqlite.reason})`;

describe.skipIf(sqlite.state !== 'ok')(`in a file${whyNot}`, () => {
  test('vectors outlive the process, bit by bit, in the order asked for', async () => {
    const first = await reopen();
    const values = [0.1, -1e-30, 1 / 3, 3e38];
    first.put('m', [
      [a, vector(...values)],
      [b, vector(1)],
    ]);
    first.close();
    const second = await reopen();
    expect(second.absence).toBeUndefined();
    expect(second.get('m', [b, c, a, b])).toEqual([vector(1), undefined, vector(...values), vector(1)]);
    second.close();
  });

  test('vectors of different models never meet', async () => {
    const cache = await reopen();
    cache.put('one', [[a, vector(1)]]);
    cache.put('two', [[a, vector(2)]]);
    cache.close();
    const again = await reopen();
    expect([again.get('one', [a]), again.get('two', [a]), again.get('three', [a])]).toEqual([
      [vector(1)],
      [vector(2)],
      [undefined],
    ]);
    again.close();
  });

  test('files are for this user alone', async () => {
    const cache = await reopen();
    cache.put('m', [[a, vector(1)]]);
    const modes = ['', '-wal', '-shm'].map((end) => statSync(path(`vectors.db${end}`)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    cache.close();
  });

  test('only so many rows are kept, the least recently used go first', async () => {
    let hour = 0;
    const open = (): Promise<VectorCache> =>
      openVectorCache({ path: path('vectors.db'), maxRows: 100, now: () => hour * 3_600_001, maxInMemory: 1 });
    const cache = await open();
    const all = hashes(400);
    for (let from = 0; from < 400; from += 20) {
      hour += 1;
      cache.put(
        'm',
        all.slice(from, from + 20).map((hash) => [hash, vector(1)] as const),
      );
      // Asked for again and again, the very first one stays; being looked at does not count.
      cache.get('m', [a]);
      cache.peek('m', [all[1] ?? '']);
    }
    cache.close();
    const again = await open();
    expect(again.peek('m', [a, all[399] ?? '', all[1] ?? ''])).toEqual([vector(1), vector(1), undefined]);
    const kept = again.get('m', all).map((found) => found !== undefined);
    again.close();
    expect(kept.filter(Boolean).length).toBeLessThanOrEqual(200);
    expect([kept[0], kept[1], kept[399]]).toEqual([true, false, true]);
  });

  test('removed texts are gone for every model, and from the bytes of the files', async () => {
    const cache = await reopen();
    const secret = vector(0.123456, 0.654321, 0.777777);
    cache.put('one', [
      [a, secret],
      [b, vector(1)],
    ]);
    cache.put('two', [[a, secret]]);
    expect(cache.remove([a, c])).toBe(true);
    const bytes = Buffer.from(secret.buffer);
    const files = ['', '-wal', '-shm'].map((end) => path(`vectors.db${end}`)).filter((file) => existsSync(file));
    expect(files.filter((file) => readFileSync(file).includes(bytes))).toEqual([]);
    expect([cache.get('one', [a, b]), cache.get('two', [a])]).toEqual([[undefined, vector(1)], [undefined]]);
    cache.close();
  });

  test('no text is in the files', async () => {
    const cache = await reopen();
    cache.put('m', [[textHash('a phrase to be looked for'), vector(1)]]);
    cache.close();
    expect(readFileSync(path('vectors.db')).includes('phrase')).toBe(false);
  });

  test('a damaged file is replaced', async () => {
    writeFileSync(path('vectors.db'), 'this was a database once, '.repeat(500));
    const cache = await reopen();
    expect(cache.absence).toBeUndefined();
    cache.put('m', [[a, vector(1)]]);
    cache.close();
    expect((await reopen()).get('m', [a])).toEqual([vector(1)]);
  });

  test('damage met later costs the file, not the vectors at hand, and is told once', async () => {
    const seed = await reopen();
    const all = hashes(2000);
    seed.put(
      'm',
      all.map((hash) => [hash, vector(...Array(50).fill(1))] as const),
    );
    seed.close();
    const bytes = readFileSync(path('vectors.db'));
    bytes.fill(0xff, 8192);
    writeFileSync(path('vectors.db'), bytes);
    const said: string[] = [];
    const cache = await openVectorCache({ path: path('vectors.db'), log: (line) => said.push(line) });
    cache.get('m', all);
    cache.put('m', [[a, vector(7)]]);
    expect(cache.get('m', [a])).toEqual([vector(7)]);
    expect([cache.absence, said]).toEqual([
      expect.any(String),
      [expect.stringMatching(/^vectors are no longer kept: /)],
    ]);
    cache.close();
    expect((await reopen()).absence).toBeUndefined();
  });

  test('a file written by a newer chitta is left alone', async () => {
    if (sqlite.state !== 'ok') return;
    const database = sqlite.open(path('vectors.db'));
    database.pragma('user_version = 99');
    database.close();
    copyFileSync(path('vectors.db'), path('before.db'));
    const cache = await reopen();
    expect(cache.absence).toMatch(/newer chitta/);
    cache.put('m', [[a, vector(1)]]);
    expect(cache.get('m', [a])).toEqual([vector(1)]);
    expect(readFileSync(path('vectors.db')).equals(readFileSync(path('before.db')))).toBe(true);
  });

  test('while another process writes, vectors are kept in memory and the file is tried again later', async () => {
    if (sqlite.state !== 'ok') return;
    const cache = await reopen();
    cache.put('m', [[a, vector(1)]]);
    const other = sqlite.open(path('vectors.db'));
    other.exec('BEGIN IMMEDIATE');
    cache.put('m', [[b, vector(2)]]);
    expect(cache.get('m', [a, b])).toEqual([vector(1), vector(2)]);
    expect([cache.absence, cache.remove([c])]).toEqual([undefined, false]);
    other.exec('ROLLBACK');
    other.close();
    cache.put('m', [[c, vector(3)]]);
    cache.close();
    expect((await reopen()).get('m', [a, b, c])).toEqual([vector(1), undefined, vector(3)]);
  });
});

test('a place that cannot be written leaves a cache in memory', async () => {
  const said: string[] = [];
  const cache = await openVectorCache({ path: path('no', 'such', 'folder', 'v.db'), log: (line) => said.push(line) });
  cache.put('m', [[a, vector(1)]]);
  expect(cache.get('m', [a, b])).toEqual([vector(1), undefined]);
  expect([cache.remove([a]), cache.get('m', [a])]).toEqual([false, [undefined]]);
  expect([typeof cache.absence, said.length]).toEqual(['string', 1]);
});

test('memory is bounded too', async () => {
  const cache = await openVectorCache({ path: path('no', 'v.db'), maxInMemory: 2 });
  cache.put('m', [[a, vector(1)]]);
  cache.put('m', [[b, vector(2)]]);
  cache.get('m', [a]);
  cache.put('m', [[c, vector(3)]]);
  expect(cache.get('m', [a, b, c])).toEqual([vector(1), undefined, vector(3)]);
});
