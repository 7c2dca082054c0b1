/** The daemon itself when it is killed, stopped, crowded, raced or left: hooks answer in time, and there is one daemon again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually, exitOf, hookScript, install, type Machine, machineRig, skipped } from './support/machine.ts';

const WITH_MODEL = { timeout: 180_000 };

const runningOn = (machine: Machine): Promise<Readonly<Record<string, unknown>>> =>
  eventually(() => machine.ask(), 'a daemon', 50_000);

describe('one daemon, to which all of this happens', () => {
  const machine = machineRig('block');
  let child: ChildProcess | undefined;
  beforeAll(async () => {
    if (skipped === '') child = await machine().daemon();
  }, 180_000);
  const daemon = (): ChildProcess => {
    if (child === undefined) throw new Error('there is none');
    return child;
  };

  test.skipIf(skipped !== '')(
    `2,000 half-open connections: hooks are answered all the same${skipped}`,
    WITH_MODEL,
    async () => {
      const before = await runningOn(machine());
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
      const status = await runningOn(machine());
      // This question, and what the hooks asked.
      expect(Number(status['requests'])).toBeGreaterThan(Number(before['requests']) + 1);
      expect(Number(status['connections'])).toBeLessThanOrEqual(256);
    },
  );

  test.skipIf(skipped !== '')(
    `hooks that are killed while they ask leave nothing behind${skipped}`,
    WITH_MODEL,
    async () => {
      const { pid } = daemon();
      const { cli, env } = machine();
      for (let round = 0; round < 8; round++) {
        const child = spawn(process.execPath, [hookScript(cli), 'hook', 'user-prompt-submit'], {
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
      // What is at work for one who has gone ends a moment after its connection.
      const idle = { connections: 1, queue: expect.objectContaining({ query: 0, score: 0, recall: 0 }) };
      await expect.poll(() => machine().ask(), { timeout: 40_000 }).toMatchObject({ ...idle, pid });
    },
  );

  test.skipIf(skipped !== '')(
    `SIGSTOP: hooks in time, no fight, the truth for a person; SIGCONT: all as before${skipped}`,
    WITH_MODEL,
    async () => {
      const child = daemon();
      child.kill('SIGSTOP');
      const words = `another daemon, process ${child.pid}, holds the lock and does not answer`;
      const silent = { running: false, reason: 'silent', detail: expect.stringContaining(words) };
      const [begun, status, , ...told] = await Promise.all([
        machine().hook('session-start'),
        machine().status(),
        machine().session(),
        ...['start', 'stop'].map((verb) => machine().run(['daemon', verb])),
      ]);
      expect(begun).toBe('');
      expect(status).toMatchObject(silent);
      for (const ran of told) expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(words) });
      child.kill('SIGCONT');
      expect(await runningOn(machine())).toMatchObject({ pid: child.pid });
      await machine().session();
    },
  );

  test.skipIf(skipped !== '')(
    `a daemon that ends while it is asked: every hook has its answer${skipped}`,
    WITH_MODEL,
    async () => {
      const child = daemon();
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
});

describe('a machine for each', () => {
  const machine = machineRig();

  test.skipIf(skipped !== '')(
    `an endless loop in it, then kill −9: hooks go on without it, and the next has a new one${skipped}`,
    WITH_MODEL,
    async () => {
      const loop = `data:text/javascript,${encodeURIComponent("process.on('SIGUSR2', () => { for (;;); });")}`;
      const child = await machine().daemon({ until: 'answers', env: { NODE_OPTIONS: `--import=${loop}` } });
      child.kill('SIGUSR2');
      await eventually(async () => (await machine().ask()) === undefined, 'its silence');
      // It takes connections still, and signals no more.
      const words = `another daemon, process ${child.pid}, holds the lock and does not answer`;
      const [begun, status, , ...told] = await Promise.all([
        machine().hook('session-start'),
        machine().status(),
        machine().session(),
        ...['start', 'stop'].map((verb) => machine().run(['daemon', verb])),
      ]);
      expect(begun).toBe('');
      expect(status).toMatchObject({ running: false, reason: 'silent', detail: expect.stringContaining(words) });
      for (const ran of told) expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(words) });
      child.kill('SIGTERM');
      await machine().session();
      expect(child.exitCode ?? child.signalCode).toBeNull();
      child.kill('SIGKILL');
      await exitOf(child);
      // Of the dead one nothing is said; one that a hook had started may have its place before this is asked, and no words yet.
      const after = await machine().status();
      expect([true, 'none', 'silent']).toContain(after['running'] || after['reason']);
      expect([after['pid'], after['detail']].join(' ')).not.toMatch(new RegExp(`\\b${child.pid}\\b`));
      // Hooks that met the silent one have tried to start another: the pauses between attempts grow.
      const { pid } = await eventually(
        async () => {
          await machine().session();
          return machine().ask();
        },
        'a daemon',
        50_000,
      );
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

  test.skipIf(skipped !== '')(`twenty sessions that begin at once start one daemon${skipped}`, WITH_MODEL, async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => machine().hook('session-start')));
    expect(new Set(answers)).toEqual(new Set(['']));
    const { pid } = await runningOn(machine());
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
      expect(await runningOn(machine())).toMatchObject({ pid });
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
    await runningOn(machine());
  });

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
      expect((await runningOn(machine()))['pid']).not.toBe(process.pid);
      expect(readFileSync(join(folder, `${name}.pid`), 'utf8')).toBe(`${process.pid}\n`);
    },
  );
});
