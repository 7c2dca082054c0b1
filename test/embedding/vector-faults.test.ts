import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openVectorCache, type VectorCache } from '../../src/embedding/cache.ts';
import { vectorsProbe } from '../../src/embedding/vectors-probe.ts';
import { loadSqlite } from '../../src/platform/native.ts';

const sqlite = await loadSqlite();
const hash = (i: number): string => i.toString(16).padStart(64, '0');
const vector = (i: number): Float32Array => Float32Array.from({ length: 64 }, () => i);

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'chitta-vectors-'));
  path = join(home, 'vectors.db');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function opened(): Promise<{ cache: VectorCache; lines: string[] }> {
  const lines: string[] = [];
  return { cache: await openVectorCache({ path, log: (line) => lines.push(line) }), lines };
}

async function filled(): Promise<void> {
  const { cache } = await opened();
  cache.put(
    'm',
    Array.from({ length: 400 }, (_, i) => [hash(i), vector(i)] as const),
  );
  cache.close();
}

/** Whatever the file is like, what is put can be had again in the same process. */
async function isOfUse(): Promise<void> {
  const { cache } = await opened();
  cache.get('m', [hash(1), hash(399)]);
  cache.put('m', [[hash(9_999), vector(7)]]);
  expect(cache.get('m', [hash(9_999)])).toEqual([vector(7)]);
  cache.close();
}

/** The fault, what doctor says of it, and whether a cache that met it has left a sound file in its place. */
const FAULTS: readonly [what: string, spoil: () => void, said: RegExp, isMended: boolean][] = [
  ['zero bytes', () => truncateSync(path, 0), /^nothing$/, true],
  [
    'a header that is none',
    () => writeFileSync(path, Buffer.concat([Buffer.alloc(100, 0x2a), readFileSync(path).subarray(100)])),
    /damaged/,
    true,
  ],
  ['another file', () => writeFileSync(path, 'no database at all, '.repeat(1_000)), /damaged/, true],
  ['cut in the middle', () => truncateSync(path, 4096 * 5), /damaged/, true],
  ['cut within the header', () => truncateSync(path, 60), /damaged/, true],
  [
    'a directory in its place',
    () => {
      rmSync(path);
      mkdirSync(path);
    },
    /not a regular file/,
    false,
  ],
  [
    'a link in its place',
    () => {
      copyFileSync(path, join(home, 'elsewhere'));
      rmSync(path);
      symlinkSync(join(home, 'elsewhere'), path);
    },
    /not a regular file/,
    false,
  ],
  [
    'of a newer version',
    () => {
      const bytes = readFileSync(path);
      bytes.writeUInt32BE(99, 60);
      writeFileSync(path, bytes);
    },
    /format 99.*update chitta/,
    false,
  ],
];

describe.runIf(sqlite.state === 'ok')(
  'whatever vectors.db is like, vectors are had, and doctor says what is wrong (needs better-sqlite3)',
  () => {
    test.each(FAULTS)('%s', async (_, spoil, said, isMended) => {
      await filled();
      spoil();
      const [check] = await vectorsProbe(home).run();
      expect(check === undefined ? 'nothing' : `${check.state}: ${check.detail}; ${check.fix}`).toMatch(said);
      await isOfUse();
      await isOfUse();
      expect((await vectorsProbe(home).run()).length).toBe(isMended ? 0 : 1);
    });

    test('damaged pages that are met only while it is used', async () => {
      await filled();
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(0xff, 4096 * 3));
      expect(await vectorsProbe(home).run()).toMatchObject([
        { state: 'warn', detail: expect.stringContaining('damaged') },
      ]);
      await isOfUse();
      await isOfUse();
      expect(await vectorsProbe(home).run()).toEqual([]);
    });

    test('held by another process', async () => {
      if (sqlite.state !== 'ok') return;
      await filled();
      const other = sqlite.open(path);
      other.pragma('locking_mode = EXCLUSIVE');
      other.exec('BEGIN EXCLUSIVE');
      await isOfUse();
      const [check] = await vectorsProbe(home).run();
      expect(check).toMatchObject({ state: 'warn', fix: expect.stringContaining('fuser -v') });
      other.exec('ROLLBACK');
      other.close();
      expect(await vectorsProbe(home).run()).toEqual([]);
    });

    test('no file, and a sound one, are not worth a word', async () => {
      expect(await vectorsProbe(home).run()).toEqual([]);
      await filled();
      expect(await vectorsProbe(home).run()).toEqual([]);
    });
  },
);
