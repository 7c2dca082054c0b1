/** The store behind memory, as the use cases see it: asynchronous, so that it may live in another process or on a server. */
import type { Directive, DirectiveStatus } from '../hot/directives.ts';

/** A turn that leaves the context, kept so that its handle brings it back. As it was said: the store masks secrets. */
export interface ArchivedTurn {
  readonly handle: string;
  readonly session: string | undefined;
  readonly project: string | undefined;
  readonly uuid: string | undefined;
  readonly role: string;
  readonly text: string;
  readonly tokens: number;
  /** It is in the session's context no more. */
  readonly left?: true;
}

export interface StoredTurn extends ArchivedTurn {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly archivedMs: number;
}

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

/** What compaction needs. Each call rejects with a ChittaError when the store cannot do it within `deadlineMs`. */
export interface MemoryStore {
  /** Keeps turns; the same handle twice is one row. */
  archive(turns: readonly ArchivedTurn[], deadlineMs: number): Promise<void>;
  /** Keeps an episode; the same session and last message twice is one row, and `done` stays done. */
  recordEpisode(episode: Episode, deadlineMs: number): Promise<void>;
}

/** A compaction that has replaced a context, and what of the context is still there. */
export interface Replacement {
  readonly episode: Episode;
  /** Uuids of messages; undefined where everything is, since it may still be thrown away. */
  readonly stillThere: readonly string[] | undefined;
}

/** What was read of a session's transcript. */
export interface Capture {
  /** Of a sub-agent: the session's id, a slash, and the agent's. */
  readonly session: string;
  readonly project: string | undefined;
  readonly transcript: string;
  readonly turns: readonly ArchivedTurn[];
  /** Rules found in its prompts. */
  readonly proposals?: readonly ProposedDirective[];
  /** What was found in it that is worth a memory. */
  readonly learned?: readonly NewMemory[];
  /** Up to here the transcript need not be read again. */
  readonly archivedBytes: number;
}

/** A part of a transcript on its way into the archive; its texts are masked already, in whatever thread that was done. */
export interface MaskedPart extends Pick<Capture, 'session' | 'project' | 'transcript' | 'turns' | 'archivedBytes'> {
  readonly masked: true;
  /** When the transcript was last written to, in milliseconds since 1970. */
  readonly atMs: number;
}

/** What is remembered of a session itself. */
export interface SessionState {
  readonly transcript: string | undefined;
  readonly archivedBytes: number;
  /** The newest entry of the ledger of directives that the session was told of; 0: none. */
  readonly toldDirective: number;
}

/** A prompt, and what was put into the context for it. */
export interface PromptRecord {
  readonly session: string;
  /** Tells the prompts of a session apart. */
  readonly key: string;
  readonly project: string | undefined;
  /** Of the text that was put in; 0: nothing was. */
  readonly tokens: number;
  /** Names of what the text holds, such as `memory 12`. */
  readonly injected: readonly string[];
  readonly toldDirective: number | undefined;
}

/** A summary of a session's beginning, made by a language model. */
export interface NewSummary {
  readonly session: string;
  readonly project: string | undefined;
  /** From 1; each is made from the one before. */
  readonly generation: number;
  /** Id of the last message that it stands for. */
  readonly upTo: string;
  /** Messages that it stands for, those of earlier summaries included. */
  readonly messages: number;
  readonly tokens: number;
  /** Provider and model. */
  readonly model: string;
  /** Text of the message that holds it. */
  readonly text: string;
}

export interface StoredSummary extends NewSummary {
  readonly id: number;
  readonly createdMs: number;
}

/** What was stored of a session; its sub-agents are not counted. */
export interface SessionActivity {
  readonly session: string;
  /** The first that is known of it. */
  readonly beganMs: number;
  /** When it was last heard of. */
  readonly seenMs: number;
  /** Prompts and archived turns since the moment that was asked for. */
  readonly prompts: number;
  readonly turns: number;
}

/** A name, and where the archive has it. */
export interface NameHits {
  readonly name: string;
  /** Whether it stands in what the session has before it. */
  readonly isLive: boolean;
  /** Turns that left the session's context, or belong to other sessions of the project; best first. */
  readonly turns: readonly StoredTurn[];
}

/** What a memory is about. `fix`: an error, and what made it go; `novel` was cut from a dropped turn; `episode` tells of a compaction. */
export type MemoryKind = 'fact' | 'preference' | 'decision' | 'correction' | 'fix' | 'episode' | 'novel' | 'directive';

/** Who stored it: chitta by itself, a person, or the model on purpose. */
export type MemoryOrigin = 'auto' | 'person' | 'model';

/** Only active ones are found, recalled and counted as covering. */
export type MemoryStatus = 'active' | 'superseded' | 'archived';

export interface NewMemory {
  readonly text: string;
  readonly kind: MemoryKind;
  /** undefined: for every project. */
  readonly project: string | undefined;
  readonly session: string | undefined;
  readonly origin: MemoryOrigin;
  /** Ids of the messages it was made from. */
  readonly sourceIds: readonly string[];
  /** The line that says so, as it stands there. */
  readonly quote?: string | undefined;
  /** What it is about: a newer one about the same takes its place. */
  readonly topic?: string | undefined;
  /** 0..1: how sure chitta is of what it made by itself. */
  readonly confidence?: number | undefined;
  /** The program or file that it was taken over from. */
  readonly imported?: string | undefined;
}

export interface Memory extends NewMemory {
  readonly id: number;
  readonly status: MemoryStatus;
  readonly supersededBy: number | undefined;
  readonly createdMs: number;
  /** How often it was put beside a prompt, and when last; absent if never. */
  readonly uses?: number | undefined;
  readonly usedMs?: number | undefined;
}

/** A memory of another store, as it was there; which one superseded it is told afterwards. */
export type PortedMemory = Omit<Memory, 'id' | 'supersededBy'>;

/** The row that holds the text now; `added` is false when it was there already. */
export interface Remembered {
  readonly memory: Memory;
  readonly added: boolean;
}

/** What became of the bytes of a forgotten memory. */
export interface Forgotten {
  readonly found: boolean;
  /** Copies that may have held it and were deleted: migration backups, damaged files set aside. Names, not paths. */
  readonly removedFiles: readonly string[];
  /** False while another process still reads an older state: its bytes go with the next checkpoint. */
  readonly erased: boolean;
}

export interface MemoryQuery {
  /** Rows of this project and those for every project; undefined: only the latter. `all` looks everywhere. */
  readonly project: string | undefined | { readonly all: true };
  readonly status?: MemoryStatus | undefined;
  readonly limit: number;
}

export interface EpisodeQuery {
  /** undefined: of every project. */
  readonly project?: string | undefined;
  readonly session?: string | undefined;
  readonly limit: number;
}

export interface TurnQuery {
  readonly project: string | undefined;
  /** Only turns that were archived before the one with this id. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

/** Who made an entry of the ledger: a person, the model on purpose, or a rule of chitta's own. */
export type Author = 'person' | 'model' | 'rule';

/** An entry of the ledger of directives, which only grows: what changes or ends an older entry names it in `replaces`. */
export interface NewDirective {
  readonly text: string;
  readonly status: DirectiveStatus;
  readonly replaces: number | undefined;
  /** undefined: for every project. */
  readonly project: string | undefined;
  readonly session: string | undefined;
  /** `person` if it is not told. */
  readonly who?: Author | undefined;
  /** Handle of the message that said it. */
  readonly source?: string | undefined;
  /** Holds until then, or waits until then, in milliseconds since 1970; undefined: for good. */
  readonly expiresMs?: number | undefined;
}

export interface StoredDirective extends NewDirective, Directive {
  readonly who: Author;
  /** Of an entry that says `superseded`: the one that took the place. */
  readonly successor?: number | undefined;
}

/** A rule found in a prompt, for a person to accept. */
export interface ProposedDirective {
  readonly text: string;
  readonly project: string | undefined;
  readonly session: string | undefined;
  /** Handle of the message that said it. */
  readonly source: string | undefined;
}

/** Full-text hits, best first, each kind by itself. */
export interface TextHits {
  readonly memories: readonly Memory[];
  readonly turns: readonly StoredTurn[];
}

/** A vector still to be made. */
export interface MissingVector {
  readonly id: number;
  readonly text: string;
}

export interface NewVector {
  readonly id: number;
  /** L2-normalised. */
  readonly vector: Float32Array;
}

/** A memory as a vector index needs it, with the revision at which it last changed. */
export interface IndexedMemory {
  readonly id: number;
  readonly revision: number;
  readonly project: string | undefined;
  readonly origin: MemoryOrigin;
  /** Whether it is known where it comes from; only then can it cover anything. */
  readonly traced: boolean;
  /** undefined: no longer to be found (forgotten, superseded), or not embedded yet. */
  readonly vector: Float32Array | undefined;
}

export interface IndexChanges {
  /** Changes when the store behind is another one: start over from revision 0. */
  readonly storeId: string;
  /** In order of revision; fewer than asked for: there are no more. */
  readonly rows: readonly IndexedMemory[];
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
export interface MemoryDatabase extends MemoryStore {
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

  /** undefined for a session that was never seen. */
  session(session: string, deadlineMs: number): Promise<SessionState | undefined>;
  /** The session of a project that was last heard of, but for one; undefined if there is no other. */
  newestSession(project: string, except: string, deadlineMs: number): Promise<SessionState | undefined>;
  /** Sessions of a project that were heard of since then, the newest first. */
  sessionActivity(
    query: { readonly project: string; readonly sinceMs: number; readonly limit: number },
    deadlineMs: number,
  ): Promise<readonly SessionActivity[]>;
  /** Notes that a session has begun or gone on, and that it was told the directives up to this one. */
  beginSession(
    session: string,
    begun: {
      readonly project: string | undefined;
      readonly transcript: string | undefined;
      readonly toldDirective: number;
    },
    deadlineMs: number,
  ): Promise<void>;
  /** Archives what was read of a transcript. `later`: without the database, by the spool. */
  capture(capture: Capture, deadlineMs: number, when?: 'now' | 'later'): Promise<void>;
  /** Archives parts of transcripts in their order, all or none; rejects where `capture` would spool. */
  ingest(parts: readonly MaskedPart[], deadlineMs: number): Promise<void>;
  /**
   * Keeps turns by the spool, without those that are in the database as they are; rejects only if there is no room in either. For a
   * caller that has no time for the database, which is only asked what it has.
   */
  archiveLater(turns: readonly ArchivedTurn[], deadlineMs: number): Promise<void>;
  /** Keeps an episode, and that turns have left with it, by the spool. */
  recordReplacement(replacement: Replacement): Promise<void>;
  /** The context of a session was compacted: its turns have left it, but for these; so has what was put into it. */
  leaveContext(session: string, stillThere: readonly string[], deadlineMs: number): Promise<void>;
  /** Keeps that a prompt was seen; the same session and key twice is one row. */
  recordPrompt(prompt: PromptRecord, deadlineMs: number): Promise<void>;
  /** Names of what was put into the context of a session. */
  injected(session: string, deadlineMs: number): Promise<ReadonlySet<string>>;
  /** Looks for each name as it is written, its words in order. At most `limit` turns a name. */
  findNames(
    names: readonly string[],
    scope: { readonly session: string; readonly project: string | undefined },
    limit: number,
    deadlineMs: number,
  ): Promise<readonly NameHits[]>;
  /** BM25 over the turns that have left the context of a session. */
  searchLeft(query: string, session: string, limit: number, deadlineMs: number): Promise<readonly StoredTurn[]>;
  /** For each text: whether one turn before the session's eyes has all its words. */
  areLive(session: string, texts: readonly string[], deadlineMs: number): Promise<readonly boolean[]>;

  /** Summaries of a session, oldest first. */
  summaries(session: string, deadlineMs: number): Promise<readonly StoredSummary[]>;
  addSummary(summary: NewSummary, deadlineMs: number): Promise<void>;

  /** Turns by handle; more than one only if two messages share it by chance. */
  turns(handle: string, deadlineMs: number): Promise<readonly StoredTurn[]>;
  /** Archived turns of a project, the newest first, each with the beginning of its text only. */
  newestTurns(query: TurnQuery, deadlineMs: number): Promise<readonly StoredTurn[]>;
  /** Archived neighbours of a turn in its session, in order, the turn itself left out. */
  neighbours(turn: StoredTurn, count: number, deadlineMs: number): Promise<Neighbours>;

  /** Keeps a memory once per scope and text. `supersedes` names the rows that it takes the place of. */
  remember(memory: NewMemory, deadlineMs: number, supersedes?: readonly number[]): Promise<Remembered>;
  /** By id, whatever their status, in the order asked for; unknown ids are left out. */
  memoriesById(ids: readonly number[], deadlineMs: number): Promise<readonly Memory[]>;
  /** Newest first. */
  memories(query: MemoryQuery, deadlineMs: number): Promise<readonly Memory[]>;
  /** As `memories`, oldest first and all of them. */
  allMemories(project: MemoryQuery['project'], deadlineMs: number): Promise<readonly Memory[]>;
  /**
   * Takes memories over as they are, all or none; one that is there already, whatever became of it, stays as it is. Answers for each the
   * row that holds it now.
   */
  takeOver(
    memories: readonly PortedMemory[],
    deadlineMs: number,
  ): Promise<readonly { readonly id: number; readonly added: boolean }[]>;
  /** Notes which memory took the place of which, by id. */
  linkSuperseded(links: readonly { readonly id: number; readonly by: number }[], deadlineMs: number): Promise<void>;
  /** Removes a memory with its vectors, index entries and bytes. */
  forget(id: number, deadlineMs: number): Promise<Forgotten>;
  /** BM25 over active memories of the project and global ones, and over archived turns of the project. */
  searchText(
    query: string,
    project: string | undefined,
    limit: number,
    deadlineMs: number,
    only?: 'memories',
  ): Promise<TextHits>;

  /**
   * Writes an entry; `replaces` must be an entry that is there. `supersedes` names entries that it takes the place of, which end with
   * it.
   */
  addDirective(
    directive: NewDirective,
    deadlineMs: number,
    supersedes?: readonly StoredDirective[],
  ): Promise<StoredDirective>;
  /** Takes away the texts of entries, with their bytes; that something was there stays. */
  forgetDirectives(ids: readonly number[], deadlineMs: number): Promise<Forgotten>;
  /**
   * The whole ledger of the project with what is for every project, oldest first; undefined: only the latter. What has expired
   * says so.
   */
  directives(project: string | undefined, deadlineMs: number): Promise<readonly StoredDirective[]>;

  missingVectors(model: string, limit: number, deadlineMs: number): Promise<readonly MissingVector[]>;
  /** Vectors of memories that are gone meanwhile are ignored. */
  putVectors(model: string, vectors: readonly NewVector[], deadlineMs: number): Promise<void>;
  /** Up to `limit` memories changed after `revision`, for an index over the vectors of one model. */
  changesSince(model: string, revision: number, limit: number, deadlineMs: number): Promise<IndexChanges>;
  /** For each message id: memories that chitta itself made from that message, whatever their status. */
  madeFrom(sourceIds: readonly string[], deadlineMs: number): Promise<ReadonlyMap<string, readonly number[]>>;

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

export interface Neighbours {
  readonly before: readonly StoredTurn[];
  readonly after: readonly StoredTurn[];
}
