/** Memories that have no vector yet get one: when someone asks for memories, and otherwise now and then. */
import { reasonOf } from '../platform/small-file.ts';
import type { Memories } from './parts.ts';
import type { Vectors } from './vectors.ts';

const BATCH = 32;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 600_000;
/** How often requests can have the database looked at: the parts of one request look once, and who stored something before asking is not missed. */
const ASKED_PAUSE_MS = 100;
const STORE_WITHIN_MS = 2_000;
/** Memories without words, which never get a vector; a page of the list is filled with them at most. */
const MAX_WORDLESS = 1_000;

export class MemoryFill {
  readonly #vectors: Vectors;
  readonly #memories: Memories;
  readonly #log: (line: string) => void;
  readonly #owner = {};
  readonly #wordless = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #lastAt = Number.NEGATIVE_INFINITY;
  #busy = false;
  #looked: Promise<void> = Promise.resolve();
  /** The last look found more than it could take. */
  #behind = false;
  #closed = false;

  constructor(vectors: Vectors, memories: Memories, log: (line: string) => void) {
    this.#vectors = vectors;
    this.#memories = memories;
    this.#log = log;
  }

  get isBusy(): boolean {
    return this.#busy;
  }

  /** Looks at once, or as soon as the last look is long enough ago: a memory stored right after it is not left waiting. */
  ask(): void {
    // At 0 the next round is about to begin anyway.
    if (this.#busy || this.#closed || this.#pauseMs === 0) return;
    clearTimeout(this.#timer);
    this.#pauseMs = FIRST_PAUSE_MS;
    const waitMs = this.#lastAt + ASKED_PAUSE_MS - performance.now();
    if (waitMs <= 0) void this.#round();
    else this.#timer = setTimeout(() => void this.#round(), waitMs);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #round(): Promise<void> {
    this.#busy = true;
    this.#lastAt = performance.now();
    let filled = 0;
    try {
      filled = await this.#batch();
      this.#behind = filled === BATCH;
    } catch (error) {
      this.#log(`memories could not be given vectors: ${reasonOf(error)}`);
    }
    this.#busy = false;
    if (this.#closed) return;
    this.#pauseMs = filled > 0 ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs));
    this.#timer = setTimeout(() => (this.#looked = this.#round()), this.#pauseMs);
  }

  /** How many got a vector. */
  async #batch(): Promise<number> {
    const limit = BATCH + Math.min(MAX_WORDLESS, this.#wordless.size);
    const missing = await this.#memories.missing(limit, STORE_WITHIN_MS);
    const open = missing.filter(({ id }) => !this.#wordless.has(id)).slice(0, BATCH);
    if (open.length === 0 || this.#closed) return 0;
    const texts = await this.#vectors.prepare(open.map(({ text }) => text));
    const wanted = await this.#vectors.want(texts, 'memory', this.#owner);
    await wanted.complete;
    const made = open.flatMap(({ id }, index) => {
      const vector = wanted.vectors[index];
      if (!vector && !this.#closed) this.#wordless.add(id);
      return vector ? [{ id, vector }] : [];
    });
    if (made.length > 0) await this.#memories.putVectors(made, STORE_WITHIN_MS);
    return made.length;
  }
}
