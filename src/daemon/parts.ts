/** What the server needs of the model and of the memory; `run.ts` fills it in, tests bring their own. */

/** A model that is loaded. */
export interface TextEmbedder {
  /** One vector of length 1 per text; undefined for a text without words. `maxTokens` clips each text. Rejects when aborted. */
  embed(
    texts: readonly string[],
    options: { readonly kind: 'query' | 'passage'; readonly maxTokens?: number; readonly signal?: AbortSignal },
  ): Promise<(Float32Array | undefined)[]>;
  dispose(): Promise<void>;
}

/** Vectors of passages that were embedded before, by the sha256 of the text. */
export interface KnownVectors {
  get(hashes: readonly string[]): (Float32Array | undefined)[];
  /** As `get`, without noting that they were used. */
  peek(hashes: readonly string[]): (Float32Array | undefined)[];
  put(entries: readonly (readonly [hash: string, vector: Float32Array])[]): void;
  /** Bytes on disk; 0 if nothing is kept. */
  bytes(): number;
  close(): void;
}

export interface Embedding {
  /** The model's id. */
  readonly model: string;
  /** Called once. Rejects if the model cannot be used. */
  load(): Promise<TextEmbedder>;
  readonly known: KnownVectors;
}

export interface CoverageQuestion {
  /** As they are embedded: masked, clipped. */
  readonly texts: readonly string[];
  readonly vectors: readonly (Float32Array | undefined)[];
  readonly sourceIds: readonly (string | undefined)[];
  readonly project: string | undefined;
}

export interface RecallQuestion {
  readonly query: string;
  /** undefined: not embedded in time; words alone decide. */
  readonly vector: Float32Array | undefined;
  readonly project: string | undefined;
  readonly limit: number;
}

/** A prompt that has come in, to be answered as the use case has it. */
export interface PromptRecall {
  readonly prompt: string;
  readonly session: string;
  /** Tells the prompts of a session apart. */
  readonly key: string;
  readonly project: string;
}

export interface SimilarTurn {
  readonly id: number;
  readonly cosine: number;
  readonly like: readonly number[];
}

/** Archived turns by likeness. Calls reject when the database cannot answer in time. */
export interface Turns {
  /** Takes over what is new of a project; what there is no time for is taken over by the next call. */
  follow(project: string, deadlineMs: number): Promise<void>;
  /** The turns most like a vector, best first, each with the memories near that vector that it is much like. */
  similar(vector: Float32Array, project: string, limit: number, deadlineMs: number): Promise<readonly SimilarTurn[]>;
  /** Up to `count` that should get a vector, the newest first; not given again. */
  takeOpen(
    project: string,
    count: number,
    deadlineMs: number,
  ): Promise<readonly { readonly id: number; readonly role: string; readonly text: string }[]>;
  put(project: string, id: number, vector: Float32Array): void;
}

/** The memory database. Calls reject when it cannot answer in time; the server goes on without. */
export interface Memories {
  /** Per text: 0..1, undefined where there is no vector. Gives the event loop back at least every 50 ms. */
  coverage(question: CoverageQuestion, deadlineMs: number): Promise<readonly (number | undefined)[]>;
  /** Best first, as they go over the wire. */
  recall(question: RecallQuestion, deadlineMs: number): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** What to put beside a prompt, as it goes over the wire; it is noted that it was asked. */
  forPrompt(
    question: PromptRecall,
    vector: Float32Array | undefined,
    deadlineMs: number,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** The memories most like a vector, best first. */
  similar(
    vector: Float32Array,
    project: string | undefined,
    limit: number,
    deadlineMs: number,
  ): Promise<readonly { readonly id: number; readonly cosine: number }[]>;
  /** Absent where only memories have vectors. */
  readonly turns?: Turns;
  /** Memories that have no vector of this model yet, at most `limit`. */
  missing(limit: number, deadlineMs: number): Promise<readonly { readonly id: number; readonly text: string }[]>;
  putVectors(
    vectors: readonly { readonly id: number; readonly vector: Float32Array }[],
    deadlineMs: number,
  ): Promise<void>;
  close(): Promise<void> | void;
}

/** The texts of a transcript's newest turns, oldest first; empty if it cannot be read. */
export type ReadTexts = (path: string) => Promise<readonly string[]>;

/** Gives the event loop back, so that everyone else has their turn. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Work without a pause, at most; with what one step takes it stays far below 50 ms. */
const SLICE_MS = 5;

/** For loops that may be long: what it returns is awaited between steps, and gives the event loop back now and then. */
export function slices(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return breathe().then(() => {
      since = performance.now();
      return undefined;
    });
  };
}
