import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type NearestTurns, nearestTurns, type TurnSources } from '../../src/memory/nearest-turns.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import type { TurnTexts } from '../../src/ports/turns.ts';
import { MS, opened, openedAt, openSqlite, turn } from './home.ts';

const DIM = 4;

/** A direction that has this cosine to (1, 0, 0, 0). */
const at = (cosine: number): Float32Array => Float32Array.from([cosine, Math.sqrt(1 - cosine * cosine), 0, 0]);
const QUESTION = at(1);

/** "… 0.7": the text says how like it is; one without a number has no vector. */
function vectorIn(text: string): Float32Array | undefined {
  const [number] = /\d\.\d+$/.exec(text) ?? [];
  return number === undefined ? undefined : at(Number(number));
}

function indexOf(store: TurnSources['store'], bounds?: TurnSources['bounds']): NearestTurns {
  return nearestTurns({
    store,
    dim: DIM,
    vectorsOf: (texts) => texts.map(vectorIn),
    ...(bounds === undefined ? {} : { bounds }),
  });
}

async function caughtUp(index: NearestTurns, project = '/project'): Promise<void> {
  while (!(await index.refresh(project, MS)));
}

async function said(
  memory: MemoryDatabase,
  from: number,
  texts: readonly string[],
  project = '/project',
): Promise<void> {
  await memory.archive(
    texts.map((text, place) => turn(from + place, { text, project, role: 'assistant' })),
    MS,
  );
}

async function foundIn(index: NearestTurns, memory: MemoryDatabase, project = '/project'): Promise<string[]> {
  const hits = await index.similar(QUESTION, project, 10);
  const rows = await memory.turnsById(
    hits.map(({ id }) => id),
    MS,
  );
  return rows.map(({ text }) => text);
}

test('finds the turns of a project by likeness, also those that came later', async () => {
  const { memory } = opened();
  await said(memory, 0, ['far 0.2', 'near 0.9', 'no vector']);
  await said(memory, 10, ['elsewhere 0.99'], '/other');
  const index = indexOf(memory);
  await caughtUp(index);
  expect(await foundIn(index, memory)).toEqual(['near 0.9', 'far 0.2']);
  await said(memory, 20, ['nearer 0.95']);
  await caughtUp(index);
  expect(await foundIn(index, memory)).toEqual(['nearer 0.95', 'near 0.9', 'far 0.2']);
  // Asked about only now.
  expect(await foundIn(index, memory, '/other')).toEqual([]);
  await caughtUp(index, '/other');
  expect(await foundIn(index, memory, '/other')).toEqual(['elsewhere 0.99']);
});

test('a turn that was purged is not found, and with another database behind it starts over', async () => {
  const { memory, home, path } = opened();
  await said(memory, 0, ['kept 0.8', 'gone 0.9']);
  const index = indexOf(memory);
  await caughtUp(index);
  const db = openSqlite(path);
  db.exec("DELETE FROM turns WHERE text LIKE 'gone%'");
  expect(await foundIn(index, memory)).toEqual(['kept 0.8']);
  db.exec("DELETE FROM turns; UPDATE store SET id = 'another'");
  db.close();
  await caughtUp(index);
  expect(index.size()).toBe(0);
  const other = openedAt(home).memory;
  await said(other, 50, ['new 0.7']);
  await caughtUp(index);
  expect(await foundIn(index, other)).toEqual(['new 0.7']);
});

test('what has no vector yet is given out once, the newest first, and counts when it has one', async () => {
  const { memory } = opened();
  await said(memory, 0, [
    'The first thing that was said there',
    'Read {"file_path":"/a"}',
    'The second thing that was said there',
  ]);
  const index = indexOf(memory);
  await caughtUp(index);
  // It may be about to be embedded, whatever it is: it has just come in.
  await said(memory, 10, ['Bash {"command":"ls"}']);
  await caughtUp(index);
  const [newest, ...rest] = await index.takeOpen('/project', 2, MS);
  expect(newest?.text).toBe('Bash {"command":"ls"}');
  expect(rest.map(({ text }) => text)).toEqual(['The second thing that was said there']);
  const last = await index.takeOpen('/project', 5, MS);
  expect(last.map(({ text }) => text)).toEqual(['The first thing that was said there']);
  expect(await index.takeOpen('/project', 5, MS)).toEqual([]);
  index.put('/project', last[0]?.id ?? 0, at(0.8));
  expect(await foundIn(index, memory)).toEqual(['The first thing that was said there']);
});

test('very long texts are left out, and of very many turns the oldest', async () => {
  const { memory } = opened();
  const many = Array.from({ length: 600 }, (_, place) => `one of them ${place} 0.${100 + place}`);
  await said(memory, 0, [`${'x'.repeat(50_000)} 0.99`, ...many]);
  const index = indexOf(memory, { maxTurns: 200 });
  await caughtUp(index);
  expect(index.size()).toBeGreaterThanOrEqual(200);
  expect(index.size()).toBeLessThan(400);
  expect((await foundIn(index, memory))[0]).toBe(many.at(-1));
  const all = indexOf(memory);
  await caughtUp(all);
  expect(all.size()).toBe(600);
});

test('with too many vectors it starts over with the project that is asked about', async () => {
  const { memory } = opened();
  await said(memory, 0, ['a 0.5', 'b 0.6', 'c 0.7']);
  await said(memory, 10, ['d 0.5', 'e 0.6', 'f 0.7'], '/other');
  const index = indexOf(memory, { maxVectors: 4 });
  await caughtUp(index);
  await caughtUp(index, '/other');
  expect(await foundIn(index, memory, '/other')).toEqual(['f 0.7', 'e 0.6', 'd 0.5']);
  expect(await foundIn(index, memory)).toEqual([]);
});

/** A database of turns as a list, with gaps where others were. */
function listed(ids: readonly number[]): TurnSources['store'] & { add(id: number): void } {
  const rows = [...ids];
  return {
    add: (id) => rows.push(id),
    turnTexts: async ({ above, upTo }): Promise<TurnTexts> => ({
      storeId: 's',
      newest: Math.max(0, ...rows),
      turns: rows.filter((id) => id > above && id <= upTo).map((id) => ({ id, role: 'user', text: 'x 0.5' })),
    }),
  };
}

test('wherever it is interrupted, every turn is taken over once', async () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 2_000 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(ids, ids, fc.array(fc.boolean(), { maxLength: 30 }), async (before, after, cuts) => {
      const sorted = before.toSorted((a, b) => a - b);
      const store = listed(sorted);
      const index = indexOf(store);
      const later = after.map((id) => id + 2_000).toSorted((a, b) => a - b);
      for (const isAdding of cuts) {
        const next = isAdding ? later.shift() : undefined;
        if (next === undefined) await index.refresh('/project', 0);
        else store.add(next);
      }
      for (const id of later) store.add(id);
      await caughtUp(index);
      expect(index.size()).toBe(before.length + after.length);
      expect(await index.refresh('/project', 0)).toBe(true);
    }),
    { numRuns: 50 },
  );
});
