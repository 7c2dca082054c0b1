import { describe, expect, test } from 'vitest';
import { type CoverageTurn, nearestMemories } from '../../src/memory/nearest.ts';
import { SIMILAR_ONLY } from '../../src/scoring/coverage.ts';
import type { NewMemory } from '../../src/ports/memories.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import { fact, MS, opened, openedAt } from './home.ts';

const MODEL = 'model';
const DIM = 4;

/** A direction that has this cosine to (1, 0, 0, 0). */
const at = (cosine: number): Float32Array => Float32Array.from([cosine, Math.sqrt(1 - cosine * cosine), 0, 0]);

async function put(memory: MemoryDatabase, row: NewMemory, cosine: number): Promise<number> {
  const { id } = (await memory.remember(row, MS)).memory;
  await memory.putVectors(MODEL, [{ id, vector: at(cosine) }], MS);
  return id;
}

const asked = (text: string, sourceId?: string): CoverageTurn => ({ text, vector: at(1), sourceId });

async function coverage(
  memory: MemoryDatabase,
  turn: CoverageTurn,
  project: string | undefined = '/project',
): Promise<number | undefined> {
  const nearest = nearestMemories(memory, MODEL, DIM);
  await nearest.refresh(MS);
  return (await nearest.coverage([turn], project, MS))[0];
}

describe('a turn is covered', () => {
  test('by what a person stored, also from that very message', async () => {
    const { memory } = opened();
    await put(memory, fact('use port 8080', { sourceIds: ['m1'] }), 0.9);
    expect(await coverage(memory, asked('use port 8080', 'm1'))).toBeCloseTo(0.9, 3);
    expect(await coverage(memory, asked('use port 8080'))).toBeCloseTo(0.9, 3);
  });

  test('by a global memory in any project, by another project’s in none', async () => {
    const { memory } = opened();
    await put(memory, fact('use tabs here', { project: undefined }), 0.8);
    await put(memory, fact('use port 8080', { project: '/elsewhere' }), 0.95);
    expect(await coverage(memory, asked('use tabs here'))).toBeCloseTo(0.8, 3);
    expect(await coverage(memory, asked('use port 8080'), '/elsewhere')).toBeCloseTo(0.95, 3);
    expect(await coverage(memory, asked('use port 8080'), undefined)).toBeLessThanOrEqual(SIMILAR_ONLY);
  });

  test('by what chitta made of other messages, not by what it made of this one', async () => {
    const { memory } = opened();
    await put(memory, fact('use port 8080', { origin: 'auto', sourceIds: ['m1', 'm2'] }), 0.9);
    expect(await coverage(memory, asked('use port 8080', 'm3'))).toBeCloseTo(0.9, 3);
    expect(await coverage(memory, asked('use port 8080', 'm2'))).toBe(0);
    expect(await coverage(memory, asked('use port 8080'))).toBe(0);
  });

  test('never by what nobody knows the origin of', async () => {
    const { memory } = opened();
    await put(memory, fact('use port 8080', { origin: 'auto' }), 0.9);
    expect(await coverage(memory, asked('use port 8080', 'm3'))).toBe(0);
  });

  test('not by what is only similar', async () => {
    const { memory } = opened();
    await put(memory, fact('use port 9090'), 0.97);
    expect(await coverage(memory, asked('use port 8080'))).toBe(SIMILAR_ONLY);
  });

  test('not by notes about compactions', async () => {
    const { memory } = opened();
    await put(memory, fact('use port 8080', { kind: 'episode' }), 0.97);
    expect(await coverage(memory, asked('use port 8080'))).toBe(0);
  });

  test('by nothing that is superseded or forgotten', async () => {
    const { memory } = opened();
    const old = await put(memory, fact('use port 8080'), 0.9);
    const gone = await put(memory, fact('use the port 8080'), 0.9);
    await memory.remember(fact('use port 9090'), MS, [old]);
    await memory.forget(gone, MS);
    expect(await coverage(memory, asked('use port 8080'))).toBe(0);
  });
});

test('rows made from the message itself do not hide those that are not', async () => {
  const { memory } = opened();
  for (let i = 0; i < 5; i += 1) {
    await put(memory, fact(`use port 8080 ${'!'.repeat(i)}`, { origin: 'auto', sourceIds: ['m1'] }), 0.99);
  }
  await put(memory, fact('port 8080 is used'), 0.8);
  expect(await coverage(memory, asked('use port 8080', 'm1'))).toBeCloseTo(0.8, 3);
});

test('without a vector the coverage is not known; of an empty memory it is 0', async () => {
  const { memory } = opened();
  const nearest = nearestMemories(memory, MODEL, DIM);
  await nearest.refresh(MS);
  expect(await nearest.coverage([{ ...asked('a'), vector: undefined }, asked('b')], '/project', MS)).toEqual([
    undefined,
    0,
  ]);
});

test('follows the store: added, changed, superseded, forgotten, page after page', async () => {
  const { memory, home } = opened();
  const nearest = nearestMemories(memory, MODEL, DIM);
  await nearest.refresh(MS);
  const other = openedAt(home).memory;
  const vectors = [];
  for (let i = 0; i < 1_100; i += 1)
    vectors.push({ id: (await other.remember(fact(`row ${i}`), MS)).memory.id, vector: at(0.5) });
  await other.putVectors(MODEL, vectors, MS);
  expect(await nearest.refresh(0)).toBe(false);
  expect(await nearest.refresh(MS)).toBe(true);
  expect(nearest.size()).toBe(1_100);
  await other.forget(vectors[0]!.id, MS);
  await other.remember(fact('newer'), MS, [vectors[1]!.id]);
  await other.putVectors(MODEL, [{ id: vectors[2]!.id, vector: at(0.99) }], MS);
  await nearest.refresh(MS);
  expect(nearest.size()).toBe(1_098);
  expect((await nearest.similar(at(1), '/project', 1)).map(({ id }) => id)).toEqual([vectors[2]!.id]);
});

test('starts over when the database behind is another', async () => {
  const [one, two] = [opened(), opened()];
  await put(one.memory, fact('a'), 0.5);
  await put(one.memory, fact('b'), 0.5);
  await put(two.memory, fact('c'), 0.5);
  let current = one.memory;
  const switching: MemoryDatabase = { ...one.memory, changesSince: (...asking) => current.changesSince(...asking) };
  const nearest = nearestMemories(switching, MODEL, DIM);
  await nearest.refresh(MS);
  expect(nearest.size()).toBe(2);
  current = two.memory;
  await nearest.refresh(MS);
  expect(nearest.size()).toBe(1);
});
