import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareSignatures, signatureWords, writeSignature } from '../../src/memory/signature.ts';
import { VectorIndex } from '../../src/memory/vector-index.ts';

const DIM = 64;

/** Numbers in −1..1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  };
}

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}

function vectors(count: number, seed: number, dim: number = DIM): Float32Array[] {
  const next = random(seed);
  return Array.from({ length: count }, () => unit(Array.from({ length: dim }, next)));
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

const everyone = { scope: 1, trust: 254 };

test('finds exactly the nearest, in order, with their cosines', async () => {
  const rows = vectors(300, 1);
  const index = new VectorIndex(DIM);
  rows.forEach((vector, id) => index.put(id, vector, 0, 0));
  for (const vector of vectors(10, 2)) {
    const truth = rows.map((row, id) => ({ id, cosine: dot(row, vector) })).sort((a, b) => b.cosine - a.cosine);
    const [found = []] = await index.search([{ vector, ...everyone }], 5);
    expect(found.map(({ id }) => id)).toEqual(truth.slice(0, 5).map(({ id }) => id));
    found.forEach(({ cosine }, place) => expect(cosine).toBeCloseTo(truth[place]?.cosine ?? 0, 3));
  }
});

test('finds nearly all of the nearest among many, and lets others work in between', async () => {
  const dim = 384;
  const rows = vectors(9_000, 3, dim);
  const index = new VectorIndex(dim);
  rows.forEach((vector, id) => index.put(id, vector, 0, 0));
  // Near to some row, as a turn is to what it repeats.
  const queries = vectors(40, 4, dim).map((noise, i) =>
    unit([...(rows[i * 200] ?? [])].map((value, k) => value + 0.5 * (noise[k] ?? 0))),
  );
  let done = false;
  let turns = 0;
  const work = (): void => {
    turns += 1;
    if (!done) setImmediate(work);
  };
  setImmediate(work);
  const found = await index.search(
    queries.map((vector) => ({ vector, ...everyone })),
    3,
  );
  done = true;
  expect(turns).toBeGreaterThan(0);
  let hits = 0;
  queries.forEach((vector, query) => {
    const truth = rows.map((row, id) => ({ id, cosine: dot(row, vector) })).sort((a, b) => b.cosine - a.cosine);
    const ids = new Set(truth.slice(0, 3).map(({ id }) => id));
    hits += (found[query] ?? []).filter(({ id }) => ids.has(id)).length;
  });
  expect(hits / (3 * queries.length)).toBeGreaterThanOrEqual(0.95);
});

describe('a row is found only by those who may', () => {
  const vector = unit([1, ...Array.from({ length: DIM - 1 }, () => 0)]);
  const ids = async (index: VectorIndex, query: object): Promise<number[]> =>
    ((await index.search([{ vector, ...everyone, ...query }], 9))[0] ?? []).map(({ id }) => id).toSorted();

  test('of its scope, or by all when it has none', async () => {
    const index = new VectorIndex(DIM);
    index.put(1, vector, 0, 0);
    index.put(2, vector, 1, 0);
    index.put(3, vector, 2, 0);
    expect(await ids(index, { scope: 1 })).toEqual([1, 2]);
    expect(await ids(index, { scope: 9 })).toEqual([1]);
  });

  test('of enough trust, and that are not excepted', async () => {
    const index = new VectorIndex(DIM);
    [0, 1, 2].forEach((trust) => index.put(trust, vector, 0, trust));
    expect(await ids(index, { trust: 1 })).toEqual([0, 1]);
    expect(await ids(index, { except: new Set([0]) })).toEqual([1, 2]);
  });

  test('until it is removed; what takes its place is another', async () => {
    const index = new VectorIndex(DIM);
    index.put(1, vector, 0, 0);
    index.remove(1);
    index.remove(1);
    expect(await ids(index, {})).toEqual([]);
    index.put(2, vector, 0, 0);
    index.put(2, vector, 5, 0);
    expect(index.size).toBe(1);
    expect(await ids(index, {})).toEqual([]);
    expect(await ids(index, { scope: 5 })).toEqual([2]);
  });

  test('and vectors of another length are neither kept nor found', async () => {
    const index = new VectorIndex(DIM);
    index.put(1, unit([1, 2]), 0, 0);
    index.put(2, vector, 0, 0);
    expect(index.size).toBe(1);
    expect(await index.search([{ vector: unit([1, 2]), ...everyone }], 3)).toEqual([[]]);
  });
});

test.each([384, 768, 1_024, 100, 7])('signatures of %i dimensions differ in as many bits as signs do', (dim) => {
  const words = signatureWords(dim);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
      const [query = new Float32Array(dim), ...rows] = vectors(4, seed, dim);
      const [asked, kept] = [new Uint32Array(words), new Uint32Array(words * rows.length)];
      writeSignature(query, asked, 0);
      rows.forEach((row, i) => writeSignature(row, kept, i * words));
      const distances = new Uint16Array(rows.length);
      compareSignatures(asked, kept, rows.length, words, distances);
      const signs = rows.map((row) => row.reduce((n, value, i) => n + (value > 0 === (query[i] ?? 0) > 0 ? 0 : 1), 0));
      expect([...distances]).toEqual(signs);
    }),
    { numRuns: 30 },
  );
});

test('what is held is told again, near enough, and how like it is to another', () => {
  const index = new VectorIndex(DIM);
  const rows = vectors(5_000, 11);
  rows.forEach((vector, id) => index.put(id, vector, 0, 0));
  index.remove(7);
  for (const id of [0, 1, 4_095, 4_096, 4_999]) {
    const [row, next] = [rows[id], rows[(id + 1) % rows.length]];
    if (row === undefined || next === undefined) throw new Error('there are as many');
    expect(dot(index.vectorOf(id) ?? next, row)).toBeCloseTo(1, 4);
    expect(index.cosineTo(id, next)).toBeCloseTo(dot(row, next), 3);
  }
  expect([index.vectorOf(7), index.cosineTo(7, rows[0] ?? new Float32Array())]).toEqual([undefined, undefined]);
  expect(index.cosineTo(1, new Float32Array(DIM + 1))).toBeUndefined();
});
