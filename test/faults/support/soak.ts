/**
 * Thousands of requests to one daemon, good ones and faults, several clients at a time. Good ones must be answered as the first of
 * their kind was; afterwards the daemon must hold no more descriptors, and little more memory, than before.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { connect as connectSocket, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { connect, type Connection } from '../../../src/daemon/client.ts';
import type { Endpoint } from '../../../src/daemon/places.ts';
import type { Verb } from '../../../src/protocol/frames.ts';

export interface SoakOptions {
  readonly endpoint: Endpoint;
  readonly build: string;
  readonly pid: number;
  /** Before memory is measured: buffers and compiled code grow at first, for some thousand requests. */
  readonly warmUp: number;
  readonly requests: number;
  readonly seed: number;
}

export interface SoakResult {
  readonly good: number;
  readonly faults: number;
  /** Good requests that were not answered as they should be; the first few in words. */
  readonly wrong: number;
  readonly wrongs: readonly string[];
  readonly descriptors: readonly [before: number, after: number];
  readonly rssBytes: readonly [before: number, after: number];
  readonly tookMs: number;
}

const CLIENTS = 4;
const FAULT_SHARE = 0.05;
const DEADLINE_MS = 30_000;
/** Requests on one connection, before a new one is opened. */
const PER_CONNECTION = 20;

const WORDS = 'parser river column socket anchor meadow ledger copper window harbour lantern orchard'.split(' ');
const TEXTS: readonly string[] = Array.from({ length: 200 }, (_, index) => {
  const word = (step: number): string => WORDS[(index * step + (index >> 3)) % WORDS.length] ?? '';
  return `The ${word(1)} of the ${word(5)} and the ${word(7)}, number ${index}.`;
});

/** A small generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Good {
  readonly verb: Verb;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Of a few kinds, so that each comes up often. */
function goodOnes(): Good[] {
  const part = (from: number): readonly string[] => TEXTS.slice(from * 10, from * 10 + 10);
  return Array.from({ length: 20 }, (_, from) => from).flatMap((from): Good[] => [
    { verb: 'score', params: { texts: part(from), query: TEXTS[(from * 37) % TEXTS.length] } },
    { verb: 'score', params: { texts: part(from) } },
    { verb: 'embed', params: { texts: part(from).slice(0, 3) } },
    { verb: 'recall', params: { query: TEXTS[from], similar: true, limit: 3 } },
    { verb: 'warm', params: { texts: part(from) } },
  ]);
}

function bare(path: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connectSocket(path);
    socket.on('error', () => undefined);
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(socket));
  });
}

const request = (fields: object): string =>
  `${JSON.stringify({ id: 1, verb: 'score', deadline_ms: 5_000, build: '0.0.0', params: { texts: TEXTS }, ...fields })}\n`;

/** What clients may do wrong. Each gets a connection, and leaves it in whatever state. */
const FAULTS: readonly ((socket: Socket) => unknown)[] = [
  (socket) => socket.write(request({}).slice(0, 50)),
  (socket) => socket.write('GET / HTTP/1.1\r\n\r\n'),
  (socket) => socket.write('null\n'),
  (socket) => socket.write(Buffer.from([0xff, 0xfe, 0x0a])),
  (socket) => socket.write(Buffer.alloc(2_000_000, 'x')),
  (socket) => socket.write(request({ verb: 'explode' })),
  (socket) => socket.write(request({ params: { texts: 7 } })),
  (socket) => socket.write(request({ deadline_ms: 0 })),
  (socket) => socket.write(request({}).repeat(40)),
  (socket) => socket.end(request({})),
  (socket) => socket.pause().write(request({}).repeat(30)),
  (socket) => socket.destroy(),
];

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function rssOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

/** Runs the soak; needs /proc. Rejects if the daemon is not there. */
export async function soak({ endpoint, build, pid, warmUp, requests, seed }: SoakOptions): Promise<SoakResult> {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const goods = goodOnes();
  const expected = new Map<Good, unknown>();
  const wrongs: string[] = [];
  const left: Socket[] = [];
  let [good, faults, wrong, begun] = [0, 0, 0, 0];
  let [descriptors, rssBytes] = [0, 0];

  async function open(): Promise<Connection> {
    // A fault of another client's never keeps one out: more than one try is for a machine that is busy.
    for (let attempt = 0; attempt < 20; attempt++) {
      const connection = await connect(endpoint, build, 2_000);
      if (connection.state === 'connected') return connection;
      await pause(50);
    }
    throw new Error('the daemon is gone');
  }

  async function askOne(connection: Connection, one: Good): Promise<void> {
    const outcome = await connection.call(one.verb, one.params, DEADLINE_MS);
    good++;
    const right = expected.get(one);
    if (right === undefined) expected.set(one, outcome);
    if (outcome.state === 'answered' && (right === undefined || isDeepStrictEqual(outcome, right))) return;
    wrong++;
    if (wrongs.length < 5) wrongs.push(`${one.verb}: ${JSON.stringify(outcome).slice(0, 300)}`);
  }

  async function harm(): Promise<void> {
    faults++;
    const socket = await bare(endpoint.socket);
    pick(FAULTS)?.(socket);
    left.push(socket);
    if (left.length > 20) left.shift()?.destroy();
  }

  async function settle(): Promise<void> {
    for (const socket of left.splice(0)) socket.destroy();
    for (let look = 0; look < 200; look++) {
      const connection = await open();
      const outcome = await connection.call('status', {}, 5_000);
      connection.close();
      if (outcome.state === 'answered' && outcome.result['connections'] === 1) break;
      await pause(50);
    }
    await pause(200);
  }

  async function client(until: number): Promise<void> {
    let connection = await open();
    for (let asked = 1; begun < until; asked++) {
      begun++;
      if (random() < FAULT_SHARE) await harm();
      else await askOne(connection, pick(goods) ?? { verb: 'status', params: {} });
      if (asked % PER_CONNECTION !== 0) continue;
      connection.close();
      connection = await open();
    }
    connection.close();
  }

  const crowd = (until: number): Promise<unknown> => Promise.all(Array.from({ length: CLIENTS }, () => client(until)));
  const startedAt = performance.now();
  // Everything is embedded, and each answer known, before it is counted.
  const first = await open();
  await first.call('embed', { texts: TEXTS }, 60_000);
  for (const one of goods) await askOne(first, one);
  first.close();
  await crowd(warmUp);
  await settle();
  descriptors = descriptorsOf(pid);
  rssBytes = rssOf(pid);
  await crowd(warmUp + requests);
  await settle();
  return {
    good,
    faults,
    wrong,
    wrongs,
    descriptors: [descriptors, descriptorsOf(pid)],
    rssBytes: [rssBytes, rssOf(pid)],
    tookMs: performance.now() - startedAt,
  };
}
