/** Compactions as history, as the use cases see them. */

/** A turn in the account of a compaction. */
export interface JudgedTurn {
  readonly handle: string;
  readonly role: string;
  readonly tokens: number;
  readonly score: number;
  readonly reason: string;
  /** The beginning of what it says. */
  readonly line: string;
}

/** Of the turns that a compaction looked at, those that tell most; `dropped` newest first. */
export interface Decisions {
  readonly kept: readonly JudgedTurn[];
  readonly dropped: readonly JudgedTurn[];
}

/** How many were looked for in a summary, and which of them it does not hold. */
export interface Audited {
  readonly checked: number;
  readonly lost: readonly string[];
}

/** What a summary lost of what stood in the context before. */
export interface Audit {
  readonly identifiers: Audited;
  readonly constraints: Audited;
}

/** One compaction, as history. `done` once the host has really compacted. */
export interface Episode {
  readonly session: string | undefined;
  readonly project: string | undefined;
  /** Newest message at that moment; with the session it makes an episode unique. */
  readonly lastUuid: string | undefined;
  readonly state: 'proposed' | 'done';
  readonly trigger: string;
  readonly strategy: string;
  readonly beforeTokens: number;
  readonly afterTokens: number;
  readonly dropped: number;
  /** Dropped messages that memories cover; 0 when not told. */
  readonly covered?: number | undefined;
  readonly embedding: boolean;
  readonly tookMs: number;
  /** The transcript that was compacted, and how long it was then: what stood in it can still be got from there. */
  readonly transcript?: string | undefined;
  readonly transcriptBytes?: number | undefined;
  readonly decisions?: Decisions | undefined;
}

/** What becomes known of a compaction afterwards. */
export interface EpisodeNotes {
  /** The text that was given back to the context. */
  readonly restored?: string | undefined;
  readonly audit?: Audit | undefined;
}

export interface StoredEpisode extends Episode, EpisodeNotes {
  readonly id: number;
  readonly covered: number;
  readonly createdMs: number;
  /** When the host reported the compaction; undefined while it is only proposed. */
  readonly doneMs: number | undefined;
}

/** How far a compaction has come. */
export type EpisodeState = Pick<StoredEpisode, 'state' | 'createdMs' | 'doneMs'>;

/** A compaction that has replaced a context, and what of the context is still there. */
export interface Replacement {
  readonly episode: Episode;
  /** Uuids of messages; undefined where everything is, since it may still be thrown away. */
  readonly stillThere: readonly string[] | undefined;
}

export interface EpisodeQuery {
  /** undefined: of every project. */
  readonly project?: string | undefined;
  readonly session?: string | undefined;
  readonly limit: number;
}

/** What can be asked of compactions, and noted of them. Every call has its deadline; texts are masked before they are kept. */
export interface EpisodeCalls {
  /** Marks the newest episode of a session as done. */
  finishEpisode(session: string, deadlineMs: number): Promise<void>;
  /**
   * The newest episode of a session, also one that still waits to be written; a store that cannot be read rejects only where none does.
   */
  newestEpisode(session: string, deadlineMs: number): Promise<EpisodeState | undefined>;
  /** Newest first. */
  episodes(query: EpisodeQuery, deadlineMs: number): Promise<readonly StoredEpisode[]>;
  /** Adds to the newest episode of a session. */
  noteEpisode(session: string, notes: EpisodeNotes, deadlineMs: number): Promise<void>;
  /** Keeps an episode, and that turns have left with it, by the spool. */
  recordReplacement(replacement: Replacement): Promise<void>;
}
