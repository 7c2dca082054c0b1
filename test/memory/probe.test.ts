import { readFileSync, writeFileSync } from 'node:fs';
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
  db.exec('CREATE TABLE of_a_newer_format (id INTEGER)');
  db.pragma('user_version = 999');
  db.close();
  expect(await memoryProbe(home).run()).toMatchObject([{ state: 'fail', fix: expect.stringMatching(/update chitta/) }]);
});

test('a damaged format number is told apart from a newer version', async () => {
  const home = newHome();
  const { memory } = openedAt(home);
  await memory.stats(1_000);
  memory.close();
  const path = join(home, 'memory.db');
  const bytes = readFileSync(path);
  // sqlite.org/fileformat.html: the user version stands at offset 60.
  const format = bytes.readUInt32BE(60);
  bytes.writeUInt32BE(format | 0x0100_0000, 60);
  writeFileSync(path, bytes);
  expect(await memoryProbe(home).run()).toMatchObject([
    {
      state: 'fail',
      detail: expect.stringContaining('the number is damaged'),
      fix: `sqlite3 '${path}' 'PRAGMA user_version = ${format}'`,
    },
  ]);
});
