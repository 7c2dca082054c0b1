/** Removing what is stored, as the use cases see it. */

/** What is meant; of several conditions all must hold. None: everything. */
export interface PurgeScope {
  /** A session, with its sub-agents. */
  readonly session?: string | undefined;
  readonly project?: string | undefined;
  /**
   * Only what is older, in milliseconds since 1970; then what a person or the model stored on purpose, and directives, stay:
   * they hold until they are taken back.
   */
  readonly beforeMs?: number | undefined;
}

/** Rows by what they are. */
export interface PurgeCounts {
  readonly memories: number;
  readonly directives: number;
  readonly turns: number;
  readonly episodes: number;
  readonly prompts: number;
  /** Summaries by a language model. */
  readonly summaries: number;
}

export interface Purged {
  readonly counts: PurgeCounts;
  /** Files that were deleted because they held, or may have held, some of it. Names, not paths. */
  readonly removedFiles: readonly string[];
  /** False while another process still reads an older state, whose bytes are in the journal until it is done. */
  readonly erased: boolean;
}

export interface PurgePort {
  /** Changes nothing. Rejects as the store does. */
  count(scope: PurgeScope): Promise<PurgeCounts>;
  /**
   * Removes rows and their bytes, and whatever file may hold copies. Everything goes also where the database cannot be opened. Rejects as
   * the store does; then something may be left.
   */
  purge(scope: PurgeScope): Promise<Purged>;
}
