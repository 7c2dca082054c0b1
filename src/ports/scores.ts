/** Where similarity and coverage come from. Absent or late: similarity 0.5 for all, coverage 0. */

/** Numbers for the messages asked about, in their order. `undefined` where there is no vector. */
export interface VectorScores {
  /** Cosine to the query, clamped to 0..1, per text. */
  readonly similarity?: readonly (number | undefined)[] | undefined;
  /** Highest cosine over the nearest memories in scope, clamped to 0..1, per text. */
  readonly coverage?: readonly (number | undefined)[] | undefined;
}

export interface ScoreRequest {
  /** One text per message, chitta's own marks already taken out; an empty text has no vector. */
  readonly texts: readonly string[];
  /** What the next step is about; without one there is no similarity. */
  readonly query: string | undefined;
  /** Ids of the messages the texts come from: rows made from the same messages never cover them. */
  readonly sourceIds: readonly (string | undefined)[];
  readonly project: string | undefined;
  readonly deadlineMs: number;
}

/** Embeds texts and compares them with the query and with what the memory holds. Never throws: absent is `undefined`. */
export interface Scorer {
  score(request: ScoreRequest): Promise<VectorScores | undefined>;
}
