/** A disk without room, at every page that a compaction writes, and with room again. Where nothing can be mounted: a database that may not grow. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openVectorCache } from '../../src/embedding/cache.ts';
import { vectorsProbe } from '../../src/embedding/vectors-probe.ts';
import { memoryProbe } from '../../src/memory/probe.ts';
import { openMemory } from '../../src/memory/store.ts';
import { episode, MS, openSqlite, turn } from '../memory/home.ts';
import {
  databaseRig,
  expectHarmless,
  expectNamed,
  logOf,
  seed,
  SEED_TURNS,
  TRANSCRIPT_TURNS,
  turnsHeld,
} from './database.ts';

const rig = databaseRig();
const disk = join(rig.folder, 'disk');
const PAGE_BYTES = 4_096;
const DISK_BYTES = 3_145_728;

mkdirSync(disk);
const canMount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=0755`, 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (canMount) spawnSync('umount', [disk]);
});

const filler = join(disk, 'filler');

/** Leaves so many pages free. */
function fill(freePages: number): void {
  rmSync(filler, { force: true });
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - freePages * PAGE_BYTES)));
}

function clear(): void {
  rmSync(filler, { force: true });
}

function expectSound(home: string): void {
  const db = openSqlite(join(home, 'memory.db'));
  const verdict = db.pragma('quick_check', { simple: true });
  db.close();
  expect(verdict).toBe('ok');
}

describe.skipIf(!canMount)('a full disk (needs the right to mount one)', () => {
  test('vectors: those at hand are used on, with room again they are kept', async () => {
    clear();
    const path = join(disk, 'vectors.db');
    const lines: string[] = [];
    const vector = Float32Array.from({ length: 384 }, () => 0.5);
    const entries = (from: number): (readonly [string, Float32Array])[] =>
      Array.from({ length: 100 }, (_, i) => [(from + i).toString(16).padStart(64, '0'), vector] as const);
    const cache = await openVectorCache({ path, log: (line) => lines.push(line) });
    cache.put('m', entries(0));
    fill(2);
    for (let from = 1_000; from < 1_500; from += 100) cache.put('m', entries(from));
    expect(lines).toEqual(['vectors are not kept while the disk is full']);
    const [first] = entries(1_400);
    expect(cache.get('m', [first?.[0] ?? ''])).toEqual([vector]);
    expect((await vectorsProbe(disk).run()).map(({ state }) => state)).not.toContain('fail');
    clear();
    cache.put('m', entries(2_000));
    cache.close();
    const next = await openVectorCache({ path });
    expect(
      next.get(
        'm',
        entries(2_000).map(([hash]) => hash),
      ),
    ).toEqual(entries(2_000).map(() => vector));
    next.close();
    for (const name of ['vectors.db', 'vectors.db-wal', 'vectors.db-shm']) rmSync(join(disk, name), { force: true });
  });

  let template = '';
  beforeAll(async () => {
    template = await rig.seededHome();
  });
  const newHome = (): string => {
    clear();
    const home = join(disk, 'home');
    rmSync(home, { recursive: true, force: true });
    // What Node has compiled of the hooks is as large as the disk.
    cpSync(template, home, { recursive: true, filter: (path) => basename(path) !== 'code' });
    return home;
  };
  const turns = Array.from({ length: 20 }, (_, i) => turn(1_000 + i, { text: `turn ${i} of now. `.repeat(60) }));

  test('at every page that a compaction writes: it is held, or waits in the spool, or the caller is told', async () => {
    const outcomes = new Set<string>();
    for (let freePages = 0; !outcomes.has('held') || freePages % 8 !== 0; freePages += 1) {
      const home = newHome();
      fill(freePages);
      const memory = openMemory({ home });
      const archived = await memory.archive(turns, MS).then(
        () => 'kept',
        (error: unknown) => error,
      );
      const recorded = await memory.recordEpisode(episode(), MS).then(
        () => 'kept',
        (error: unknown) => error,
      );
      memory.close();
      for (const answer of [archived, recorded].filter((one) => one !== 'kept')) {
        expect(answer).toMatchObject({ code: 'E_STORE_UNAVAILABLE', message: expect.stringContaining('memory.db') });
      }
      const waiting = readdirSync(home).some((name) => name.startsWith('spool'));
      outcomes.add(archived === 'kept' ? (waiting ? 'spooled' : 'held') : 'told');
      clear();
      expectSound(home);
      const held = await turnsHeld(home);
      // All of them or, where the caller was told, as many as the spool had room for.
      expect(held).toBeGreaterThanOrEqual(SEED_TURNS + (archived === 'kept' ? turns.length : 0));
      const again = openMemory({ home });
      await again.archive(turns, MS);
      await again.recordEpisode(episode(), MS);
      expect(await again.stats(MS)).toMatchObject({ turns: SEED_TURNS + turns.length, episodes: 1, spoolBytes: 0 });
      again.close();
      expect(freePages).toBeLessThan(200);
    }
    expect([...outcomes].toSorted()).toEqual(['held', 'spooled', 'told']);
  });

  test.each([[0], [1], [6], [16], [40]])(
    'with %i pages free hooks go on, and once there is room all is kept',
    async (freePages) => {
      const home = newHome();
      fill(freePages);
      for (const event of ['session-start', 'user-prompt-submit', 'pre-compact', 'stop']) {
        await expectHarmless(await rig.hook(home, event));
      }
      expect(await memoryProbe(home).run()).toContainEqual(
        expect.objectContaining({ state: 'warn', detail: expect.stringContaining('are free on the disk') }),
      );
      clear();
      await expectHarmless(await rig.hook(home, 'stop'));
      expectSound(home);
      expect(await turnsHeld(home)).toBe(SEED_TURNS + TRANSCRIPT_TURNS);
    },
  );

  test('a command says so, and a home that is new to it as well', async () => {
    const home = newHome();
    fill(0);
    expectNamed(await rig.run(home, 'memory', 'add', 'the port is 9090'), /E_STORE_UNAVAILABLE/);
    const empty = join(disk, 'empty');
    clear();
    mkdirSync(empty, { mode: 0o700 });
    fill(0);
    await expectHarmless(await rig.hook(empty, 'pre-compact'));
    clear();
    await seed(empty);
    expect(await turnsHeld(empty)).toBe(SEED_TURNS);
  });
});

/** Lets a database grow by so many pages beyond what it has. In the native part, which all have in common: its class is built into chitta. */
const LIMITER = `
  const { dlopen } = process;
  process.dlopen = (module, ...how) => {
    dlopen.call(process, module, ...how);
    const { prototype } = module.exports.Database ?? {};
    if (prototype === undefined) return;
    const { prepare } = prototype;
    prototype.prepare = function (text, database, ...rest) {
      const statement = prepare.call(this, text, database, ...rest);
      if (text !== 'PRAGMA synchronous = NORMAL') return statement;
      const ask = (pragma) => prepare.call(this, 'PRAGMA ' + pragma, database, true).all();
      ask('max_page_count = ' + (ask('page_count')[0].page_count + Number(process.env.MORE_PAGES)));
      return statement;
    };
  };
`;

test.each([['0'], ['1']])(
  'a database that may grow by %s pages has the compaction spooled, and takes it in when it may grow again',
  async (more) => {
    const home = await rig.seededHome();
    const limiter = join(rig.folder, 'limiter.mjs');
    writeFileSync(limiter, LIMITER);
    const limited = { flags: ['--import', pathToFileURL(limiter).href], env: { MORE_PAGES: more } };
    await expectHarmless(await rig.hook(home, 'pre-compact', limited));
    await expectHarmless(await rig.hook(home, 'stop', limited));
    expect(logOf(home)).toMatch(/records were spooled: memory\.db cannot be used: database or disk is full/);
    expectSound(home);
    expect(await turnsHeld(home)).toBe(SEED_TURNS + TRANSCRIPT_TURNS);
  },
);
