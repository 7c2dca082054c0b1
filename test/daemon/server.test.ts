/** What the verbs answer, and that no client stands in the way of another. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Outcome } from '../../src/daemon/client.ts';
import { daemonRig, eventually } from './support/rig.ts';

const rig = daemonRig();
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A bare connection, on which a test says what it likes; what comes back is collected. */
async function bare(): Promise<{ socket: Socket; received: () => string }> {
  const socket = connectSocket(rig().endpoint.socket);
  sockets.push(socket);
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => (text += bytes.toString()));
  // A full queue of connections is an error at once.
  await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
  return { socket, received: () => text };
}

/** Asks once, on a connection of its own. */
async function ask(
  verb: Parameters<Awaited<ReturnType<typeof connected>>['call']>[0],
  params = {},
  deadlineMs = 5_000,
): Promise<Outcome> {
  const connection = await connected();
  const outcome = await connection.call(verb, params, deadlineMs);
  connection.close();
  return outcome;
}

const connected = (): ReturnType<ReturnType<typeof rig>['connected']> => rig().connected();

test('score: cosines to the query, coverage, and how many vectors it had; no number where there are no words', async () => {
  await rig().daemon({ remembered: ['the parser'] });
  const texts = ['the parser', 'zzz', '', '12 34'];
  expect(await ask('score', { texts, query: 'the parser' })).toMatchObject({
    result: {
      similarity: [expect.closeTo(1, 5), 0, null, null],
      coverage: [1, 0, null, null],
      vectors: { used: 2, total: 3 },
    },
  });
  expect(await ask('score', { texts })).toMatchObject({ result: { similarity: null } });
});

test('score: what is late is embedded afterwards, the newest first, and known the next time', async () => {
  await rig().daemon({ embedMs: 60 });
  await eventually(() => rig().journal('serving')[0], 'the model');
  const texts = Array.from({ length: 12 }, (_, index) => `text ${'abcdefghijkl'[index]}`);
  const { result } = await rig().told('score', { texts }, 250);
  expect(result).toMatchObject({ vectors: { total: 12 } });
  expect(result).not.toMatchObject({ vectors: { used: 12 } });
  expect(rig().journal('embed')[0]).toBe('embed text l');
  await eventually(async () => {
    const status = await ask('status');
    return status.state === 'answered' && status.result['embedded'] === 12;
  }, 'the rest');
  expect(await ask('score', { texts })).toMatchObject({ result: { vectors: { used: 12, total: 12 } } });
  expect(rig().journal('embed')).toHaveLength(12);
});

test('score: the work of a client that has gone is dropped', async () => {
  await rig().daemon({ embedMs: 400 });
  await eventually(() => rig().journal('serving')[0], 'the model');
  const connection = await connected();
  const running = connection.call('score', { texts: Array.from({ length: 20 }, (_, index) => `gone ${index}`) }, 9_000);
  await eventually(() => rig().journal('embed')[0], 'work');
  connection.close();
  await running;
  await ask('score', { texts: ['present'] });
  expect(rig().journal('embed').length).toBeLessThan(12);
});

test('secrets are masked before anything is embedded', async () => {
  await rig().daemon();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  await ask('score', { texts: [`export GITHUB_TOKEN=${token}`], query: `why ${token}` });
  expect(rig().journal('embed')).toHaveLength(2);
  expect(rig().journal('embed').join()).not.toContain(token);
});

test('the same text wanted by many is embedded once', async () => {
  await rig().daemon({ embedMs: 150 });
  await Promise.all(Array.from({ length: 5 }, () => ask('score', { texts: ['shared', 'shared'] })));
  expect(rig().journal('embed shared')).toHaveLength(1);
});

test('a client with one text does not wait for one with many, nor a question for either', async () => {
  await rig().daemon({ embedMs: 200 });
  await eventually(() => rig().journal('serving')[0], 'the model');
  const connection = await connected();
  const many = connection.call('score', { texts: Array.from({ length: 60 }, (_, index) => `many ${index}`) }, 20_000);
  await eventually(() => rig().journal('embed many')[0], 'work');
  await ask('score', { texts: ['one'], query: 'question' });
  expect(rig().journal('embed many').length).toBeLessThan(30);
  connection.close();
  await many;
});

test('embed: vectors as base64 of their floats', async () => {
  await rig().daemon();
  const outcome = await ask('embed', { texts: ['a', ''] });
  const expected = Buffer.from(Float32Array.of(1, ...Array.from({ length: 25 }, () => 0)).buffer).toString('base64');
  expect(outcome).toMatchObject({ result: { vectors: [expected, null], complete: true } });
});

test('recall: hits by words alone when the question’s vector is late', async () => {
  await rig().daemon({ remembered: ['the parser'], embedMs: 1_000 });
  await eventually(() => rig().journal('serving')[0], 'the model');
  expect(await rig().told('recall', { query: 'parser' }, 150)).toMatchObject({
    result: { hits: [{ vector: false }], vector: false },
  });
});

test('memories without vectors get them, when the model is there and nothing else is to be done', async () => {
  await rig().daemon({ remembered: ['alpha', 'beta', '…'] });
  await eventually(() => rig().journal('memory').length === 2, 'two vectors');
  expect(rig().journal('memory')).toEqual(['memory 0', 'memory 1']);
});

test('follow: what is appended to a transcript is embedded, until the file is gone', async () => {
  await rig().daemon({ followEveryMs: 50 });
  const path = join(rig().folder, 'session.jsonl');
  writeFileSync(path, 'first turn\n');
  expect(await ask('follow', { path, session: 's' })).toMatchObject({ result: { following: 1 } });
  await eventually(() => rig().journal('embed first turn')[0], 'the first turn');
  appendFileSync(path, 'second turn\n');
  await eventually(() => rig().journal('embed second turn')[0], 'the second turn');
  expect(rig().journal('embed first turn')).toHaveLength(1);
  expect(await ask('status')).toMatchObject({ result: { followed: [path] } });
  rmSync(path);
  await eventually(async () => {
    const status = await ask('status');
    return status.state === 'answered' && (status.result['followed'] as string[]).length === 0;
  }, 'the end of it');
});

test('follow: stops when told, and follows at most sixteen', async () => {
  await rig().daemon();
  const paths = Array.from({ length: 18 }, (_, index) => join(rig().folder, `${index}.jsonl`));
  for (const path of paths) {
    writeFileSync(path, 'turn\n');
    await ask('follow', { path });
  }
  expect(await ask('status')).toMatchObject({ result: { followed: paths.slice(2) } });
  expect(await ask('follow', { path: paths[17], stop: true })).toMatchObject({ result: { stopped: true } });
});

test.each([
  ['score', {}],
  ['score', { texts: [1] }],
  ['score', { texts: ['a'], source_ids: [] }],
  ['score', { texts: ['a'], query: 7 }],
  ['score', { texts: ['a'], query: 'a', query_tokens: 0 }],
  ['score', { texts: Array.from({ length: 5_001 }, () => '') }],
  ['recall', { query: '' }],
  ['recall', { query: 'a', limit: 1_001 }],
  ['follow', {}],
] as const)('%s with wrong parameters is refused, and the connection goes on', async (verb, params) => {
  await rig().daemon();
  const connection = await connected();
  expect(await connection.call(verb, params, 2_000)).toMatchObject({ state: 'refused', code: 'invalid' });
  expect(await connection.call('status', {}, 2_000)).toMatchObject({ state: 'answered' });
  connection.close();
});

test.each([
  ['no JSON', 'GET / HTTP/1.1\r\n\r\n'],
  ['null', 'null\n'],
  ['a list', '[]\n'],
  ['a request without an id', '{"verb":"status"}\n'],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x0a])],
])('%s: one word about it, the end of that connection, and nothing else', async (_what, words) => {
  await rig().daemon();
  const { socket, received } = await bare();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(words);
  await closed;
  expect(received()).toContain('"code":"invalid"');
  expect(await ask('status')).toMatchObject({ state: 'answered' });
});

test('a line without end is cut off at one megabyte', async () => {
  await rig().daemon();
  const { socket, received } = await bare();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(Buffer.alloc(6 * 1_048_576, 'x'));
  await closed;
  expect(received()).not.toContain('"ok":true');
  expect(await ask('status')).toMatchObject({ state: 'answered' });
});

test('two thousand half-open connections do not keep others out, and go away by themselves', async () => {
  const child = await rig().daemon({ stillMs: 1_500 });
  for (let index = 0; index < 2_000; index++) {
    const { socket } = await bare();
    if (index % 2 === 0) socket.write('{"id":1,"verb":"sta');
  }
  expect(await ask('status')).toMatchObject({ state: 'answered', result: { connections: expect.any(Number) } });
  await eventually(async () => {
    const status = await ask('status');
    return status.state === 'answered' && status.result['connections'] === 1;
  }, 'an end of them');
  expect(child.exitCode).toBeNull();
}, 60_000);

test('a client that never reads is let go; others are answered meanwhile', async () => {
  await rig().daemon({ stillMs: 3_000 });
  const { socket } = await bare();
  socket.pause();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const texts = Array.from({ length: 5_000 }, () => 'a');
  const others: string[] = [];
  const request = { verb: 'embed', deadline_ms: 20_000, build: '1.0.0', params: { texts } };
  for (let id = 0; id < 120; id++) {
    if (socket.destroyed) break;
    socket.write(`${JSON.stringify({ ...request, id })}\n`);
    if (id % 10 === 0) others.push((await ask('status')).state);
  }
  expect(new Set(others)).toEqual(new Set(['answered']));
  socket.resume();
  await closed;
}, 60_000);

test('more requests at once than one client may have are refused, the others answered', async () => {
  await rig().daemon({ embedMs: 300 });
  const connection = await connected();
  const calls = Array.from({ length: 40 }, (_, index) =>
    connection.call('score', { texts: [`text ${index % 3}`] }, 10_000),
  );
  const outcomes = await Promise.all(calls);
  expect(outcomes.filter(({ state }) => state === 'answered')).toHaveLength(32);
  expect(outcomes.filter((outcome) => outcome.state === 'refused' && outcome.code === 'refused')).toHaveLength(8);
  connection.close();
});

test('a request with much to do gives way to others all the time', { timeout: 60_000 }, async () => {
  await rig().daemon({ remembered: ['word'] });
  await eventually(() => rig().journal('serving')[0], 'the model');
  const [long, other] = [await connected(), await connected()];
  // As many texts as a request may have; a line holds one megabyte.
  const texts = Array.from(
    { length: 5_000 },
    (_, index) => `${index} ${'the parser reads "src/date.ts", line 12; café. '.repeat(3)}`,
  );
  let answer: Outcome | undefined;
  const work = long.call('score', { texts, query: 'the parser' }, 40_000).then((outcome) => (answer = outcome));
  // Each is asked once the one before it has its answer: two in a row are two turns.
  let meanwhile = 0;
  for (let asked = 1; ; asked++) {
    const status = await other.call('status', {}, 20_000);
    expect(status).toMatchObject({ state: 'answered' });
    const others = Number(status.state === 'answered' && status.result['requests']) - asked;
    // From the moment on at which it is there whole.
    if (answer !== undefined) break;
    if (others > 0) meanwhile += 1;
  }
  await work;
  expect(answer).toMatchObject({ state: 'answered', result: { vectors: { total: 5_000 } } });
  expect(meanwhile).toBeGreaterThan(5);
  for (const connection of [long, other]) connection.close();
});
