import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryProbe } from '../../src/memory/probe.ts';
import { beside, newHome, openedAt } from './home.ts';

test('a home without a database is well, and stays without', async () => {
  expect(await memoryProbe(newHome()).run()).toEqual([
    { name: 'memory', state: 'ok', detail: 'nothing is stored yet' },
  ]);
});

test('a database is counted', async () => {
  const home = newHome();
  const { memory } = openedAt(home);
  const fact = {
    text: 'the port is 8080',
    kind: 'fact',
    project: undefined,
    session: undefined,
    origin: 'person',
    sourceIds: [],
  } as const;
  await memory.remember(fact, 1_000);
  expect(await memoryProbe(home).run()).toMatchObject([
    { state: 'ok', detail: expect.stringContaining('1 memories, 0 archived turns') },
  ]);
});

test('a database of a newer version fails, and says what to do', async () => {
  const home = newHome();
  const { memory } = openedAt(home);
  await memory.stats(1_000);
  memory.close();
  const db = beside(join(home, 'memory.db'));
  db.pragma('user_version = 999');
  db.close();
  expect(await memoryProbe(home).run()).toMatchObject([{ state: 'fail', fix: expect.stringMatching(/./) }]);
});
