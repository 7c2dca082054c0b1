/** No usable model, no memory for it, no locks, a call that hangs, a database that is held: hooks answer in time, and the log says once why. */
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/daemon/client.ts';
import { defaultModel } from '../../src/embedding/model.ts';
import { loadSqlite } from '../../src/platform/native.ts';
import { bundleEntry, repository } from '../daemon/support/rig.ts';
import { eventually, exitOf, hookScript, install, machineRig, runProcess, skipped } from './support/machine.ts';

const machine = machineRig();
const WITH_MODEL = { timeout: 180_000 };
const model = defaultModel(repository);
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

/** Replaces some bytes, the size stays. */
function overwrite(path: string, at: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(64, 0xff), 0, 64, at);
  closeSync(descriptor);
}

const models: [what: string, spoil: (path: string) => void, says: string][] = [
  ['missing', () => undefined, 'cannot be read: ENOENT'],
  ['truncated', (path) => (copyFileSync(model.path, path), truncateSync(path, 1_000_000)), 'damaged or replaced'],
  ['empty', (path) => writeFileSync(path, ''), 'damaged or replaced'],
  ['longer than it was', (path) => (copyFileSync(model.path, path), appendFileSync(path, 'x')), 'damaged or replaced'],
  [
    'another one than its hash says',
    (path) => (copyFileSync(model.path, path), overwrite(path, 5_000)),
    'damaged or replaced',
  ],
];

test.skipIf(skipped !== '').each(models)(
  `a model that is %s: no vectors, and its name in the log${skipped}`,
  async (_what, spoil, says) => {
    const folder = join(machine().folder, 'models');
    mkdirSync(folder);
    symlinkSync(join(repository, 'models', 'tokenizer.json'), join(folder, 'tokenizer.json'));
    spoil(join(folder, basename(model.path)));
    const { cli, remove } = install({ models: folder });
    onTestFinished(remove);
    expect(await machine().run(['daemon', 'run'], { cli })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining(says),
    });
    await machine().session({ cli });
    expect(machine().log()).toMatch(new RegExp(`daemon failed: .*${basename(model.path)}.*${says}`));
  },
);

test.runIf(process.platform === 'linux' && skipped === '')(
  `a model that is too big for the memory (ulimit -v, needs Linux): the daemon ends, and a person is told${skipped}`,
  WITH_MODEL,
  async () => {
    const by = (kilobytes: number): string => `ulimit -v ${kilobytes}; exec "$@"`;
    const { cli, env, folder } = machine();
    const input = '{"session_id":"s","transcript_path":"/none"}';
    /** The least that a program of chitta's runs in. */
    const least = async (args: readonly string[]): Promise<number> => {
      for (let kilobytes = 600_000; kilobytes < 3_000_000; kilobytes += 200_000) {
        const ran = await runProcess(process.execPath, args, { by: by(kilobytes), env, cwd: folder, input });
        if (ran.exitCode === 0) return kilobytes;
      }
      return 0;
    };
    // Node itself runs in it, and the database has room, but not the model.
    const limit = await least([cli, 'daemon', 'status']);
    const hooks = { by: by(200_000 + (await least([hookScript(cli), 'hook', 'pre-compact']))) };
    expect(limit).toBeGreaterThan(0);
    const ran = await machine().run(['daemon', 'run', '--idle-min', '0.05'], { by: by(limit) });
    // An error with a name, or the abort of a library that cannot say more.
    expect(ran.exitCode).not.toBe(0);
    expect(await machine().ask()).toBeUndefined();
    // Hooks need more than the daemon's own limit, and one that they started might have room for the model in it.
    machine().startNone();
    await machine().session(hooks);
    expect(await machine().run(['daemon', 'start'], { by: by(limit) })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('E_DAEMON'),
    });
  },
);

const compiler = spawnSync('cc', ['--version']).status === 0;
test.runIf(process.platform === 'linux' && compiler && skipped === '')(
  `a file system without locks: no daemon, and the log says so (needs Linux and cc)${skipped}`,
  async () => {
    const library = join(machine().folder, 'nolock.so');
    const source = join(import.meta.dirname, 'support', 'nolock.c');
    expect(spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']).status).toBe(0);
    const options = { env: { LD_PRELOAD: library } };
    machine().startNone();
    await machine().session(options);
    const says = 'its file system has no locks';
    expect(await machine().run(['daemon', 'run'], options)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(says),
    });
    expect(machine().log()).toContain(says);
  },
);

test('an embedding that never comes back: hooks in time, the daemon ends, the next one works', WITH_MODEL, async () => {
  const { path, remove } = await bundleEntry('entry.ts');
  onTestFinished(remove);
  const { home, runtimeDir, folder, endpoint } = machine();
  const journal = join(folder, 'journal');
  const script = {
    home,
    runtimeDir,
    journal,
    model: endpoint.model,
    build: version,
    stuckAfterMs: 4_000,
    hangAlways: true,
  };
  const child = spawn(process.execPath, [path, JSON.stringify(script)], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await eventually(async () => (await machine().ask())?.['state'] === 'ready', 'a daemon');
  await machine().session();
  expect(await exitOf(child)).toBe(1);
  expect(readFileSync(journal, 'utf8')).toContain('an embedding did not come back');
  await machine().session();
});

test.skipIf(skipped !== '')(
  `a database that is held by another process: every prompt in time, and a few lines in the log, not one for each${skipped}`,
  WITH_MODEL,
  async () => {
    const sqlite = await loadSqlite();
    if (sqlite.state !== 'ok') throw new Error(sqlite.reason);
    const child = await machine().daemon();
    const held = sqlite.open(join(machine().home, 'memory.db'));
    onTestFinished(() => void held.close());
    held.exec('BEGIN EXCLUSIVE');
    const { endpoint } = machine();
    const connection = await connect(endpoint, '0.0.0', 2_000);
    if (connection.state === 'absent') throw new Error(connection.detail);
    for (let request = 0; request < 20; request++) {
      const project = machine().folder;
      await connection.call('score', { texts: [`text ${request}`], query: 'text', project }, 1_000);
      await connection.call('recall', { query: 'port', project, session: 's', key: String(request) }, 1_000);
    }
    connection.close();
    expect(machine().log().split('\n').length).toBeLessThan(8);
    await machine().session();
    held.exec('COMMIT');
    expect(await machine().ask()).toMatchObject({ pid: child.pid });
  },
);
