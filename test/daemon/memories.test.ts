/** The database behind the daemon: its index follows by itself, and whoever asks does not wait for it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { databaseMemories } from '../../src/daemon/memories.ts';
import type { Memories, SimilarTurn } from '../../src/daemon/parts.ts';
import { nearestTurns } from '../../src/memory/nearest-turns.ts';
import { nearestMemories } from '../../src/memory/nearest.ts';
import { openMemory } from '../../src/memory/store.ts';
import { loadSqlite } from '../../src/platform/native.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';

const MODEL = 'm-1';
const home = mkdtempSync(join(tmpdir(), 'chm-'));
const sqlite = await loadSqlite();
const absence = sqlite.state === 'ok' ? '' : ` (skipped: ${sqlite.reason})`;
let store: MemoryDatabase | undefined;

afterEach(() => {
  store?.close();
  rmSync(home, { recursive: true, force: true });
});

/** What a recall was given to find turns with. */
let findTurns: (() => Promise<readonly SimilarTurn[] | undefined>) | undefined;

function memories(log: (line: string) => void = () => undefined): Memories {
  store = openMemory({ home });
  return databaseMemories({
    store,
    nearest: nearestMemories(store, MODEL, 4),
    model: MODEL,
    nearestTurns: nearestTurns({ store, dim: 4, vectorsOf: (texts) => texts.map((text) => one(text.length % 4)) }),
    recall: async (_store, { query, project, limit, deadlineMs }, _find, find) => {
      findTurns = () => find(query, project, limit, deadlineMs);
      return [];
    },
    recallForPrompt: () => Promise.resolve({ text: '', tokens: 0 }),
    log,
  });
}

const one = (position: number): Float32Array => Float32Array.from([0, 1, 2, 3], (index) => Number(index === position));

async function remember(text: string): Promise<void> {
  const about = { kind: 'fact', project: '/p', session: undefined, origin: 'person', sourceIds: [] } as const;
  await store?.remember({ ...about, text }, 5_000);
}

test.skipIf(absence !== '')(`a memory that was given its vector covers, and is like it${absence}`, async () => {
  const daemon = memories();
  await remember('the parser is slow');
  const [missing] = await daemon.missing(10, 5_000);
  expect(missing?.text).toBe('the parser is slow');
  await daemon.putVectors([{ id: missing?.id ?? 0, vector: one(1) }], 5_000);
  const question = { sourceIds: [undefined, 'm2', 'm3'], project: '/p' };
  const texts = ['the parser is slow', 'something else', ''];
  expect(await daemon.coverage({ ...question, texts, vectors: [one(1), one(2), undefined] }, 5_000)).toEqual([
    expect.closeTo(1, 2),
    0,
    undefined,
  ]);
  expect(await daemon.similar(one(1), '/p', 3, 5_000)).toEqual([
    { id: missing?.id, cosine: expect.closeTo(1, 2) as number },
  ]);
  expect(await daemon.similar(one(1), '/other', 3, 5_000)).toEqual([]);
});

test.skipIf(absence !== '')(
  `a database that another process holds is told once, and holds nobody up${absence}`,
  async () => {
    if (sqlite.state !== 'ok') return;
    const lines: string[] = [];
    const daemon = memories((line) => lines.push(line));
    // Its first look is over then.
    await daemon.similar(one(1), '/p', 3, 5_000);
    await remember('x');
    const holder = sqlite.open(join(home, 'memory.db'));
    holder.pragma('locking_mode = EXCLUSIVE');
    store?.close();
    holder.exec('BEGIN EXCLUSIVE');
    const startedAt = performance.now();
    for (let round = 0; round < 3; round++) expect(await daemon.similar(one(1), '/p', 3, 300)).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(lines).toEqual([expect.stringContaining('in use')]);
    holder.close();
  },
);

test.skipIf(absence !== '')(
  `turns are found by likeness, with the memories that they are much like${absence}`,
  async () => {
    const daemon = memories();
    await remember('the parser is slow');
    const [missing] = await daemon.missing(10, 5_000);
    const id = missing?.id ?? 0;
    await daemon.putVectors([{ id, vector: one(1) }], 5_000);
    const about = { session: 's', project: '/p', role: 'user', tokens: 1 } as const;
    // Of vectors one(1) and one(2), by their lengths.
    const texts = ['a turn of n', 'another turn', 'and one more, yes'];
    await store?.archive(
      texts.map((text, place) => ({ ...about, text, handle: `#${place}`, uuid: `u${place}` })),
      5_000,
    );
    const alike = texts.findIndex((text) => text.length % 4 === 1);
    const question = { query: 'slow', project: '/p', limit: 1 };
    await daemon.recall({ ...question, vector: one(1) }, 5_000);
    expect(await findTurns?.()).toEqual([{ id: alike + 1, cosine: expect.closeTo(1, 2) as number, like: [id] }]);
    await daemon.recall({ ...question, vector: undefined }, 5_000);
    expect(await findTurns?.()).toBeUndefined();
    await daemon.recall({ ...question, project: undefined, vector: one(1) }, 5_000);
    expect(await findTurns?.()).toBeUndefined();
  },
);
