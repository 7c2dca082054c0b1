import { truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { memoryProbe } from '../../src/memory/probe.ts';
import { beside, fact, MS, opened, turn } from './home.ts';

const DAY_MS = 86_400_000;

test('says what takes the room, and what came lately', async () => {
  let now = Date.UTC(2026, 0, 1);
  const { memory } = opened(() => now);
  await memory.archive([turn(1, { text: 'old '.repeat(2_000) })], MS);
  now += 20 * DAY_MS;
  await memory.archive([turn(2, { text: 'zwölf' })], MS);
  await memory.remember(fact('a fact'), MS);
  const { room, growth, projects } = await memory.usage(MS);
  expect(room.turns).toBeGreaterThan(8_000);
  expect(room.memories).toBeGreaterThan(0);
  expect(growth).toEqual([
    { days: 7, turns: 1, memories: 1, bytes: 6 },
    { days: 30, turns: 2, memories: 1, bytes: 8_006 },
  ]);
  expect(projects).toEqual([{ project: '/project', memories: 1, turns: 2, bytes: 8_012 }]);
});

test('deletes turns that are too old, and nothing else', async () => {
  let now = Date.UTC(2026, 0, 1);
  const { memory } = opened(() => now);
  await memory.remember(fact('stays'), MS);
  await memory.archive(
    Array.from({ length: 450 }, (_, n) => turn(n, { text: `marmot ${n}` })),
    MS,
  );
  now += 10 * DAY_MS;
  await memory.archive([turn(1_000, { text: 'marmot of today' })], MS);
  expect(await memory.trimArchive({ beforeMs: now - DAY_MS }, MS)).toBe(450);
  expect((await memory.searchText('marmot', '/project', 9, MS)).turns).toMatchObject([{ text: 'marmot of today' }]);
  expect(await memory.memories({ project: '/project', limit: 9 }, MS)).toHaveLength(1);
  expect(await memory.trimArchive({ beforeMs: now - DAY_MS }, MS)).toBe(0);
});

test('deletes the oldest turns until what is left is no more than it may be', async () => {
  let now = Date.UTC(2026, 0, 1);
  const { memory } = opened(() => (now += 1_000));
  for (let part = 0; part < 10; part += 1) {
    const turns = Array.from({ length: 100 }, (_, n) => {
      const number = part * 100 + n;
      return turn(number, {
        handle: `#h${number}`,
        uuid: `u${number}`,
        text: `${'word '.repeat(20)}${number}`.padEnd(120, '.'),
      });
    });
    await memory.archive(turns, MS);
  }
  expect(await memory.trimArchive({ maxBytes: 30_000 }, MS)).toBe(750);
  expect((await memory.usage(MS)).growth[0]).toMatchObject({ turns: 250, bytes: 30_000 });
  expect(await memory.turns('#h999', MS)).toHaveLength(1);
  expect(await memory.turns('#h749', MS)).toEqual([]);
  expect((await memory.searchText('word', '/project', 1_000, MS)).turns).toHaveLength(250);
  expect(await memory.trimArchive({ maxBytes: 30_000 }, MS)).toBe(0);
});

test('what others write meanwhile is counted: no turn is deleted that had room', async () => {
  let now = Date.UTC(2026, 0, 1);
  const { memory, path } = opened(() => (now += 1_000));
  const of = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => turn(from + n, { handle: `#h${from + n}`, text: 'x'.repeat(100) }));
  await memory.archive(of(0, 600), MS);
  const other = beside(path);
  // Another process deletes the older half between two transactions of this one.
  setTimeout(() => other.exec('DELETE FROM turns WHERE id <= 500'), 0);
  await memory.trimArchive({ maxBytes: 30_000 }, MS);
  const { turns, bytes } = (await memory.usage(MS)).growth[0]!;
  expect([turns, bytes]).toEqual([100, 10_000]);
  await memory.archive(of(1_000, 400), MS);
  expect(await memory.trimArchive({ maxBytes: 30_000 }, MS)).toBe(200);
});

test('without a limit nothing goes', async () => {
  const { memory } = opened();
  await memory.archive([turn(1)], MS);
  expect(await memory.trimArchive({}, MS)).toBe(0);
});

test('doctor tells of a database that has grown without a limit, and what to set; with one it does not', async () => {
  const { memory, home, path } = opened();
  await memory.archive([turn(1, { text: 'x'.repeat(2_000_000) })], MS);
  const told = async (hasLimit: boolean): Promise<unknown> => (await memoryProbe(home, () => hasLimit).run())[0];
  expect(await told(false)).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('2.0 MB of text came in 30 days'),
  });
  memory.close();
  // With a hole at its end, which takes no room.
  truncateSync(path, 1_100_000_000);
  expect(await told(false)).toMatchObject({
    state: 'warn',
    detail: expect.stringMatching(
      /^memory\.db has grown to 1100\.\d MB, .* with 1 archived turns, and nothing limits it$/,
    ),
    fix: expect.stringContaining('chitta config set archive_max_days'),
  });
  expect(await told(true)).toMatchObject({ state: 'ok' });
});
