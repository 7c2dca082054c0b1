/** Starting in the background: once, with nothing of the host's, and not again and again. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clearAttempts, outputFile, scrubbed, type Started, startDaemon } from '../../src/daemon/start.ts';
import { daemonRig, eventually } from './support/rig.ts';

const rig = daemonRig();

function start(
  extra: { env?: Record<string, string>; now?: () => number; command?: [string, ...string[]] } = {},
  eagerly = false,
): Promise<Started> {
  const { endpoint, home } = rig();
  return startDaemon({ endpoint, home, env: process.env, command: rig().command(), ...extra }, eagerly);
}

/** Tells its environment on its standard streams. */
const parrot: [string, ...string[]] = [
  process.execPath,
  '-e',
  'console.log(JSON.stringify({ env: process.env, cwd: process.cwd() })); console.error("words")',
];

test('ten clients that start at once get exactly one daemon', async () => {
  const starts = await Promise.all(Array.from({ length: 10 }, () => start()));
  expect(starts.filter(({ state }) => state === 'started')).toHaveLength(1);
  expect(starts.filter(({ state }) => state === 'backing-off')).toHaveLength(9);
  (await rig().connected()).close();
  await eventually(() => rig().journal('serving')[0], 'the model');
  expect(rig().journal('serving')).toHaveLength(1);
});

test('even ten daemons that were started at once come down to one', async () => {
  for (let index = 0; index < 10; index++) rig().spawn();
  (await rig().connected()).close();
  await eventually(() => rig().journal('over busy').length === 9, 'nine that gave up');
  expect(rig().journal('serving').length).toBeLessThanOrEqual(1);
});

test('it outlives its parent', async () => {
  const started = await start();
  if (started.state !== 'started') throw new Error(started.state);
  const connection = await rig().connected();
  expect(await connection.call('status', {}, 2_000)).toMatchObject({ result: { pid: started.pid } });
  connection.close();
});

test.runIf(process.platform === 'linux')('it has a session of its own (needs /proc)', async () => {
  const started = await start();
  if (started.state !== 'started') throw new Error(started.state);
  const fields = readFileSync(`/proc/${started.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // Group and session are its own: no signal of the parent's terminal reaches it.
  expect(fields.slice(2, 4)).toEqual([String(started.pid), String(started.pid)]);
  (await rig().connected()).close();
});

test('its environment holds where things are, and none of the host’s secrets', async () => {
  const host = {
    ANTHROPIC_API_KEY: 'a',
    CLAUDE_CODE_X: 'b',
    GITHUB_TOKEN: 'c',
    CHITTA_TOKEN: 'd',
    XDG_API_KEY: 'e',
    NODE_OPTIONS: '--x',
  };
  const own = {
    PATH: '/bin',
    HOME: '/h',
    LANG: 'C',
    LC_ALL: 'C',
    TMPDIR: '/t',
    XDG_DATA_HOME: '/d',
    CHITTA_MODEL: 'm',
    USER: 'u',
  };
  expect(scrubbed({ ...host, ...own, EMPTY: undefined })).toEqual(own);
  await start({ env: { ...own, ...host, PATH: process.env['PATH'] ?? '' }, command: parrot });
  const file = outputFile(rig().home);
  const line = await eventually(
    () => existsSync(file) && readFileSync(file, 'utf8').includes('words') && readFileSync(file, 'utf8'),
    'its words',
  );
  expect(JSON.parse(line.split('\n').find((text) => text.startsWith('{')) ?? '')).toMatchObject({
    cwd: '/',
    env: { CHITTA_HOME: rig().home, CHITTA_RUNTIME_DIR: rig().runtimeDir, CHITTA_MODEL: 'm' },
  });
  for (const name of Object.keys(host)) expect(line).not.toContain(name);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
});

test('the pause between attempts doubles from one second to five minutes', async () => {
  let nowMs = Date.now();
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt++) {
    const from = nowMs;
    while ((await start({ now: () => nowMs, command: parrot })).state !== 'started') nowMs += 250;
    pauses.push(Math.round((nowMs - from) / 1_000));
    const [file] = readdirSync(rig().runtimeDir).filter((name) => name.includes('.start-'));
    utimesSync(join(rig().runtimeDir, file ?? ''), nowMs / 1_000, nowMs / 1_000);
  }
  expect(pauses).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
}, 60_000);

test('a clock that was set back is no reason to wait', async () => {
  expect(await start({ command: parrot })).toMatchObject({ state: 'started' });
  expect(await start({ command: parrot, now: () => 0 })).toMatchObject({ state: 'started' });
});

test('a person does not wait, and what was cleared is forgotten', async () => {
  expect(await start({ command: parrot })).toMatchObject({ state: 'started' });
  expect(await start({ command: parrot })).toEqual({ state: 'backing-off' });
  expect(await start({ command: parrot }, true)).toMatchObject({ state: 'started' });
  clearAttempts(rig().endpoint);
  expect(await start({ command: parrot })).toMatchObject({ state: 'started' });
});

test('a daemon that ended in good order does not make the next start wait', async () => {
  await start();
  const connection = await rig().connected();
  await connection.call('shutdown', {}, 2_000);
  connection.close();
  await eventually(() => rig().journal('over ended')[0], 'its end');
  expect(await start()).toMatchObject({ state: 'started' });
  (await rig().connected()).close();
});

test('a program that is not there, or a folder that is not private: impossible, with the reason', async () => {
  expect(await start({ command: ['/nonexistent/node'] })).toMatchObject({
    state: 'impossible',
    reason: expect.stringContaining('ENOENT'),
  });
  mkdirSync(join(rig().folder, 'open'), { mode: 0o755 });
  const { home } = rig();
  const endpoint = { ...rig().endpoint, folder: join(rig().folder, 'open') };
  expect(await startDaemon({ endpoint, home, env: {}, command: parrot })).toMatchObject({ state: 'impossible' });
});
