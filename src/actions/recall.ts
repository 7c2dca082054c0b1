/**
 * Finds what was remembered and what was archived: by words (BM25) and, where there are vectors, by meaning. What was found is put in
 * order on one scale, and if hardly anything of the question is in any of it, nothing was found. Figures as chosen by bench/recall.
 */
import type { Memory } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { StoredTurn } from '../ports/turns.ts';
import { matchingOf, type Match } from '../scoring/matching.ts';

/** Each ranking is asked for so many times what is wanted, and for so many at least, so that there is something to choose from. */
const DEPTH = 4;
const LEAST_DEPTH = 40;

/** What likeness counts for beside words. */
const LIKENESS_SHARE = 0.6;
/** What words count for where likeness is not known: turns have no vectors, and rather say what once was. */
const WORDS_ALONE = 0.5;
/** So many of one kind stand in a row at most while there are others: where only words speak for a turn, they may speak too low. */
const MOST_IN_A_ROW = 2;

/** A memory less like the question is not looked at. */
const LEAST_COSINE = 0.3;
/** By likeness, or by its share of the question's words (those that nothing has count here), a text is about the question. */
const ABOUT_COSINE = 0.4;
const ABOUT_SHARE = 0.25;
/** So many words in common are enough in a long question. */
const ABOUT_WORDS = 4;

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

function scoreOf({ share }: Match, cosine: number | undefined, wordsCount: number): number {
  if (cosine === undefined) return wordsCount * share;
  return LIKENESS_SHARE * cosine + (1 - LIKENESS_SHARE) * share;
}

function isAbout({ share, held }: Match, known: number, cosine: number | undefined): boolean {
  if (cosine !== undefined && cosine >= ABOUT_COSINE) return true;
  return held === undefined || held >= ABOUT_WORDS || share * known >= ABOUT_SHARE;
}

/** Equal ones stay in the order in which they were found. */
function best(list: readonly Recalled[]): readonly Recalled[] {
  return list.toSorted((a, b) => b.score - a.score);
}

/** Two lists, each best first, as one: the better of both heads next, but never more than a few of one list in a row. */
function merged(one: readonly Recalled[], other: readonly Recalled[]): Recalled[] {
  const all: Recalled[] = [];
  let [here, there, row] = [0, 0, 0];
  for (;;) {
    const [mine, theirs] = [one[here], other[there]];
    if (mine === undefined || theirs === undefined) return [...all, ...one.slice(here), ...other.slice(there)];
    const last = all.at(-1)?.kind;
    const better = theirs.score > mine.score ? theirs : mine;
    const next = row === MOST_IN_A_ROW && better.kind === last ? (better === mine ? theirs : mine) : better;
    row = next.kind === last ? row + 1 : 1;
    if (next === mine) here += 1;
    else there += 1;
    all.push(next);
  }
}

/** Recalls from the project and from what is for every project; never what was superseded. Rejects as the store does. */
export async function recall(
  store: MemoryDatabase,
  { query, project, limit, memoriesOnly, deadlineMs }: RecallRequest,
  findSimilar?: FindSimilar,
): Promise<RecallResult> {
  const depth = Math.max(LEAST_DEPTH, limit * DEPTH);
  const [words, similar] = await Promise.all([
    store.searchText(query, project, depth, deadlineMs),
    findSimilar?.(query, project, depth, deadlineMs),
  ]);
  const embedding = similar !== undefined;
  const cosines = new Map(similar?.map(({ id, cosine }) => [id, cosine]));
  const memories = new Map(words.memories.map((memory) => [memory.id, memory]));
  const near = similar?.filter(({ id, cosine }) => cosine >= LEAST_COSINE && !memories.has(id)) ?? [];
  // Looked up again: the index behind may not have followed yet.
  const looked =
    near.length === 0
      ? []
      : await store.memoriesById(
          near.map(({ id }) => id),
          deadlineMs,
        );
  for (const memory of looked) if (inScope(memory, project)) memories.set(memory.id, memory);
  const kept = [...memories.values()];
  const turns = memoriesOnly === true ? [] : words.turns;
  const texts = [...kept, ...turns].map(({ text }) => text);
  const { matches, known } = matchingOf(query, texts);
  // Not known of turns, of what has no vector yet, and beyond the nearest.
  const likeness = kept.map(({ id }) => cosines.get(id));
  if (!matches.some((match, place) => isAbout(match, known, likeness[place]))) return { found: [], embedding };
  const scores = matches.map((match, place) => {
    // Without any vectors a memory is worth its words.
    const wordsCount = place < kept.length && !embedding ? 1 : WORDS_ALONE;
    return scoreOf(match, likeness[place], wordsCount);
  });
  const found = merged(
    best(kept.map((memory, place) => ({ kind: 'memory', memory, score: scores[place] ?? 0 }))),
    best(turns.map((turn, place) => ({ kind: 'turn', turn, score: scores[kept.length + place] ?? 0 }))),
  );
  return { found: found.slice(0, limit), embedding };
}
