/** Whatever is at the other end of the socket, a client has its answer within its deadline. */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Absence, type AbsenceReason, connect, type Outcome } from '../../src/daemon/client.ts';
import { reachDaemon } from '../../src/daemon/reach.ts';
import { createRecaller } from '../../src/daemon/recaller.ts';
import { createScorer } from '../../src/daemon/scorer.ts';
import type { Scorer } from '../../src/ports/scores.ts';
import { inTime } from '../support/time.ts';
import { BUILD, daemonRig, eventually, exitOf, MODEL } from './support/rig.ts';

const rig = daemonRig();
/** What a call may take beyond its deadline: being woken up. */
const SLACK_MS = 150;

let server: Server | undefined;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
});

/** Someone else at the daemon's address. */
async function stranger(behave: (socket: Socket) => void): Promise<void> {
  mkdirSync(rig().runtimeDir, { recursive: true, mode: 0o700 });
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    behave(socket);
  });
  await new Promise<void>((resolve) => server?.listen(rig().endpoint.socket, resolve));
}

const hello = { chitta: 1, build: BUILD, model: MODEL, state: 'ready' };
const say = (value: unknown): string => `${JSON.stringify(value)}\n`;

async function greeted(withinMs = 300): Promise<Absence> {
  const result = await inTime(Math.min(withinMs, 300), SLACK_MS, () => connect(rig().endpoint, BUILD, withinMs));
  if (result.state === 'connected') throw new Error('nobody was expected');
  return result;
}

async function called(deadlineMs: number): Promise<Outcome> {
  const connection = await rig().connected();
  const result = await inTime(deadlineMs, SLACK_MS, () => connection.call('status', {}, deadlineMs));
  connection.close();
  return result;
}

test('no folder and no socket: there is no daemon', async () => {
  expect(await greeted()).toMatchObject({ reason: 'none' });
  mkdirSync(rig().runtimeDir, { mode: 0o700 });
  expect(await greeted()).toMatchObject({ reason: 'none' });
});

test('a socket file left by a daemon that was killed: there is no daemon', async () => {
  const child = await rig().daemon();
  child.kill('SIGKILL');
  await exitOf(child);
  expect(await greeted()).toMatchObject({ reason: 'none' });
});

const strangers: [string, (socket: Socket) => void, AbsenceReason][] = [
  ['accepts and never answers', () => undefined, 'silent'],
  ['sends garbage', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), 'garbage'],
  ['sends JSON that is no hello', (socket) => socket.write(say({ hello: 'world' })), 'garbage'],
  ['sends half a hello and then nothing', (socket) => socket.write(say(hello).slice(0, 20)), 'silent'],
  ['sends one byte at a time', (socket) => void drip(socket), 'silent'],
  ['sends a line without end', (socket) => socket.write('x'.repeat(100_000)), 'garbage'],
  ['speaks another protocol', (socket) => socket.write(say({ ...hello, chitta: 2 })), 'other-protocol'],
  ['has another model', (socket) => socket.write(say({ ...hello, model: 'other-2' })), 'other-model'],
  ['hangs up', (socket) => socket.destroy(), 'closed'],
];

async function drip(socket: Socket): Promise<void> {
  for (const byte of say(hello)) {
    if (socket.destroyed) return;
    socket.write(byte);
    await pause(50);
  }
}

test.each(strangers)('a listener that %s: no daemon, in time, with a reason', async (_what, behave, reason) => {
  await stranger(behave);
  expect(await greeted()).toMatchObject({ state: 'absent', reason });
});

test('a shorter deadline than 300 ms is kept as well', async () => {
  await stranger(() => undefined);
  expect(await greeted(40)).toMatchObject({ reason: 'silent' });
});

const liars: [string, (socket: Socket) => void, Outcome][] = [
  ['never replies', () => undefined, { state: 'late' }],
  ['sends half a reply', (socket) => socket.write('{"id":1,"ok":tr'), { state: 'late' }],
  ['answers something else', (socket) => socket.write(say({ id: 99, ok: true, result: {} })), { state: 'late' }],
  ['sends garbage', (socket) => socket.write('nonsense\n'), expectAbsent('garbage')],
  ['hangs up', (socket) => socket.destroy(), expectAbsent('closed')],
];

function expectAbsent(reason: AbsenceReason): Absence {
  return { state: 'absent', reason, detail: expect.any(String) as string };
}

test.each(liars)('a server that says hello and then %s: the call ends in time', async (_what, behave, outcome) => {
  await stranger((socket) => {
    socket.write(say(hello));
    socket.once('data', () => behave(socket));
  });
  expect(await called(300)).toEqual(outcome);
});

test('a reply of 100 MB in one line is not read to its end', async () => {
  const block = Buffer.alloc(1_048_576, 'x');
  let sent = 0;
  await stranger((socket) => {
    socket.write(say(hello));
    const more = (): void => {
      while (sent < 100 && !socket.destroyed) {
        sent++;
        if (!socket.write(block)) return;
      }
    };
    socket.on('drain', more);
    socket.once('data', more);
  });
  expect(await called(5_000)).toMatchObject({ state: 'absent', reason: 'garbage' });
  expect(sent).toBeLessThan(60);
});

test('kill −9 during a request: the call ends at once, and the next daemon knows what was written down', async () => {
  const cache = join(rig().folder, 'cache');
  const child = await rig().daemon({ embedMs: 150, cache });
  await eventually(() => rig().journal('serving')[0], 'the model');
  const connection = await rig().connected();
  const texts = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];
  const running = connection.call('score', { texts }, 20_000);
  await eventually(() => existsSync(cache), 'some vectors');
  child.kill('SIGKILL');
  expect(await inTime(5_000, SLACK_MS, () => running)).toMatchObject({ state: 'absent', reason: 'closed' });
  const before = rig().journal('embed').length;
  await rig().daemon({ cache });
  await eventually(() => rig().journal('serving')[1], 'the model');
  const again = await rig().connected();
  expect(await again.call('score', { texts }, 5_000)).toMatchObject({ result: { vectors: { used: 6, total: 6 } } });
  again.close();
  expect(rig().journal('embed').length - before).toBeLessThan(6);
});

test('a daemon that was stopped is absent while it is, and answers afterwards', async () => {
  const child = await rig().daemon();
  child.kill('SIGSTOP');
  expect(await greeted()).toMatchObject({ reason: 'silent' });
  const second = rig().spawn();
  expect(await exitOf(second)).toBe(0);
  expect(rig().journal('over')).toEqual(['over busy']);
  child.kill('SIGCONT');
  expect(await called(2_000)).toMatchObject({ state: 'answered', result: { pid: child.pid } });
});

const unsafe: [string, () => void][] = [
  ['open to others', () => mkdirSync(rig().runtimeDir) ?? chmodSync(rig().runtimeDir, 0o777)],
  [
    'a link',
    () => {
      mkdirSync(join(rig().folder, 'elsewhere'), { mode: 0o700 });
      symlinkSync(join(rig().folder, 'elsewhere'), rig().runtimeDir);
    },
  ],
  ['a file', () => writeFileSync(rig().runtimeDir, '')],
];
if (process.getuid?.() === 0) {
  unsafe.push([
    'another user’s',
    () => mkdirSync(rig().runtimeDir, { mode: 0o700 }) ?? chownSync(rig().runtimeDir, 54_321, 54_321),
  ]);
}

test.each(unsafe)('a runtime folder that is %s is used neither by a client nor by a daemon', async (_what, make) => {
  make();
  expect(await greeted()).toMatchObject({ reason: 'unsafe' });
  await exitOf(rig().spawn());
  expect(rig().journal('over')).toEqual(['over impossible']);
});

function scorer(log: (line: string) => void = () => undefined): Scorer {
  const { endpoint, home } = rig();
  return createScorer(
    reachDaemon({ endpoint, home, build: BUILD, env: process.env, command: rig().command(), log }),
    log,
  );
}

test('the scorer answers undefined where there is no daemon, and has one started, once', async () => {
  const log: string[] = [];
  const { score } = scorer((line) => log.push(line));
  const request = { texts: ['a'], query: 'a', sourceIds: [undefined], project: undefined, deadlineMs: 2_000 };
  expect(await score(request)).toBeUndefined();
  // It is on its way already: the process that asked could end now.
  expect(readdirSync(rig().runtimeDir).filter((name) => name.includes('.start-'))).toHaveLength(1);
  await eventually(() => rig().journal('serving')[0], 'a daemon');
  expect(await score(request)).toMatchObject({ similarity: [expect.closeTo(1, 5)] });
  expect({ log, daemons: rig().journal('serving') }).toEqual({ log: [], daemons: ['serving'] });
});

test('the scorer sends many and long texts in parts, and puts the numbers together in order', async () => {
  await rig().daemon({ remembered: ['word z'] });
  await eventually(() => rig().journal('serving')[0], 'the model');
  const texts = Array.from({ length: 60 }, (_, index) => (index === 7 ? 'word z' : `${'a'.repeat(40_000)} ${index}`));
  const sourceIds = texts.map(() => undefined);
  const log: string[] = [];
  const request = { texts, query: 'z', sourceIds, project: undefined, deadlineMs: 20_000 };
  const scores = await scorer((line) => log.push(line)).score(request);
  expect(log).toEqual([]);
  expect(scores?.similarity).toHaveLength(60);
  expect(scores?.similarity?.findIndex((number) => number !== undefined && number > 0)).toBe(7);
  expect(scores?.coverage?.flatMap((number, index) => (number === 1 ? [index] : []))).toEqual([7]);
});

test('the scorer keeps its deadline when the daemon is too slow for it', async () => {
  await rig().daemon({ embedMs: 2_000 });
  const sourceIds = [undefined, undefined];
  const request = { texts: ['one', 'two'], query: 'three', sourceIds, project: undefined, deadlineMs: 400 };
  const result = await inTime(400, SLACK_MS, () => scorer().score(request));
  expect(result?.similarity).toBeUndefined();
});

test('memories like a question, and a whole recall; undefined where the vector is late or nobody is there', async () => {
  const { endpoint, home } = rig();
  const command = rig().command({ remembered: ['the parser'] });
  const recaller = createRecaller(
    reachDaemon({ endpoint, home, build: BUILD, env: process.env, command, log: () => undefined }),
    () => undefined,
  );
  expect(await recaller.recall('parser', { project: undefined, limit: 3, deadlineMs: 500 })).toBeUndefined();
  await eventually(() => rig().journal('serving')[0], 'a daemon');
  expect(await recaller.similar('parser', undefined, 3, 2_000)).toEqual([{ id: 0, cosine: 0.9 }]);
  expect(await recaller.recall('parser', { project: undefined, limit: 3, queryTokens: 48, deadlineMs: 2_000 })).toEqual(
    {
      hits: [{ text: 'the parser', vector: true }],
      embedding: true,
    },
  );
});
