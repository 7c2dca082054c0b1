/** The store behind memory, as the use cases see it: asynchronous, so that it may live in another process or on a server. */

/** A turn that leaves the context, kept so that its handle brings it back. */
export interface ArchivedTurn {
  readonly handle: string;
  readonly session: string | undefined;
  readonly project: string | undefined;
  readonly uuid: string | undefined;
  readonly role: string;
  readonly text: string;
  readonly tokens: number;
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
  readonly embedding: boolean;
  readonly tookMs: number;
}

/** Each call rejects with a ChittaError when the store cannot do it within `deadlineMs`. */
export interface MemoryStore {
  /** Keeps turns; the same handle twice is one row. */
  archive(turns: readonly ArchivedTurn[], deadlineMs: number): Promise<void>;
  recordEpisode(episode: Episode, deadlineMs: number): Promise<void>;
}
