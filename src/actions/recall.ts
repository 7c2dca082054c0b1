/**
 * Finds what was remembered and what was archived: by words (BM25) and, where there are vectors, by meaning. What was found is put in
 * order on one scale, and if hardly anything of the question is in any of it, nothing was found.
 */
import type { Memory } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { StoredTurn } from '../ports/turns.ts';
import { ranked } from '../scoring/ranking.ts';

/** Each ranking is asked for so many times what is wanted, and for so many at least, so that there is something to choose from. */
const DEPTH = 4;
const LEAST_DEPTH = 40;

/** A text less like the question is not looked at (bench/recall). */
const LEAST_COSINE = 0.3;

export interface RecallRequest {
  readonly query: string;
  readonly project: string | undefined;
  readonly limit: number;
  /** Leave archived turns out. */
  readonly memoriesOnly?: boolean | undefined;
  readonly deadlineMs: number;
}

export interface Near {
  readonly id: number;
  readonly cosine: number;
}

type Find<T> = (
  query: string,
  project: string | undefined,
  limit: number,
  deadlineMs: number,
) => Promise<readonly T[] | undefined>;

/** Memories by likeness to the query, best first; undefined when vectors are absent or late. Never rejects. */
export type FindSimilar = Find<Near>;

/** The same of archived turns. `like`: ids of memories near the query that a turn is much like. */
export type FindSimilarTurns = Find<Near & { readonly like: readonly number[] }>;

export type Recalled =
  | { readonly kind: 'memory'; readonly memory: Memory; readonly score: number }
  | { readonly kind: 'turn'; readonly turn: StoredTurn; readonly score: number };

export interface RecallResult {
  readonly found: readonly Recalled[];
  /** Whether vectors took part. */
  readonly embedding: boolean;
}

function inScope({ status, project }: Memory, wanted: string | undefined): boolean {
  return status === 'active' && (project === undefined || project === wanted);
}

/** What was found by words, and behind it what is near and was not. Looked up again: the index behind may not have followed yet. */
async function withNear<T extends { readonly id: number }>(
  found: readonly T[],
  near: readonly Near[] = [],
  lookUp: (ids: readonly number[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const known = new Set(found.map(({ id }) => id));
  const ids = near.flatMap(({ id, cosine }) => (cosine >= LEAST_COSINE && !known.has(id) ? [id] : []));
  return ids.length === 0 ? found : [...found, ...(await lookUp(ids))];
}

/** Recalls from the project and from what is for every project; never what was superseded. Rejects as the store does. */
export async function recall(
  store: MemoryDatabase,
  { query, project, limit, memoriesOnly, deadlineMs }: RecallRequest,
  findSimilar?: FindSimilar,
  findSimilarTurns?: FindSimilarTurns,
): Promise<RecallResult> {
  const until = performance.now() + deadlineMs;
  const depth = Math.max(LEAST_DEPTH, limit * DEPTH);
  const wantsTurns = memoriesOnly !== true;
  const [words, nearMemories] = await Promise.all([
    store.searchText(query, project, depth, deadlineMs),
    findSimilar?.(query, project, depth, deadlineMs),
  ]);
  // Whoever did not answer the one question is not asked another; and then the question has its vector.
  const asksTurns = wantsTurns && nearMemories !== undefined;
  const leftMs = Math.max(0, until - performance.now());
  const nearTurns = asksTurns ? await findSimilarTurns?.(query, project, depth, leftMs) : undefined;
  const [memories, turns] = await Promise.all([
    withNear(words.memories, nearMemories, async (ids) =>
      (await store.memoriesById(ids, deadlineMs)).filter((memory) => inScope(memory, project)),
    ),
    withNear(wantsTurns ? words.turns : [], nearTurns, async (ids) =>
      (await store.turnsById(ids, deadlineMs)).filter((turn) => turn.project === project),
    ),
  ]);
  // Not known of what has no vector yet, and beyond the nearest.
  const cosines = new Map(nearMemories?.map(({ id, cosine }) => [id, cosine]));
  const likenesses = new Map(nearTurns?.map((turn) => [turn.id, turn]));
  const places = new Map(memories.map(({ id }, place) => [id, place]));
  const embedding = nearMemories !== undefined;
  const order = ranked({
    query,
    memories: memories.map(({ id, text }) => ({ text, cosine: cosines.get(id) })),
    turns: turns.map(({ id, text }) => {
      const { cosine, like = [] } = likenesses.get(id) ?? {};
      return { text, cosine, like: like.flatMap((memory) => places.get(memory) ?? []) };
    }),
    embedding,
  });
  const found = order.slice(0, limit).flatMap(({ kind, place, score }): Recalled[] => {
    const [memory, turn] = kind === 'memory' ? [memories[place], undefined] : [undefined, turns[place]];
    if (memory !== undefined) return [{ kind: 'memory', memory, score }];
    return turn === undefined ? [] : [{ kind: 'turn', turn, score }];
  });
  return { found, embedding };
}
