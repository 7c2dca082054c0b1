/** The store behind memory, as the use cases see it: asynchronous, so that it may live in another process or on a server. */
import type { Episode, EpisodeCalls } from './episodes.ts';
import type { LedgerCalls } from './ledger.ts';
import type { Memory, MemoryCalls, MemoryStatus } from './memories.ts';
import type { SessionCalls } from './sessions.ts';
import type { ArchivedTurn, StoredTurn, TurnCalls } from './turns.ts';

/** What compaction needs. Each call rejects with a ChittaError when the store cannot do it within `deadlineMs`. */
export interface MemoryStore {
  /** Keeps turns; the same handle twice is one row. */
  archive(turns: readonly ArchivedTurn[], deadlineMs: number): Promise<void>;
  /** Keeps an episode; the same session and last message twice is one row, and `done` stays done. */
  recordEpisode(episode: Episode, deadlineMs: number): Promise<void>;
}

/** Full-text hits, best first, each kind by itself. */
export interface TextHits {
  readonly memories: readonly Memory[];
  readonly turns: readonly StoredTurn[];
}

export interface MemoryStats {
  readonly memories: Readonly<Record<MemoryStatus, number>>;
  readonly vectors: readonly { readonly model: string; readonly count: number }[];
  readonly turns: number;
  readonly episodes: number;
  /** Prompts that hooks saw, how many of them got something put into the context, and the tokens of that. */
  readonly prompts: { readonly seen: number; readonly injected: number; readonly tokens: number };
  /** Bytes of the store with its journal. */
  readonly bytes: number;
  /** Bytes waiting to be taken in. */
  readonly spoolBytes: number;
}

/** What takes the room in the store, and how it grows. */
export interface MemoryUsage {
  /** Bytes by what they are for, indexes included. */
  readonly room: { readonly turns: number; readonly memories: number; readonly vectors: number; readonly rest: number };
  /** What came in so many days. */
  readonly growth: readonly {
    readonly days: number;
    readonly turns: number;
    readonly memories: number;
    readonly bytes: number;
  }[];
  /** By project, `undefined` for what holds in every one: active memories, turns and the bytes of their texts; most bytes first. */
  readonly projects: readonly {
    readonly project: string | undefined;
    readonly memories: number;
    readonly turns: number;
    readonly bytes: number;
  }[];
  /** Bytes of the cache of vectors beside the store, which may be deleted at any time. */
  readonly cacheBytes: number;
}

/** From where on turns are too old, or too many. */
export interface ArchiveLimits {
  /** Turns that are older than this go; milliseconds since 1970. */
  readonly beforeMs?: number | undefined;
  /** Of their texts; the oldest turns go. */
  readonly maxBytes?: number | undefined;
}

/** The whole store. Texts are masked before they are kept. Every call has its deadline, as above. */
export interface MemoryDatabase extends MemoryStore, TurnCalls, EpisodeCalls, SessionCalls, MemoryCalls, LedgerCalls {
  /** BM25 over active memories of the project and global ones, and over archived turns of the project. */
  searchText(
    query: string,
    project: string | undefined,
    limit: number,
    deadlineMs: number,
    only?: 'memories',
  ): Promise<TextHits>;
  stats(deadlineMs: number): Promise<MemoryStats>;
  /** Looks at every page of the file: it is for a person who asks. */
  usage(deadlineMs: number): Promise<MemoryUsage>;
  /** Deletes turns beyond the limits, as many as there is time for; answers how many. */
  trimArchive(limits: ArchiveLimits, deadlineMs: number): Promise<number>;
  /** Lets go of the file; calls after it open it again. */
  close(): void;
}

/** What keeping the summaries of a session needs. */
export type SummaryStore = Pick<MemoryDatabase, 'summaries' | 'addSummary' | 'archive'>;

/** What making memories of dropped turns needs. */
export type NovelStore = Pick<MemoryDatabase, 'madeFrom' | 'searchText' | 'remember'>;
