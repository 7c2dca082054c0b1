/** Memories and their vectors, as the use cases see them. */

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
  /** How often it was put beside a prompt or was found by someone who asked, and when last; absent if never. */
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

/** What can be done with memories and their vectors. Every call has its deadline; texts are masked before they are kept. */
export interface MemoryCalls {
  /** Keeps a memory once per scope and text. `supersedes` names the rows that it takes the place of. */
  remember(memory: NewMemory, deadlineMs: number, supersedes?: readonly number[]): Promise<Remembered>;
  /** By id, whatever their status, in the order asked for; unknown ids are left out. */
  memoriesById(ids: readonly number[], deadlineMs: number): Promise<readonly Memory[]>;
  /** Notes that they were of use. */
  noteUsed(ids: readonly number[], deadlineMs: number): Promise<void>;
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
  missingVectors(model: string, limit: number, deadlineMs: number): Promise<readonly MissingVector[]>;
  /** Vectors of memories that are gone meanwhile are ignored. */
  putVectors(model: string, vectors: readonly NewVector[], deadlineMs: number): Promise<void>;
  /** Up to `limit` memories changed after `revision`, for an index over the vectors of one model. */
  changesSince(model: string, revision: number, limit: number, deadlineMs: number): Promise<IndexChanges>;
  /** For each message id: memories that chitta itself made from that message, whatever their status. */
  madeFrom(sourceIds: readonly string[], deadlineMs: number): Promise<ReadonlyMap<string, readonly number[]>>;
}
