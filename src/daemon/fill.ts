/** Memories that have no vector yet get one: when someone asks for memories, and otherwise now and then. */
import type { Complaints } from './complaints.ts';
import type { Memories } from './parts.ts';
import type { Vectors } from './vectors.ts';

const TOPIC = 'memories could not be given vectors';
const BATCH = 32;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 600_000;
const STORE_WITHIN_MS = 2_000;
/** Memories without words, which never get a vector; a page of the list is filled with them at most. */
const MAX_WORDLESS = 1_000;

export class MemoryFill {
  readonly #vectors: Vectors;
  readonly #memories: Memories;
  readonly #complaints: Complaints;
  readonly #owner = {};
  readonly #wordless = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #busy = false;
  #looked: Promise<void> = Promise.resolve();
  /** The last look found more than it could take. */
  #behind = false;
  #closed = false;

  constructor(vectors: Vectors, memories: Memories, complaints: Complaints) {
    this.#vectors = vectors;
    this.#memories = memories;
    this.#complaints = complaints;
  }

  get isBusy(): boolean {
    return this.#busy;
  }

  /**
   * Looks now: a look costs what changed. Resolves when what was found has its vectors, so that a memory counts from the moment
   * it is stored; at once while there is more than anyone would wait for.
   */
  ask(): Promise<void> {
    if (this.#closed || !this.#vectors.isReady) return Promise.resolve();
    // At 0 the next round is about to begin anyway.
    if (!this.#busy && this.#pauseMs !== 0) {
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#begin();
    }
    return this.#behind ? Promise.resolve() : this.#looked;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#looked = this.#round();
  }

  async #round(): Promise<void> {
    this.#busy = true;
    let filled = 0;
    try {
      filled = await this.#batch();
      this.#behind = filled === BATCH;
      this.#complaints.clear(TOPIC);
    } catch (error) {
      this.#complaints.about(TOPIC, error);
    }
    this.#busy = false;
    if (this.#closed) return;
    this.#pauseMs = filled > 0 ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs));
    this.#timer = setTimeout(() => this.#begin(), this.#pauseMs);
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
