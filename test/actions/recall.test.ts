import { describe, expect, test } from 'vitest';
import { recall, type FindSimilar } from '../../src/actions/recall.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import { fact, MS, opened, turn } from '../memory/home.ts';

const PARTS = ['billing', 'mailer', 'search', 'gateway', 'importer', 'catalog'];
const portOf = (part: string): string => `The ${part} service listens on port ${3_000 + part.length * 10}.`;
const CHANGED = 'The billing service listens on port 9999.';
const SAID = 'I looked: the nightly export of pricing failed in collectTokenWindow.';
const QUESTIONS = [
  ...PARTS.map((part) => `Which port does the ${part} service listen on?`),
  ...PARTS.map((part) => `who is responsible for ${part}`),
  'nightly export of pricing',
  'collect token window',
  'serach srevice port',
];

async function furnished(): Promise<MemoryDatabase> {
  const { memory } = opened();
  const ids = new Map<string, number>();
  for (const part of PARTS) {
    const { memory: stored } = await memory.remember(fact(portOf(part)), MS);
    ids.set(part, stored.id);
    await memory.remember(fact(`Ada owns the ${part} module.`), MS);
    await memory.remember(fact(`The ${part} service listens on port 1.`, { project: '/other' }), MS);
  }
  await memory.remember(fact(CHANGED), MS, [ids.get('billing') ?? 0]);
  const idle = PARTS.map((part, place) => turn(place + 10, { text: `Let me read ${part} before I go on.` }));
  await memory.archive(
    [turn(1, { text: SAID }), ...idle, turn(99, { text: 'port of pricing', project: '/other' })],
    MS,
  );
  return memory;
}

/** Likeness by letters in common, for what a model would say. Of superseded rows and of other projects too: a late index may. */
function scripted(rows: readonly { readonly id: number; readonly text: string }[]): FindSimilar {
  const pairs = (text: string): Set<string> =>
    new Set(Array.from({ length: text.length - 2 }, (_, at) => text.slice(at, at + 3).toLowerCase()));
  return (query, _project, limit) => {
    const asked = pairs(query);
    const likeness = (text: string): number => {
      const own = pairs(text);
      return [...own].filter((pair) => asked.has(pair)).length / Math.sqrt(own.size * asked.size);
    };
    const all = rows.map(({ id, text }) => ({ id, cosine: likeness(text) })).toSorted((a, b) => b.cosine - a.cosine);
    return Promise.resolve(all.slice(0, limit));
  };
}

async function asking(withVectors: boolean): Promise<{
  store: MemoryDatabase;
  how: FindSimilar | undefined;
  ask: (query: string) => Promise<string[]>;
}> {
  const store = await furnished();
  const rows = await store.memories({ project: { all: true }, limit: 1_000 }, MS);
  const how = withVectors ? scripted(rows) : undefined;
  const ask = async (query: string): Promise<string[]> => {
    const { found } = await recall(store, { query, project: '/project', limit: 5, deadlineMs: MS }, how);
    return found.map((one) => (one.kind === 'memory' ? one.memory.text : one.turn.text));
  };
  return { store, how, ask };
}

describe.each([
  ['with vectors', true],
  ['by words alone', false],
])('%s', (_, withVectors) => {
  test('nothing superseded is found, and nothing of another project', async () => {
    const { store, how } = await asking(withVectors);
    for (const query of QUESTIONS) {
      const { found } = await recall(store, { query, project: '/project', limit: 50, deadlineMs: MS }, how);
      const projects = found.map((one) => (one.kind === 'memory' ? one.memory.project : one.turn.project));
      expect(projects.every((project) => project === '/project')).toBe(true);
      const memories = found.flatMap((one) => (one.kind === 'memory' ? [one.memory] : []));
      expect(memories.every(({ status }) => status === 'active')).toBe(true);
    }
  });

  test('the same question has the same answer, in the same order', async () => {
    const { ask } = await asking(withVectors);
    const { ask: askAgain } = await asking(withVectors);
    for (const question of QUESTIONS) expect(await askAgain(question)).toEqual(await ask(question));
  });

  test('the memory that answers goes first', async () => {
    const { ask } = await asking(withVectors);
    for (const part of PARTS) {
      const [first] = await ask(`Which port does the ${part} service listen on?`);
      expect(first).toBe(part === 'billing' ? CHANGED : portOf(part));
    }
  });

  test('a turn that answers is not buried under memories that do not', async () => {
    const { ask } = await asking(withVectors);
    expect(await ask('why did the nightly export of the service fail')).toContain(SAID);
    expect((await ask('collect token window'))[0]).toBe(SAID);
  });

  test('a mistyped word is understood', async () => {
    const { ask } = await asking(withVectors);
    expect((await ask('gatewya service port'))[0]).toBe(portOf('gateway'));
  });

  test('nothing is found for a question about nothing of all this', async () => {
    const { ask } = await asking(withVectors);
    expect(await ask('how deep is the swimming pool of the hotel')).toEqual([]);
    expect(await ask('does the compiler inline recursive closures on a module')).toEqual([]);
  });
});
