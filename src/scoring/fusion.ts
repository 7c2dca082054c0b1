/** Several rankings as one, by reciprocal rank (Cormack, Clarke, Büttcher 2009): scores of different kinds need no common scale. */

/** How little the first place is worth more than the next; 60 as in the paper. */
export const RANK_CONSTANT = 60;

export interface Fused<T> {
  readonly key: T;
  /** Sum over the rankings of 1 / (60 + place), places from 1. */
  readonly score: number;
}

/** Fuses rankings, best first. A key that stands twice in one ranking counts once. Ties: who was met first. */
export function fuseRankings<T>(rankings: readonly (readonly T[])[]): Fused<T>[] {
  const scores = new Map<T, number>();
  for (const ranking of rankings) {
    [...new Set(ranking)].forEach((key, index) => {
      scores.set(key, (scores.get(key) ?? 0) + 1 / (RANK_CONSTANT + index + 1));
    });
  }
  return [...scores].map(([key, score]) => ({ key, score })).sort((a, b) => b.score - a.score);
}
