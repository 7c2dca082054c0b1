/** Greedy choice of whole units within a budget. Pure and deterministic. */

export interface Candidate {
  readonly tokens: number;
  readonly score: number;
  readonly protected: boolean;
  /** Never taken. */
  readonly barred: boolean;
  /** Never competes on its score: only takes room that is left over. */
  readonly last: boolean;
  /** Newest message of the unit; of equal scores the newer one goes first. */
  readonly newest: number;
}

/**
 * Which candidates survive: the protected ones first, even beyond the budget; then the others by score, each if it
 * still fits. Zero tokens always fit.
 */
export function selectUnits(candidates: readonly Candidate[], budgetTokens: number): boolean[] {
  const kept = candidates.map((candidate) => candidate.protected);
  let left = budgetTokens;
  for (const { protected: held, tokens } of candidates) if (held) left -= tokens;
  const order = candidates
    .map((candidate, index) => ({ candidate, index }))
    .filter(({ candidate }) => !candidate.protected && !candidate.barred)
    .sort(
      (a, b) =>
        Number(a.candidate.last) - Number(b.candidate.last) ||
        b.candidate.score - a.candidate.score ||
        b.candidate.newest - a.candidate.newest,
    );
  for (const { candidate, index } of order) {
    if (candidate.tokens > left) continue;
    kept[index] = true;
    left -= candidate.tokens;
  }
  return kept;
}
