// The nearest memories of 60 turns among many: chitta's index against a plain walk over all vectors in float32, in the
// same process, on the same vectors. Clustered ones, as texts about the same few things are; evenly spread ones are easier.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Sqlite from 'better-sqlite3';
import { formatMs, formatRatio, median } from '../measure.mjs';
import { built } from './built.mjs';

const DIM = 384;
const QUERIES = 60;
const COUNT = 3;
const ROUNDS = 5;
/** Deadline of each call of the store: none is meant to be late here. */
const MS = 60_000;
/** Memories, and how many of them are about the same thing. */
const CASES = [
  [1_000, 50],
  [10_000, 50],
  [100_000, 50],
  [100_000, 1_000],
];
const REACH_MS = { 10_000: 150, 100_000: 800 };
const REACH_RECALL = { 10_000: 0.99, 100_000: 0.97 };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Vectors around centres, with what all of them have in common, as embeddings do. Cosines within a cluster about 0.75. */
function clustered(count, size) {
  const next = random(count + size);
  const normal = () => next() + next() + next() + next() + next() + next() - 3;
  const vectorOf = (spread, around) => {
    const vector = Float32Array.from({ length: DIM }, (_, i) => (around?.[i] ?? 0) + spread * normal());
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  const common = vectorOf(1);
  const centres = Array.from({ length: Math.ceil(count / size) }, () =>
    vectorOf(
      0.05,
      common.map((value) => value * 0.3),
    ),
  );
  const near = () => vectorOf(0.041, centres[Math.floor(next() * centres.length)]);
  return { vectors: Array.from({ length: count }, near), queries: Array.from({ length: QUERIES }, near) };
}

/** What a loop over plain float32 vectors takes, and the truth to compare with. */
function exact(matrix, rows, query) {
  const best = [];
  for (let row = 0, at = 0; row < rows; row++, at += DIM) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < DIM; i += 4) {
      a += query[i] * matrix[at + i];
      b += query[i + 1] * matrix[at + i + 1];
      c += query[i + 2] * matrix[at + i + 2];
      d += query[i + 3] * matrix[at + i + 3];
    }
    const cosine = a + b + c + d;
    if (best.length === COUNT && cosine <= best[COUNT - 1].cosine) continue;
    best.push({ id: row, cosine });
    best.sort((one, other) => other.cosine - one.cosine);
    best.length = Math.min(best.length, COUNT);
  }
  return best;
}

/** The longest time for which the event loop did nothing else while `work` ran. */
async function longestBlock(work) {
  let longest = 0;
  let last = performance.now();
  let done = false;
  const watch = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!done) setImmediate(watch);
  };
  setImmediate(watch);
  await work();
  done = true;
  return longest;
}

async function measure(VectorIndex, count, size) {
  const { vectors, queries } = clustered(count, size);
  const matrix = new Float32Array(count * DIM);
  vectors.forEach((vector, row) => matrix.set(vector, row * DIM));
  const index = new VectorIndex(DIM);
  collectGarbage();
  const before = process.memoryUsage();
  const startedAt = performance.now();
  vectors.forEach((vector, id) => index.put(id, vector, 0, 0));
  const buildMs = performance.now() - startedAt;
  collectGarbage();
  const after = process.memoryUsage();
  const asked = queries.map((vector) => ({ vector, scope: 0, trust: 0 }));
  const [plain, ours] = [[], []];
  let truth;
  let found;
  for (let round = 0; round < ROUNDS; round++) {
    let from = performance.now();
    truth = queries.map((query) => exact(matrix, count, query));
    plain.push(performance.now() - from);
    from = performance.now();
    found = await index.search(asked, COUNT);
    ours.push(performance.now() - from);
  }
  const blockedMs = await longestBlock(() => index.search(asked, COUNT));
  let hits = 0;
  let worst = 0;
  truth.forEach((best, query) => {
    const ids = new Set(best.map(({ id }) => id));
    hits += found[query].filter(({ id }) => ids.has(id)).length;
    worst = Math.max(worst, Math.abs(best[0].cosine - found[query][0].cosine));
  });
  return {
    count,
    size,
    buildMs,
    plainMs: median(plain),
    ms: median(ours),
    recall: hits / (QUERIES * COUNT),
    worst,
    blockedMs,
    bytes: after.arrayBuffers - before.arrayBuffers,
  };
}

/** Recall by words among many memories on disk: median of queries of six words, and a walk over all for the index. */
async function measureStore(openMemory, count) {
  const home = mkdtempSync(join(tmpdir(), 'chitta-bench-'));
  const memory = openMemory({ home });
  try {
    const { bytes: empty } = await memory.stats(MS);
    const next = random(count);
    // Few words are common and most are rare, as in texts.
    const words = (many) =>
      Array.from({ length: many }, () => `w${Math.floor(20_000 * next() ** 3).toString(36)}x`).join(' ');
    const db = new Sqlite(join(home, 'memory.db'));
    const insert = db.prepare(
      `INSERT INTO memories (kind, project, origin, status, text, hash, created_ms, revision)
       VALUES ('fact', '/project', 'person', 'active', ?, ?, 0, ?)`,
    );
    const index = db.prepare('INSERT INTO memories_fts (rowid, text) VALUES (?, ?)');
    db.transaction(() => {
      for (let i = 1; i <= count; i++) {
        const text = words(25);
        index.run(insert.run(text, String(i), i).lastInsertRowid, text);
      }
      db.prepare('UPDATE store SET revision = ?').run(count);
    })();
    db.close();
    const took = [];
    for (let round = 0; round < 30; round++) {
      const query = words(6);
      const from = performance.now();
      await memory.searchText(query, '/project', 40, MS);
      took.push(performance.now() - from);
    }
    const { bytes } = await memory.stats(MS);
    return { count, ms: median(took), bytesEach: (bytes - empty) / count };
  } finally {
    memory.close();
    rmSync(home, { recursive: true, force: true });
  }
}

export async function run() {
  const { VectorIndex } = await built('vector-index');
  const { openMemory } = await built('store');
  const stores = [];
  for (const count of [1_000, 10_000, 100_000]) stores.push(await measureStore(openMemory, count));
  const measured = [];
  for (const [count, size] of CASES) measured.push(await measure(VectorIndex, count, size));
  const worstOf = (count, field, pick) =>
    pick(...measured.filter((row) => row.count === count).map((row) => row[field]));
  return {
    name: 'memory',
    title: `The ${COUNT} nearest memories of ${QUERIES} turns, ${DIM} dimensions`,
    columns: ['memories', 'of one topic', 'chitta', 'plain float32', 'ratio', 'recall@3', 'longest block', 'in memory'],
    rows: measured.map(({ count, size, ms, plainMs, recall, blockedMs, bytes }) => [
      count.toLocaleString('en'),
      size.toLocaleString('en'),
      formatMs(ms),
      formatMs(plainMs),
      formatRatio(ms / plainMs),
      recall.toFixed(3),
      formatMs(blockedMs),
      `${Math.round(bytes / 1e6)} MB`,
    ]),
    notes: [
      `Medians of ${ROUNDS} rounds in one process, both ways in turn. Random vectors around centres, cosine to a neighbour about 0.75.`,
      `Building the index of ${measured.at(-1).count.toLocaleString('en')} took ${formatMs(measured.at(-1).buildMs)}.`,
      `Recall by words (BM25): ${stores.map(({ count, ms }) => `${formatMs(ms)} among ${count.toLocaleString('en')}`).join(', ')}; ${Math.round(stores.at(-1).bytesEach)} bytes on disk for a memory of 25 words, without its vector (${DIM * 4}).`,
      `Largest error of the best cosine: ${Math.max(...measured.map(({ worst }) => worst)).toExponential(1)}.`,
    ],
    targets: [10_000, 100_000].flatMap((count) => {
      const ms = worstOf(count, 'ms', Math.max);
      const recall = worstOf(count, 'recall', Math.min);
      const many = count.toLocaleString('en');
      return [
        {
          what: `nearest of ${many}`,
          reach: `≤ ${REACH_MS[count]} ms`,
          value: formatMs(ms),
          met: ms <= REACH_MS[count],
        },
        {
          what: `recall@3 among ${many}`,
          reach: `≥ ${REACH_RECALL[count]}`,
          value: recall.toFixed(3),
          met: recall >= REACH_RECALL[count],
        },
      ];
    }),
  };
}
