/** Turns of live projects that have no vectors get them, when there is nothing better to do. */
import { afterEach, expect, test, vi } from 'vitest';
import { Complaints } from '../../src/daemon/complaints.ts';
import { TurnFill } from '../../src/daemon/fill-turns.ts';
import type { Turns } from '../../src/daemon/parts.ts';
import { prepare } from '../../src/daemon/texts.ts';
import { Vectors } from '../../src/daemon/vectors.ts';

const SPOKEN = Array.from({ length: 20 }, (_, place) => `The export of pricing failed again, as on day ${place}.`);
const CALL = 'Read {"file_path":"/work/a.ts"}';
const vector = Float32Array.of(1, 0);

let close = async (): Promise<void> => undefined;
afterEach(() => close());

/** A model that notes what it embeds, turns that want vectors, and the fill between them. */
async function rig(open: readonly string[], known: readonly string[] = []) {
  const embedded: string[] = [];
  const stored = new Map(known.map((text) => [prepare(text).hash, vector]));
  const get = (hashes: readonly string[]) => hashes.map((hash) => stored.get(hash));
  const log: string[] = [];
  const complaints = new Complaints((line) => log.push(line));
  const vectors = new Vectors({
    embedding: {
      model: 'm',
      load: async () => ({
        embed: async (texts) => {
          embedded.push(...texts);
          return texts.map(() => vector);
        },
        dispose: async () => undefined,
      }),
      known: { get, peek: get, put: () => undefined, bytes: () => 0, close: () => undefined },
    },
    complaints,
    onStuck: () => undefined,
    stuckAfterMs: 10_000,
  });
  const rows = open.map((text, id) => ({ id, role: 'assistant', text }));
  const given = new Map<number, string>();
  const asked: string[] = [];
  const turns: Turns = {
    follow: async (project) => void asked.push(project),
    similar: async () => [],
    takeOpen: async (project, count) => (project === '/live' ? rows.splice(-count).reverse() : []),
    put: (project, id) => void given.set(id, project),
  };
  const fill = new TurnFill({ vectors, turns, complaints, everyMs: 1 });
  close = async () => {
    fill.close();
    await vectors.close();
  };
  await vectors.load();
  return { fill, embedded, given, asked, log };
}

test('nothing is done for projects without a session, and all of it for one that has one, the newest first', async () => {
  const { fill, embedded, given, asked, log } = await rig(SPOKEN);
  expect(asked).toEqual([]);
  fill.live('/live');
  await vi.waitFor(() => expect(given.size).toBe(SPOKEN.length), 10_000);
  expect(new Set(given.values())).toEqual(new Set(['/live']));
  // Of what is taken at once, the order is the queue's.
  expect(new Set(embedded.slice(0, 8))).toEqual(new Set(SPOKEN.slice(-8)));
  expect(embedded).toHaveLength(SPOKEN.length);
  expect(log).toEqual([]);
});

test('a call is not embedded, but has its vector if somebody else had it made', async () => {
  const { fill, embedded, given } = await rig([CALL, SPOKEN[0] ?? '', `${CALL} known`], [`${CALL} known`]);
  fill.live('/live');
  await vi.waitFor(() => expect(given.size).toBe(2), 10_000);
  expect([...given.keys()].toSorted((a, b) => a - b)).toEqual([1, 2]);
  expect(embedded).toEqual([SPOKEN[0]]);
});

test('after its end it does nothing any more', async () => {
  const { fill, asked } = await rig(SPOKEN);
  fill.close();
  fill.live('/live');
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual([]);
});
