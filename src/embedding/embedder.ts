/**
 * Texts to vectors. Each text is tokenised, cut into runs the model can take, embedded, and pooled to one vector of length 1.
 * Works through the texts in order, as many runs at once as there are contexts, and gives the event loop back between runs.
 */
import { ChittaError } from '../errors.ts';
import { reasonOf } from '../platform/small-file.ts';
import { chunksOf, headOf, isHuge, MAX_CHUNKS, tailOf } from './chunks.ts';
import { type Engine, type EngineOptions, loadEngine } from './llama.ts';
import type { ModelSpec } from './model.ts';
import { poolVectors, type Weighted } from './pool.ts';
import { loadTokenizer, type TextTokenizer } from './tokenizer.ts';

export interface EmbedOptions {
  /** Models may expect other words in front of what is searched for than of what is found. */
  readonly kind: 'query' | 'passage';
  /** Only the first so many tokens of each text count; for a query that has a deadline. */
  readonly maxTokens?: number;
  /** Honoured between runs, about 0.2 s at most: the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface Embedder {
  readonly model: ModelSpec;
  /** One vector of length 1 per text, in order; undefined for a text without words and for one that could not be embedded. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<(Float32Array | undefined)[]>;
  /** Lets go of the model and its memory once the runs at work are through. Calls under way and later ones reject. */
  dispose(): Promise<void>;
}

/** Special tokens that llama.cpp puts around a run by itself, at most. */
const ADDED_BY_LLAMA = 2;

interface Run {
  readonly ids: readonly number[];
  /** What it counts in the mean: tokens of the text itself. */
  readonly tokens: number;
}

function idsOf(tokenizer: TextTokenizer, text: string, prefix: string, most: number, maxTokens?: number): number[] {
  if (maxTokens !== undefined) return tokenizer.encode(prefix + headOf(text, 2 * maxTokens));
  const half = most / 2;
  if (!isHuge(text, half)) return tokenizer.encode(prefix + text);
  return [...tokenizer.encode(prefix + headOf(text, half)), ...tokenizer.encode(tailOf(text, half))];
}

/** A text as runs of token numbers that are ready for the model; none for a text without words. */
export function runsOf(spec: ModelSpec, tokenizer: TextTokenizer, text: string, options: EmbedOptions): readonly Run[] {
  if (text.trim() === '') return [];
  const { start, end } = tokenizer;
  const prefix = options.kind === 'query' ? spec.queryPrefix : spec.passagePrefix;
  // Without its last space, which some tokenizers make a part of the word that follows.
  const lead = prefix === '' ? [] : tokenizer.encode(prefix.trimEnd());
  const around = Math.max(start.length + end.length, ADDED_BY_LLAMA) + lead.length;
  const size = Math.max(1, spec.chunkTokens - around);
  const ids = idsOf(tokenizer, text, prefix, size * MAX_CHUNKS, options.maxTokens);
  // Every run gets the prefix, not only the first, unless it melted into the text.
  const leads = lead.length > 0 && lead.every((id, index) => ids[index] === id);
  const body = (leads ? ids.slice(lead.length) : ids).slice(0, options.maxTokens);
  const front = leads ? [...start, ...lead] : start;
  return chunksOf(body, size).map((run) => ({ ids: [...front, ...run, ...end], tokens: run.length }));
}

/** Lets everything else on the event loop have its turn. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Lends out the contexts, first come first served. */
class Contexts {
  readonly #free: number[];
  readonly #waiting: ((context: number) => void)[] = [];

  constructor(count: number) {
    this.#free = Array.from({ length: count }, (_, index) => index);
  }

  take(): Promise<number> {
    const free = this.#free.shift();
    return free === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(free);
  }

  giveBack(context: number): void {
    const next = this.#waiting.shift();
    if (next) next(context);
    else this.#free.push(context);
  }
}

/** An embedder on an engine that is loaded. `log` is told of texts that could not be embedded. */
export function embedderOn(
  engine: Engine,
  model: ModelSpec,
  tokenizer: TextTokenizer,
  log: (line: string) => void = () => undefined,
): Embedder {
  const contexts = new Contexts(engine.contexts);
  let disposed = false;

  function refuseDisposed(): void {
    if (disposed) throw new ChittaError('E_MODEL', `the model ${model.name} was let go`);
  }

  async function embedRun({ ids }: Run, signal: AbortSignal | undefined): Promise<readonly number[]> {
    refuseDisposed();
    const context = await contexts.take();
    try {
      signal?.throwIfAborted();
      refuseDisposed();
      return await engine.vectorOf(context, ids);
    } finally {
      contexts.giveBack(context);
    }
  }

  async function embedText(text: string, options: EmbedOptions): Promise<Float32Array | undefined> {
    const parts: Weighted[] = [];
    try {
      for (const run of runsOf(model, tokenizer, text, options)) {
        parts.push({ vector: await embedRun(run, options.signal), tokens: run.tokens });
      }
      return poolVectors(parts);
    } catch (error) {
      options.signal?.throwIfAborted();
      refuseDisposed();
      log(`a text of ${text.length} characters could not be embedded: ${reasonOf(error)}`);
      return undefined;
    }
  }

  return {
    model,
    embed: async (texts, options) => {
      refuseDisposed();
      const vectors: (Float32Array | undefined)[] = Array.from(texts, () => undefined);
      let next = 0;
      // One text per worker: never more runs in the queue than contexts, so that a second call need not wait for the whole of the first.
      const work = async (): Promise<void> => {
        for (let index = next++; index < texts.length; index = next++) {
          // Tokenising a long text takes some milliseconds, in which nothing else has its turn.
          await breathe();
          options.signal?.throwIfAborted();
          vectors[index] = await embedText(texts[index] ?? '', options);
        }
      };
      const workers = Array.from({ length: Math.min(engine.contexts, texts.length) }, work);
      // All of them, so that none is still at work when the caller hears of an abort.
      const ends = await Promise.allSettled(workers);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      return vectors;
    },
    dispose: async () => {
      if (disposed) return;
      disposed = true;
      // Under a run, llama.cpp's memory must not go.
      for (let index = 0; index < engine.contexts; index++) await contexts.take();
      await engine.dispose();
    },
  };
}

/** Loads a model, about 1.5 s. Rejects with E_MODEL if a file is missing or unusable, or node-llama-cpp is not there. */
export async function loadEmbedder(model: ModelSpec, options: EngineOptions = {}): Promise<Embedder> {
  const tokenizer = loadTokenizer(model);
  const engine = await loadEngine(model, options);
  const own: TextTokenizer = { encode: engine.encode, start: [], end: [] };
  return embedderOn(engine, model, tokenizer ?? own, options.log);
}
