/**
 * Finds what was remembered and what was archived: by words (BM25) and, where there are vectors, by meaning; both
 * rankings fused by reciprocal rank.
 */
import type { Memory, MemoryDatabase, StoredTurn } from '../ports/memory.ts';
import { fuseRankings } from '../scoring/fusion.ts';

/** Each ranking is asked for so many times what is wanted, so that the fused one has something to choose from. */
const DEPTH = 4;

/** Below it a memory is not about the same thing; without it a question about nothing would find the least unlike. */
const LEAST_COSINE = 0.3;

export interface RecallRequest {
  readonly query: string;
  readonly project: string | undefined;
  readonly limit: number;
  /** Leave archived turns out. */
  readonly memoriesOnly?: boolean | undefined;
  readonly deadlineMs: number;
}

/** Memories by likeness to the query, best first; undefined when vectors are absent or late. Never rejects. */
export type FindSimilar = (
  query: string,
  project: string | undefined,
  limit: number,
  deadlineMs: number,
) => Promise<readonly { readonly id: number; readonly cosine: number }[] | undefined>;

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

/** Recalls from the project and from what is for every project; never what was superseded. Rejects as the store does. */
export async function recall(
  store: MemoryDatabase,
  { query, project, limit, memoriesOnly, deadlineMs }: RecallRequest,
  findSimilar?: FindSimilar,
): Promise<RecallResult> {
  const depth = limit * DEPTH;
  const [words, similar] = await Promise.all([
    store.searchText(query, project, depth, deadlineMs),
    findSimilar?.(query, project, depth, deadlineMs),
  ]);
  const near = similar?.filter(({ cosine }) => cosine >= LEAST_COSINE).map(({ id }) => id) ?? [];
  const memories = new Map(words.memories.map((memory) => [memory.id, memory]));
  const unknown = near.filter((id) => !memories.has(id));
  // Looked up again: the index behind may not have followed yet.
  for (const memory of unknown.length === 0 ? [] : await store.memoriesById(unknown, deadlineMs)) {
    if (inScope(memory, project)) memories.set(memory.id, memory);
  }
  const turns = new Map((memoriesOnly === true ? [] : words.turns).map((turn) => [turn.id, turn]));
  const fused = fuseRankings([
    words.memories.map(({ id }) => `memory ${id}`),
    near.filter((id) => memories.has(id)).map((id) => `memory ${id}`),
    [...turns.keys()].map((id) => `turn ${id}`),
  ]);
  const found = fused.slice(0, limit).flatMap(({ key, score }): Recalled[] => {
    const [kind, digits] = key.split(' ');
    const id = Number(digits);
    const [memory, turn] = kind === 'memory' ? [memories.get(id), undefined] : [undefined, turns.get(id)];
    if (memory !== undefined) return [{ kind: 'memory', memory, score }];
    return turn === undefined ? [] : [{ kind: 'turn', turn, score }];
  });
  return { found, embedding: similar !== undefined };
}
