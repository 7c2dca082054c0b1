/**
 * Vectors of texts, known or to be made. What was made is written down soon after, in batches; a process that dies in between has
 * to do that part again.
 */
import type { Complaints } from './complaints.ts';
import type { Embedding, TextEmbedder } from './parts.ts';
import { slices } from './parts.ts';
import { EmbedQueue, type Ticket, type WorkKind } from './queue.ts';
import { prepare, type Prepared } from './texts.ts';

/** Texts looked up at once. */
const LOOKUP_TEXTS = 32;
const WRITE_AFTER_MS = 100;
const WRITE_AT_VECTORS = 64;
/** Texts that have no vector (no words), remembered so that they are not tried again and again. */
const MAX_WORDLESS = 10_000;
const MAX_QUERIES = 64;

export interface VectorsOptions {
  readonly embedding: Embedding;
  readonly complaints: Complaints;
  /** An embedding call has not come back for `stuckAfterMs`; it never will. */
  readonly onStuck: () => void;
  readonly stuckAfterMs: number;
}

export interface Wanted {
  /** Per text, in order; filled in as vectors come. */
  readonly vectors: (Float32Array | undefined)[];
  /** Texts for which there is, or will be, nothing more to do. */
  readonly done: () => number;
  /** All that can be had is there. */
  readonly complete: Promise<unknown>;
  leave(what: 'drop' | 'later'): void;
}

function forgetOldest<K>(entries: { size: number; keys(): Iterator<K>; delete(key: K): boolean }, most: number): void {
  if (entries.size <= most) return;
  const oldest = entries.keys().next();
  if (!oldest.done) entries.delete(oldest.value);
}

export class Vectors {
  readonly #options: VectorsOptions;
  readonly #queue: EmbedQueue;
  readonly #wordless = new Set<string>();
  /** Made, and not written down yet. */
  readonly #fresh = new Map<string, Float32Array>();
  readonly #queries = new Map<string, Float32Array>();
  #loading: Promise<TextEmbedder> | undefined;
  #embedder: TextEmbedder | undefined;
  #closed = false;
  #writer: NodeJS.Timeout | undefined;
  #made = 0;

  constructor(options: VectorsOptions) {
    this.#options = options;
    this.#queue = new EmbedQueue((text, kind, signal) => this.#embed(text, kind, signal));
  }

  /** Loads the model. Rejects if it cannot be used. */
  async load(): Promise<void> {
    this.#loading = this.#options.embedding.load();
    this.#embedder = await this.#loading;
    if (!this.#closed) this.#queue.open();
  }

  get isReady(): boolean {
    return this.#embedder !== undefined;
  }

  get isIdle(): boolean {
    return this.#queue.isIdle;
  }

  get lengths(): Record<WorkKind, number> {
    return this.#queue.lengths;
  }

  /** Vectors made since the start. */
  get made(): number {
    return this.#made;
  }

  get bytes(): number {
    return this.#options.embedding.known.bytes();
  }

  /** Texts as they are embedded; in slices. */
  async prepare(texts: readonly string[]): Promise<Prepared[]> {
    const prepared: Prepared[] = [];
    const giveWay = slices();
    for (const text of texts) {
      prepared.push(prepare(text));
      await giveWay();
    }
    return prepared;
  }

  /** The vectors that are known already. */
  async known(texts: readonly Prepared[]): Promise<(Float32Array | undefined)[]> {
    const vectors: (Float32Array | undefined)[] = [];
    const giveWay = slices();
    for (let from = 0; from < texts.length; from += LOOKUP_TEXTS) {
      await giveWay();
      const hashes = texts.slice(from, from + LOOKUP_TEXTS).map(({ hash }) => hash);
      const stored = this.#options.embedding.known.get(hashes);
      vectors.push(...hashes.map((hash, index) => this.#fresh.get(hash) ?? stored[index]));
    }
    return vectors;
  }

  /** Known vectors at once, the missing ones embedded, the last text first: it is the newest. */
  async want(texts: readonly Prepared[], kind: WorkKind, owner: unknown): Promise<Wanted> {
    const vectors = await this.known(texts);
    const tickets: Ticket[] = [];
    const filled: Promise<void>[] = [];
    let open = 0;
    for (let index = texts.length - 1; index >= 0; index--) {
      const text = texts[index];
      if (!text || vectors[index] || this.#isWordless(text)) continue;
      const ticket = this.#queue.want(text, kind, owner);
      open++;
      tickets.push(ticket);
      const fillIn = async (): Promise<void> => {
        vectors[index] = await ticket.vector;
        open--;
      };
      filled.push(fillIn());
    }
    return {
      vectors,
      done: () => texts.length - open,
      complete: Promise.all(filled),
      leave: (what) => {
        for (const ticket of tickets) ticket.leave(what);
      },
    };
  }

  /** Has the missing ones embedded when there is nothing better to do. How many of the texts need nothing more. */
  async warm(texts: readonly Prepared[]): Promise<number> {
    const vectors = await this.known(texts);
    let done = 0;
    for (const [index, text] of texts.entries()) {
      if (vectors[index] || this.#isWordless(text)) done++;
      else this.#queue.warm(text);
    }
    return done;
  }

  /** The vector of what is searched for, of its first `maxTokens` tokens if given. */
  query(text: Prepared, maxTokens: number | undefined, owner: unknown): Ticket {
    const clipped = maxTokens === undefined ? text : { text: text.text, hash: `${text.hash} ${maxTokens}`, maxTokens };
    const known = this.#queries.get(clipped.hash);
    if (known) return { vector: Promise.resolve(known), leave: () => undefined };
    return this.#queue.want(clipped, 'query', owner);
  }

  /** Nothing is begun any more; what was made is written down. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.close();
    this.#write();
    this.#options.embedding.known.close();
    // Loading cannot be interrupted, and what is loaded would keep the process.
    const embedder = await this.#loading?.catch(() => undefined);
    await embedder?.dispose();
  }

  #isWordless({ text, hash }: Prepared): boolean {
    return text.trim() === '' || this.#wordless.has(hash);
  }

  async #embed(text: Prepared, kind: WorkKind, signal: AbortSignal): Promise<Float32Array | undefined> {
    const { stuckAfterMs, onStuck, complaints } = this.#options;
    const alarm = setTimeout(onStuck, stuckAfterMs);
    try {
      const [vector] =
        (await this.#embedder?.embed([text.text], {
          kind: kind === 'query' ? 'query' : 'passage',
          signal,
          ...(text.maxTokens === undefined ? {} : { maxTokens: text.maxTokens }),
        })) ?? [];
      this.#keep(text, kind, vector);
      return vector;
    } catch (error) {
      if (!signal.aborted) complaints.about('a text could not be embedded', error);
      throw error;
    } finally {
      clearTimeout(alarm);
    }
  }

  #keep({ hash }: Prepared, kind: WorkKind, vector: Float32Array | undefined): void {
    this.#made++;
    if (kind === 'query') {
      if (vector) this.#queries.set(hash, vector);
      return forgetOldest(this.#queries, MAX_QUERIES);
    }
    if (!vector) {
      this.#wordless.add(hash);
      return forgetOldest(this.#wordless, MAX_WORDLESS);
    }
    this.#fresh.set(hash, vector);
    if (this.#fresh.size >= WRITE_AT_VECTORS) return this.#write();
    this.#writer ??= setTimeout(() => this.#write(), WRITE_AFTER_MS);
  }

  #write(): void {
    clearTimeout(this.#writer);
    this.#writer = undefined;
    if (this.#fresh.size === 0) return;
    this.#options.embedding.known.put([...this.#fresh]);
    this.#fresh.clear();
  }
}
