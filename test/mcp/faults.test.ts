/** What is wrong around the server is an error of one call, and the next one works. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpointOf } from '../../src/daemon/places.ts';
import { defaultModel } from '../../src/embedding/model.ts';
import { loadSqlite, packageRoot } from '../../src/platform/native.ts';
import { stranger } from '../faults/support/stranger.ts';
import { startNone } from '../support/start-none.ts';
import { mcpRig } from './rig.ts';

test('a database that another process holds', async () => {
  const rig = await mcpRig();
  await rig.call('remember', { text: 'the port is 8080' });
  const sqlite = await loadSqlite();
  if (sqlite.state !== 'ok') throw new Error(sqlite.reason);
  const holder = sqlite.open(join(rig.home, 'memory.db'));
  holder.exec('BEGIN EXCLUSIVE');
  expect(await rig.call('remember', { text: 'the port is 9090' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^chitta: .+\[E_STORE_BUSY\]\ntry: .+$/),
  });
  // Who only reads need not wait.
  expect((await rig.call('recall', { query: 'port' })).data).toMatchObject({ found: [{ text: 'the port is 8080' }] });
  holder.exec('ROLLBACK');
  holder.close();
  expect((await rig.call('remember', { text: 'the port is 9090' })).data).toMatchObject({ added: true });
});

test('a database that is damaged is set aside, and what is remembered then is there', async () => {
  const rig = await mcpRig();
  mkdirSync(rig.home, { recursive: true });
  writeFileSync(join(rig.home, 'memory.db'), 'this is no database, '.repeat(1_000));
  await rig.call('episodes');
  expect((await rig.call('remember', { text: 'the port is 9090' })).data).toMatchObject({ added: true });
  expect((await rig.call('recall', { query: 'port' })).data).toMatchObject({ found: [{}] });
});

test('a home that cannot be a folder', async () => {
  const rig = await mcpRig({ env: { CHITTA_HOME: '/dev/null' } });
  const { isError, text } = await rig.call('remember', { text: 'a fact' });
  expect([isError, text]).toEqual([true, expect.stringMatching(/^chitta: .+ {3}\[E_[A-Z_]+\]\ntry: .+$/)]);
  // Without the database there is still a choice to make.
  const messages = [{ role: 'user', content: 'Hello.' }];
  expect((await rig.call('compact_context', { messages })).data).toMatchObject({ messages });
  expect((await rig.call('hot_context', { focus: 'the parser' })).data).toMatchObject({
    text: expect.stringContaining('the parser'),
    problems: [expect.any(String)],
  });
});

test('a daemon that takes connections and says nothing is done without', async () => {
  const env = { CHITTA_RUNTIME_DIR: '' };
  const rig = await mcpRig({ env });
  env.CHITTA_RUNTIME_DIR = join(rig.root, 'run');
  const other = await mcpRig({ env: { ...env, CHITTA_HOME: rig.home } });
  const endpoint = endpointOf({ env, home: rig.home, model: defaultModel(packageRoot()).id });
  let connections = 0;
  await stranger(endpoint, () => (connections += 1));
  // Or a real one would take its place.
  startNone(endpoint);
  await other.call('remember', { text: 'the port is 8080' });
  expect((await other.call('recall', { query: 'port' })).data).toMatchObject({ embedding: false, found: [{}] });
  expect(connections).toBeGreaterThan(0);
});
