/** How a daemon begins and ends: one at a time, by itself, and without leaving anything that stands in the way of the next. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connect } from '../../src/daemon/client.ts';
import { takeLock } from '../../src/daemon/lock.ts';
import { BUILD, daemonRig, eventually, exitOf } from './support/rig.ts';

const rig = daemonRig();

test('socket, lock and folder are for this user only', async () => {
  await rig().daemon();
  const { folder, socket, lock } = rig().endpoint;
  expect([folder, socket, lock].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
    '700',
    '600',
    '600',
  ]);
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('says hello while the model is being loaded, and answers with what it has', async () => {
  const child = rig().spawn({ loadMs: 60_000 });
  const connection = await rig().connected();
  expect(connection.hello.state).toBe('warming');
  expect(await rig().told('score', { texts: ['a'], query: 'a' }, 200)).toMatchObject({
    result: { similarity: null, coverage: [null], vectors: { used: 0, total: 1 } },
  });
  connection.close();
  child.kill('SIGKILL');
});

test('a model that cannot be loaded ends the daemon, and leaves no socket', async () => {
  expect(await exitOf(rig().spawn({ failLoad: true }))).toBe(1);
  expect(existsSync(rig().endpoint.socket)).toBe(false);
  expect(rig().journal('daemon failed')).toEqual([expect.stringContaining('the model file is damaged')]);
});

test('an embedding that never comes back ends the daemon; the next one works', async () => {
  const child = await rig().daemon({ stuckAfterMs: 300 });
  const connection = await rig().connected();
  await connection.call('score', { texts: ['HANG'] }, 300);
  connection.close();
  expect(await exitOf(child)).toBe(1);
  await rig().daemon();
  const next = await rig().connected();
  expect(await next.call('score', { texts: ['fine'] }, 3_000)).toMatchObject({ result: { vectors: { used: 1 } } });
  next.close();
});

test('ends after idle time, not before its work is done, and takes its socket along', async () => {
  const child = rig().spawn({ idleMs: 800, embedMs: 400 });
  const connection = await rig().connected();
  const texts = ['one', 'two', 'three', 'four', 'five', 'six'];
  expect(await connection.call('score', { texts }, 10_000)).toMatchObject({ result: { vectors: { used: 6 } } });
  expect(child.exitCode).toBeNull();
  connection.close();
  expect(await exitOf(child)).toBe(0);
  expect(existsSync(rig().endpoint.socket)).toBe(false);
});

test('a request that arrives while it ends is answered, or told at once that nobody is there', async () => {
  const child = rig().spawn({ idleMs: 800 });
  const connection = await rig().connected();
  await eventually(() => !existsSync(rig().endpoint.socket), 'the beginning of its end');
  const outcome = await connection.call('score', { texts: ['late'] }, 20_000);
  expect(outcome.state === 'absent' ? outcome.reason : outcome.state).toMatch(/^(?:answered|closed)$/);
  connection.close();
  expect(await exitOf(child)).toBe(0);
});

test('work without a client keeps it alive too', async () => {
  const child = rig().spawn({ idleMs: 800, embedMs: 300 });
  const connection = await rig().connected();
  const texts = ['one', 'two', 'three', 'four', 'five', 'six'];
  expect(await connection.call('warm', { texts }, 1_000)).toMatchObject({ result: { total: 6, done: 0 } });
  connection.close();
  expect(await exitOf(child)).toBe(0);
  expect(rig().journal('embed')).toHaveLength(6);
});

test.each(['SIGTERM', 'shutdown'] as const)('%s: finishes what it has, leaves no socket, exits 0', async (how) => {
  const child = await rig().daemon({ embedMs: 300 });
  await eventually(() => rig().journal('serving')[0], 'the model');
  const connection = await rig().connected();
  const running = connection.call('score', { texts: ['one', 'two'] }, 5_000);
  await eventually(() => rig().journal('embed')[0], 'work');
  const other = await rig().connected();
  if (how === 'SIGTERM') child.kill('SIGTERM');
  else await other.call('shutdown', {}, 1_000);
  expect(await running).toMatchObject({ result: { vectors: { used: 2 } } });
  connection.close();
  other.close();
  expect(await exitOf(child)).toBe(0);
  expect(existsSync(rig().endpoint.socket)).toBe(false);
});

test('a request from a newer build is answered, and then the daemon gives way', async () => {
  const child = await rig().daemon({ build: '0.9.0' });
  const connection = await rig().connected();
  expect(connection.hello.build).toBe('0.9.0');
  expect(await connection.call('score', { texts: ['a'] }, 2_000)).toMatchObject({ result: { vectors: { used: 1 } } });
  expect(await exitOf(child)).toBe(0);
  await rig().daemon();
  expect((await rig().connected()).hello.build).toBe(BUILD);
});

test('an older build’s request leaves a newer daemon alone', async () => {
  const child = await rig().daemon({ build: '2.0.0' });
  const connection = await rig().connected();
  await connection.call('status', {}, 2_000);
  // It would hide its socket before it takes another request.
  expect(await connection.call('status', {}, 2_000)).toMatchObject({ state: 'answered' });
  connection.close();
  (await rig().connected()).close();
  expect(child.exitCode).toBeNull();
});

test('a lock that a living process holds is respected, and leaves nothing behind', async () => {
  mkdirSync(rig().runtimeDir, { mode: 0o700 });
  const lock = await takeLock(rig().endpoint.lock);
  if (lock.state !== 'held') throw new Error(lock.state);
  expect(await exitOf(rig().spawn())).toBe(0);
  expect(rig().journal('over')).toEqual(['over busy']);
  expect(existsSync(rig().endpoint.socket)).toBe(false);
  lock.release();
  await rig().daemon();
});

test.each([
  ['the number of a process that lives', `${process.pid}\n`],
  ['something else', `${process.pid}\n`.repeat(400)],
])('a lock file with %s in it is no lock', async (_what, words) => {
  mkdirSync(rig().runtimeDir, { mode: 0o700 });
  writeFileSync(rig().endpoint.lock, words);
  const child = await rig().daemon();
  // And is one from then on.
  expect(await exitOf(rig().spawn())).toBe(0);
  expect(rig().journal('over')).toEqual(['over busy']);
  expect(child.exitCode).toBeNull();
});

test.each([
  ['a folder', () => mkdirSync(rig().endpoint.lock, { recursive: true })],
  ['a link', () => symlinkSync('/dev/null', rig().endpoint.lock)],
])('%s in place of the lock: no daemon, and the log says why', async (_what, make) => {
  mkdirSync(rig().runtimeDir, { mode: 0o700 });
  make();
  await exitOf(rig().spawn());
  expect(rig().journal('over')).toEqual(['over impossible']);
  expect(rig().journal('daemon impossible')).toEqual([expect.stringContaining('cannot be locked')]);
});

test('a daemon whose socket was removed ends, and the next one can be found', async () => {
  const child = await rig().daemon();
  rmSync(rig().endpoint.socket);
  expect(await exitOf(child)).toBe(0);
  await rig().daemon();
});

test('a folder that loses its privacy afterwards is left by clients', async () => {
  await rig().daemon();
  chmodSync(rig().runtimeDir, 0o755);
  expect(await connect(rig().endpoint, BUILD, 300)).toMatchObject({ reason: 'unsafe' });
  chmodSync(rig().runtimeDir, 0o700);
});
