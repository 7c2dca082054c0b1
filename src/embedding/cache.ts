/**
 * Vectors of texts that were embedded before, by model and by the text's hash: in memory, and behind that in a SQLite file of its own.
 *
 * The file is a convenience. It holds no text, may be deleted at any time, and whatever is wrong with it (no native module, locked,
 * damaged, written by a newer chitta, disk full) costs speed only: nothing here throws.
 */
import { codeOf, reasonOf } from '../platform/small-file.ts';
import { discardVectorFile, isDamage, openVectorFile, type VectorFile } from './vector-file.ts';

export interface VectorCache {
  /** Why vectors do not outlive the process; undefined if they do. */
  readonly absence: string | undefined;
  /**
   * The known vectors of a model for these texts, in order; not to be changed. `space` is the model's id, or what else keeps vectors
   * apart; a hash is the sha256 of a text's UTF-8 bytes, in hex.
   */
  get(space: string, hashes: readonly string[]): (Float32Array | undefined)[];
  /** As `get`, for whoever looks through very many: it does not count as use, and nothing is kept in memory for it. */
  peek(space: string, hashes: readonly string[]): (Float32Array | undefined)[];
  put(space: string, entries: readonly (readonly [hash: string, vector: Float32Array])[]): void;
  /** Forgets these texts, whatever model their vectors are of; the bytes in the file are overwritten. False if the file could not be changed. */
  remove(hashes: readonly string[]): boolean;
  close(): void;
}

export interface CacheOptions {
  /** The file; its folder must exist. */
  readonly path: string;
  /** Rows kept in the file, the least recently used go first. Default 50,000: about 90 MB with the default model. */
  readonly maxRows?: number;
  /** Vectors kept in memory. Default 4,096: about 6 MB with the default model. */
  readonly maxInMemory?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Is told once when the file stops being of use. */
  readonly log?: (line: string) => void;
}

const MAX_ROWS = 50_000;
const MAX_IN_MEMORY = 4_096;

/** The most recently used vectors, in order of use: a Map keeps the order in which keys were set. */
class Recent {
  readonly #vectors = new Map<string, Float32Array>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Float32Array | undefined {
    const vector = this.#vectors.get(key);
    if (vector) this.set(key, vector);
    return vector;
  }

  peek(key: string): Float32Array | undefined {
    return this.#vectors.get(key);
  }

  set(key: string, vector: Float32Array): void {
    this.#vectors.delete(key);
    this.#vectors.set(key, vector);
    if (this.#vectors.size <= this.#most) return;
    const [oldest] = this.#vectors.keys();
    if (oldest !== undefined) this.#vectors.delete(oldest);
  }

  remove(hashes: ReadonlySet<string>): void {
    for (const key of this.#vectors.keys()) if (hashes.has(key.slice(0, HASH_LENGTH))) this.#vectors.delete(key);
  }
}

/** Hex digits of a sha256. */
const HASH_LENGTH = 64;
const keyOf = (space: string, hash: string): string => `${hash} ${space}`;

/** Opens the cache. Resolves in any case; without a usable file the cache lives in memory only. */
export async function openVectorCache(options: CacheOptions): Promise<VectorCache> {
  const { path, maxRows = MAX_ROWS, maxInMemory = MAX_IN_MEMORY, now = Date.now, log = () => undefined } = options;
  const recent = new Recent(maxInMemory);
  const opened = await openVectorFile(path, { maxRows, now });
  let file = opened.state === 'open' ? opened.file : undefined;
  let reason = opened.state === 'open' ? '' : opened.reason;
  if (!file) log(`vectors are not kept: ${reason}`);

  /** Does something with the file if there is one; undefined if that did not work. */
  let toldFull = false;

  function attempt<T>(deed: (open: VectorFile) => T): T | undefined {
    if (!file) return undefined;
    try {
      return deed(file);
    } catch (error) {
      // Another process is writing: this once goes without.
      if (codeOf(error)?.startsWith('SQLITE_BUSY')) return undefined;
      if (codeOf(error) === 'SQLITE_FULL') {
        if (!toldFull) log('vectors are not kept while the disk is full');
        toldFull = true;
        return undefined;
      }
      reason = reasonOf(error);
      log(`vectors are no longer kept: ${reason}`);
      file.close();
      if (isDamage(error)) discardVectorFile(path);
      file = undefined;
      return undefined;
    }
  }

  return {
    get absence() {
      return file ? undefined : reason;
    },
    get: (space, hashes) => {
      const vectors = hashes.map((hash) => recent.get(keyOf(space, hash)));
      const missing = hashes.filter((_, index) => vectors[index] === undefined);
      if (missing.length === 0) return vectors;
      const stored = attempt((open) => open.read(space, missing)) ?? new Map<string, Float32Array>();
      for (const [hash, vector] of stored) recent.set(keyOf(space, hash), vector);
      return hashes.map((hash, index) => vectors[index] ?? stored.get(hash));
    },
    peek: (space, hashes) => {
      const stored = attempt((open) => open.read(space, hashes, 'peek'));
      return hashes.map((hash) => stored?.get(hash) ?? recent.peek(keyOf(space, hash)));
    },
    put: (space, entries) => {
      for (const [hash, vector] of entries) recent.set(keyOf(space, hash), vector);
      if (entries.length > 0) attempt((open) => open.write(space, entries));
    },
    remove: (hashes) => {
      recent.remove(new Set(hashes));
      return attempt((open) => open.remove(hashes)) ?? false;
    },
    close: () => {
      file?.close();
      file = undefined;
      reason = 'it was closed';
    },
  };
}
