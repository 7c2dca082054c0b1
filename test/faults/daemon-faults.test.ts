/** The daemon itself when it is killed, stopped, crowded, raced or left: hooks answer in time, and there is one daemon again. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, exitOf, expectInTime, install, machineRig, skipped } from './support/machine.ts';

const machine = machineRig();
const WITH_MODEL = { timeout: 90_000 };

const running = (): Promise<Readonly<Record<string, unknown>>> => eventually(() => machine().ask(), 'a daemon', 50_000);

test.skipIf(skipped !== '')(
  `kill −9: hooks go on without it, and the next has a new one${skipped}`,
  WITH_MODEL,
  async () => {
    const child = await machine().daemon();
    child.kill('SIGKILL');
    await exitOf(child);
    // The socket is there still, and nobody behind it.
    expect(readdirSync(machine().runtimeDir)).toContain(`${machine().endpoint.name}.sock`);
    expect(await machine().status()).toMatchObject({ running: false, reason: 'none' });
    await machine().session();
    const { pid } = await running();
    expect(pid).not.toBe(child.pid);
    // In the middle of a request, or about there.
    let isOver = false;
    const guide = machine()
      .guide()
      .finally(() => {
        isOver = true;
      });
    // Its request may be shorter than the time between two looks.
    await eventually(async () => isOver || Number((await machine().ask())?.['connections'] ?? 2) > 1, 'the hook');
    process.kill(Number(pid), 'SIGKILL');
    await guide;
  },
);

test.skipIf(skipped !== '')(
  `SIGSTOP: hooks in time, no fight, the truth for a person; SIGCONT: all as before${skipped}`,
  WITH_MODEL,
  async () => {
    const child = await machine().daemon();
    child.kill('SIGSTOP');
    await machine().session();
    expect(await machine().hook('session-start')).toBe('');
    const words = `another daemon, process ${child.pid}, holds the lock and does not answer`;
    const silent = { running: false, reason: 'silent', detail: expect.stringContaining(words) };
    expect(await machine().status()).toMatchObject(silent);
    for (const verb of ['start', 'stop']) {
      expect(await machine().run(['daemon', verb])).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(words),
      });
    }
    child.kill('SIGCONT');
    expect(await running()).toMatchObject({ pid: child.pid });
    await machine().session();
    expect(await machine().run(['daemon', 'stop'])).toMatchObject({ exitCode: 0 });
    expect(await exitOf(child)).toBe(0);
  },
);

test.skipIf(skipped !== '')(`twenty sessions that begin at once start one daemon${skipped}`, WITH_MODEL, async () => {
  const input = `{"session_id":"s","source":"startup","transcript_path":"${machine().folder}/none.jsonl"}`;
  const hooks = Array.from({ length: 20 }, () => machine().run(['hook', 'session-start'], { input }));
  for (const ran of await Promise.all(hooks)) {
    expect(ran).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    await expectInTime(ran, 4_000);
  }
  const { pid } = await running();
  expect(
    await eventually(async () => (await machine().ask())?.['state'] === 'ready' && machine().ask(), 'its model'),
  ).toMatchObject({ pid });
  // Others that were started saw the lock, and said nothing.
  expect(machine().log()).not.toMatch(/daemon (?:ended|failed|impossible)/);
});

test.skipIf(skipped !== '')(
  `two builds on one machine: the newer one's daemon stays, and both are answered${skipped}`,
  WITH_MODEL,
  async () => {
    const newer = install({ version: '99.0.0' });
    onTestFinished(newer.remove);
    const older = await machine().daemon();
    // Asked by the newer one, the older answers and goes.
    expect(await machine().status({ cli: newer.cli })).toMatchObject({ running: true, pid: older.pid });
    expect(await exitOf(older)).toBe(0);
    const { pid } = await machine().daemon({ cli: newer.cli });
    // The older build asks it, and leaves it there.
    await machine().session();
    expect(await machine().status({ cli: newer.cli })).toMatchObject({ running: true, build: '99.0.0', pid });
  },
);

test('no process can be started: hooks answer, and a person is told', async () => {
  // Node's own permissions forbid native packages too: there is no database either.
  const [major] = process.versions.node.split('.').map(Number);
  const permission = (major ?? 0) >= 23 ? '--permission' : '--experimental-permission';
  const flags = [permission, '--allow-fs-read=*', '--allow-fs-write=*', '--no-warnings'];
  expect(await machine().hook('session-start', { flags })).toBe('');
  expect(await machine().hook('user-prompt-submit', { flags })).toBe('');
  await machine().guide({ flags });
  const started = await machine().run(['daemon', 'start'], { flags });
  expect(started).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('the daemon could not be started') });
});

test.skipIf(skipped !== '')(
  `no node on the PATH: the daemon is started with the node that runs${skipped}`,
  WITH_MODEL,
  async () => {
    const env = { PATH: '/nonexistent' };
    expect(await machine().hook('session-start', { env })).toBe('');
    await machine().session({ env });
    expect(await eventually(async () => (await machine().ask())?.['state'] === 'ready', 'a daemon')).toBe(true);
  },
);

test.skipIf(skipped !== '')(`a clock that was set back puts no start off${skipped}`, WITH_MODEL, async () => {
  const { folder, name } = machine().endpoint;
  const marks = (): string[] => readdirSync(folder).filter((file) => file.startsWith(`${name}.start-`));
  machine().startNone();
  await machine().hook('pre-compact');
  expect(marks()).toEqual([`${name}.start-20`]);
  const tomorrow = Date.now() / 1_000 + 86_400;
  utimesSync(join(folder, `${name}.start-20`), tomorrow, tomorrow);
  await machine().hook('pre-compact');
  // Noted by the clock as it is now, so that the next one waits again.
  expect(marks()).toEqual([`${name}.start-21`]);
  expect(statSync(join(folder, `${name}.start-21`)).mtimeMs / 1_000).toBeLessThan(tomorrow - 3_600);
  await running();
});

test.skipIf(skipped !== '')(
  `2,000 half-open connections: hooks are answered all the same${skipped}`,
  WITH_MODEL,
  async () => {
    await machine().daemon();
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (let round = 0; round < 20; round++) {
      const opened = Array.from({ length: 100 }, (_, index) => {
        const socket = connectSocket(machine().endpoint.socket);
        sockets.push(socket);
        socket.on('error', () => undefined);
        return new Promise<void>((resolve) => {
          socket.once('error', () => resolve());
          socket.once('connect', () => {
            if (index % 2 === 0) socket.write('{"id":1,"verb":"sta');
            resolve();
          });
        });
      });
      await Promise.all(opened);
    }
    await machine().session();
    const status = await running();
    expect(Number(status['requests'])).toBeGreaterThan(1);
    expect(Number(status['connections'])).toBeLessThanOrEqual(256);
  },
);

test.skipIf(skipped !== '')(
  `hooks that are killed while they ask leave nothing behind${skipped}`,
  WITH_MODEL,
  async () => {
    const { pid } = await machine().daemon();
    const { cli, env } = machine();
    for (let round = 0; round < 8; round++) {
      const child = spawn(process.execPath, [cli, 'hook', 'user-prompt-submit'], {
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      child.stdin.on('error', () => undefined);
      child.stdin.end('{"session_id":"s","prompt":"On which port does staging listen?"}\n');
      // At another moment each time.
      await new Promise((resolve) => setTimeout(resolve, 30 * round));
      child.kill('SIGKILL');
      await exitOf(child);
    }
    await machine().session();
    const idle = await eventually(async () => {
      const status = await machine().ask();
      return status?.['connections'] === 1 && status;
    }, 'an end of their connections');
    expect(idle).toMatchObject({ pid, queue: { query: 0, score: 0, recall: 0 } });
  },
);

test.skipIf(skipped !== '')(
  `a daemon that ends while it is asked: every hook has its answer${skipped}`,
  WITH_MODEL,
  async () => {
    const child = await machine().daemon();
    const guides: Promise<void>[] = [];
    for (let round = 0; round < 4; round++) {
      guides.push(machine().guide());
      await new Promise((resolve) => setTimeout(resolve, 40));
      if (round === 2) child.kill('SIGTERM');
    }
    await Promise.all(guides);
    expect(await exitOf(child)).toBe(0);
  },
);

test.skipIf(skipped !== '')(
  `files with the number of a process that lives: no obstacle, and none of its business${skipped}`,
  WITH_MODEL,
  async () => {
    machine().startNone();
    const { folder, name } = machine().endpoint;
    for (const end of ['lock', 'sock', 'new', 'pid']) {
      writeFileSync(join(folder, `${name}.${end}`), `${process.pid}\n`, { mode: 0o600 });
    }
    expect(await machine().status()).toMatchObject({ running: false, reason: 'none' });
    await machine().session();
    expect(await machine().run(['daemon', 'start'])).toMatchObject({ exitCode: 0 });
    expect((await running())['pid']).not.toBe(process.pid);
    expect(readFileSync(join(folder, `${name}.pid`), 'utf8')).toBe(`${process.pid}\n`);
  },
);
