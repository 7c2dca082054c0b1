/** The folder of the socket and the home, when they are not as they should be. As root some of it is run as another user: root may everything. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { giveTo, isRoot, machineRig, type RunOptions, runProcess, skipped, STRANGER_UID } from './support/machine.ts';

const machine = machineRig();
const other: RunOptions = isRoot ? { uid: STRANGER_UID } : {};
const OTHER_UID = STRANGER_UID + 1;

/** Starts a daemon and ends it; in between it is reached by everyone who should. Its status. */
async function used(options: RunOptions = {}): Promise<Record<string, unknown>> {
  const { run, status, session } = machine();
  expect(await run(['daemon', 'start'], options)).toMatchObject({ stdout: 'the daemon is ready\n', exitCode: 0 });
  const before = await status(options);
  await session(options);
  expect(Number((await status(options))['requests'])).toBeGreaterThan(Number(before['requests']) + 1);
  expect(await run(['daemon', 'stop'], options)).toMatchObject({ stdout: 'the daemon has ended\n', exitCode: 0 });
  return before;
}

const unsafe: [what: string, make: (folder: string) => void][] = [
  ['open to everyone (0777)', (folder) => (mkdirSync(folder), chmodSync(folder, 0o777))],
  [
    'a link to a private folder',
    (folder) => (mkdirSync(`${folder}2`, { mode: 0o700 }), symlinkSync(`${folder}2`, folder)),
  ],
  ['a file', (folder) => writeFileSync(folder, '')],
];

test.each(unsafe)('a runtime folder that is %s is not used, and nothing is put there', async (_what, make) => {
  make(machine().runtimeDir);
  expect(await machine().status()).toMatchObject({ running: false, reason: 'unsafe' });
  await machine().session();
  expect(await machine().run(['daemon', 'start'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(machine().runtimeDir),
  });
  expect(
    readdirSync(machine().folder, { recursive: true }).filter((name) => /\.(?:sock|lock|start)/.test(String(name))),
  ).toEqual([]);
});

test.runIf(isRoot)('someone else’s runtime folder is not used (needs root, to run as another user)', async () => {
  giveTo(STRANGER_UID, machine().folder);
  mkdirSync(machine().runtimeDir, { mode: 0o700 });
  chownSync(machine().runtimeDir, OTHER_UID, OTHER_UID);
  expect(await machine().status(other)).toMatchObject({
    running: false,
    reason: 'unsafe',
    detail: expect.stringContaining(`belongs to user ${OTHER_UID}, not to ${STRANGER_UID}`),
  });
  await machine().session(other);
  expect(readdirSync(machine().runtimeDir)).toEqual([]);
});

test('a runtime folder that cannot be written: no daemon, and the log says why', async () => {
  mkdirSync(machine().runtimeDir, { mode: 0o500 });
  if (isRoot) giveTo(STRANGER_UID, machine().folder);
  expect(await machine().status(other)).toMatchObject({ running: false, reason: 'none' });
  await machine().session(other);
  expect(machine().log()).toContain('no daemon could be started: EACCES');
  expect(await machine().run(['daemon', 'start'], other)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('EACCES'),
  });
});

test.each(['/proc/nowhere/chitta', '/dev/null/chitta'])(
  'a runtime folder that cannot be made (%s): no daemon, and no hang',
  async (folder) => {
    const options = { env: { CHITTA_RUNTIME_DIR: folder } };
    expect(await machine().status(options)).toMatchObject({ running: false });
    await machine().session(options);
    expect(await machine().run(['daemon', 'start'], options)).toMatchObject({ exitCode: 1 });
  },
);

test.skipIf(skipped !== '')(
  `a runtime folder that is missing is made, for this user only${skipped}`,
  { timeout: 180_000 },
  async () => {
    const folder = join(machine().runtimeDir, 'not', 'there');
    expect(await used({ env: { CHITTA_RUNTIME_DIR: folder } })).toMatchObject({ running: true, state: 'ready' });
    expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
  },
);

test.skipIf(skipped !== '')(`a runtime folder whose path has 200 bytes${skipped}`, { timeout: 180_000 }, async () => {
  const tmp = join(machine().folder, 't');
  mkdirSync(tmp);
  const long = join(machine().runtimeDir, 'x'.repeat(199 - machine().runtimeDir.length));
  expect(long).toHaveLength(200);
  const options = { env: { CHITTA_RUNTIME_DIR: long, TMPDIR: tmp } };
  const { socket } = await used(options);
  expect(String(socket)).toMatch(new RegExp(`^${tmp}/`));
  expect(existsSync(long)).toBe(false);
});

test.skipIf(skipped !== '')(
  `no HOME, and nothing else that names a folder${skipped}`,
  { timeout: 180_000 },
  async () => {
    const tmp = join(machine().folder, 't');
    mkdirSync(tmp, { mode: 0o700 });
    if (isRoot) giveTo(STRANGER_UID, machine().folder);
    // A user who is no one has no entry that would name a home either.
    const env = { HOME: undefined, CHITTA_RUNTIME_DIR: undefined, TMPDIR: tmp };
    expect(await used({ ...other, env })).toMatchObject({ running: true, state: 'ready' });
  },
);

test.skipIf(skipped !== '' || !isRoot)(
  `two users on one machine have a daemon each, and neither reaches the other’s (needs root)${skipped}`,
  { timeout: 180_000 },
  async () => {
    const tmp = join(machine().folder, 't');
    mkdirSync(tmp);
    chmodSync(tmp, 0o1777);
    const users = [STRANGER_UID, OTHER_UID].map((uid): Required<Pick<RunOptions, 'uid' | 'env'>> => {
      const home = join(machine().folder, `home-${uid}`);
      mkdirSync(home, { mode: 0o700 });
      giveTo(uid, home);
      return { uid, env: { HOME: home, CHITTA_HOME: undefined, CHITTA_RUNTIME_DIR: undefined, TMPDIR: tmp } };
    });
    const seen: Record<string, unknown>[] = [];
    for (const user of users) {
      expect(await machine().run(['daemon', 'start'], user)).toMatchObject({ exitCode: 0 });
      seen.push(await machine().status(user));
    }
    expect(seen.map(({ running }) => running)).toEqual([true, true]);
    expect(new Set(seen.map(({ pid }) => pid)).size).toBe(2);
    const sockets = seen.map(({ socket }) => String(socket));
    expect(sockets.map((path) => path.split('/').at(-2))).toEqual(users.map(({ uid }) => `chitta-${uid}`));
    const program =
      "require('net').connect(process.argv[1]).on('error', (e) => console.log(e.code)).on('connect', () => process.exit(3))";
    const intruder = ['-e', program, sockets[0] ?? ''];
    expect(await runProcess(process.execPath, intruder, { uid: OTHER_UID, cwd: '/' })).toMatchObject({
      stdout: 'EACCES\n',
    });
    for (const user of users) {
      await machine().guide(user);
      expect(await machine().run(['daemon', 'stop'], user)).toMatchObject({ exitCode: 0 });
    }
  },
);

test.runIf(isRoot)('a folder that another user made first, in the public one, is not used (needs root)', async () => {
  const tmp = join(machine().folder, 't');
  mkdirSync(tmp);
  giveTo(STRANGER_UID, machine().folder);
  chmodSync(tmp, 0o1777);
  const squatted = join(tmp, `chitta-${STRANGER_UID}`);
  mkdirSync(squatted, { mode: 0o777 });
  giveTo(OTHER_UID, squatted);
  const options = { ...other, env: { CHITTA_RUNTIME_DIR: undefined, TMPDIR: tmp } };
  expect(await machine().status(options)).toMatchObject({ running: false, reason: 'unsafe' });
  await machine().session(options);
  expect(readdirSync(squatted)).toEqual([]);
});
