/**
 * The nearest of up to some 100,000 vectors, in memory: a look at all signatures, then the likely rows in full. Rows are
 * kept as 16-bit integers (half of float32; with 8 bits, neighbours that are nearly equal change places: recall@3 of 0.97
 * and less). Searches run in slices and let go of the event loop between them. bench/memory measures speed and recall.
 */
import { giveWay } from './deadline.ts';
import { compareSignatures, signatureWords, writeSignature } from './signature.ts';

/** Rows are kept in blocks, so that growing copies nothing; one block is also the smallest slice of a search. */
const BLOCK_ROWS = 4_096;
/** A search gives way after so long. */
const SLICE_MS = 8;
/** Compared in full: at least so many rows, or one of so many. */
const MIN_CANDIDATES = 512;
const ROWS_PER_CANDIDATE = 32;

const LARGEST = 32_767;
/** Distance of rows that may not be found; above every real one. */
const OUT = 0xffff;
/** Trust of an empty row. */
const EMPTY = 0xff;

/** Who may be found: rows of every project have scope 0. */
export interface VectorQuery {
  /** L2-normalised. */
  readonly vector: Float32Array;
  /** Rows of this scope, and of scope 0. */
  readonly scope: number;
  /** Rows above this are left out. */
  readonly trust: number;
  readonly except?: ReadonlySet<number> | undefined;
}

export interface VectorHit {
  readonly id: number;
  readonly cosine: number;
}

interface Block {
  readonly ids: Float64Array;
  readonly scopes: Uint32Array;
  readonly trust: Uint8Array;
  readonly signatures: Uint32Array;
  readonly values: Int16Array;
  readonly scales: Float32Array;
}

/** Four sums at a time: each waits for its own last addition only. */
function dot(vector: Float32Array, values: Int16Array, from: number): number {
  const { length } = vector;
  // Not destructured from an array: that alone took as long as the sums.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    a += (vector[i] ?? 0) * (values[from + i] ?? 0);
    b += (vector[i + 1] ?? 0) * (values[from + i + 1] ?? 0);
    c += (vector[i + 2] ?? 0) * (values[from + i + 2] ?? 0);
    d += (vector[i + 3] ?? 0) * (values[from + i + 3] ?? 0);
  }
  for (; i < length; i += 1) a += (vector[i] ?? 0) * (values[from + i] ?? 0);
  return a + b + c + d;
}

function mayBeFound(block: Block, row: number, { scope, trust }: VectorQuery): boolean {
  const scopeOfRow = block.scopes[row];
  return (block.trust[row] ?? EMPTY) <= trust && (scopeOfRow === 0 || scopeOfRow === scope);
}

/** Vectors of one model by id. `trust` (0–254) and `scope` decide which queries may find a row. */
export class VectorIndex {
  readonly dim: number;
  readonly #words: number;
  readonly #blocks: Block[] = [];
  readonly #rowOf: Map<number, number> = new Map();
  readonly #free: number[] = [];
  /** Rows in use or free. */
  #rows = 0;

  constructor(dim: number) {
    this.dim = dim;
    this.#words = signatureWords(dim);
  }

  /** Vectors held. */
  get size(): number {
    return this.#rowOf.size;
  }

  /** Adds or replaces a vector. One of another dimension is left out: it cannot be compared. */
  put(id: number, vector: Float32Array, scope: number, trust: number): void {
    if (vector.length !== this.dim) return;
    const row = this.#rowOf.get(id) ?? this.#free.pop() ?? this.#rows++;
    const block = this.#blockOf(row);
    const inBlock = row % BLOCK_ROWS;
    this.#rowOf.set(id, row);
    block.ids[inBlock] = id;
    block.scopes[inBlock] = scope;
    block.trust[inBlock] = trust;
    writeSignature(vector, block.signatures, inBlock * this.#words);
    let largest = 0;
    for (const value of vector) largest = Math.max(largest, Math.abs(value));
    const scale = largest / LARGEST;
    block.scales[inBlock] = scale;
    const start = inBlock * this.dim;
    for (let i = 0; i < this.dim; i += 1) {
      block.values[start + i] = scale === 0 ? 0 : Math.round((vector[i] ?? 0) / scale);
    }
  }

  /** As it is kept, a copy; undefined if there is none. */
  vectorOf(id: number): Float32Array | undefined {
    const row = this.#rowOf.get(id);
    if (row === undefined) return undefined;
    const { values, scales } = this.#blockOf(row);
    const inBlock = row % BLOCK_ROWS;
    const scale = scales[inBlock] ?? 0;
    return Float32Array.from(values.subarray(inBlock * this.dim, (inBlock + 1) * this.dim), (value) => value * scale);
  }

  /** Cosine of a held vector and another; undefined if there is none. */
  cosineTo(id: number, vector: Float32Array): number | undefined {
    const row = this.#rowOf.get(id);
    if (row === undefined || vector.length !== this.dim) return undefined;
    const { values, scales } = this.#blockOf(row);
    const inBlock = row % BLOCK_ROWS;
    return dot(vector, values, inBlock * this.dim) * (scales[inBlock] ?? 0);
  }

  remove(id: number): void {
    const row = this.#rowOf.get(id);
    if (row === undefined) return;
    this.#rowOf.delete(id);
    this.#free.push(row);
    this.#blockOf(row).trust[row % BLOCK_ROWS] = EMPTY;
  }

  /**
   * The `count` nearest vectors of each query, nearest first. Gives way about every 8 ms; rows that change meanwhile are
   * found as they are then. A query of another dimension finds nothing.
   */
  async search(queries: readonly VectorQuery[], count: number): Promise<VectorHit[][]> {
    const distances = new Uint16Array(this.#blocks.length * BLOCK_ROWS);
    const signature = new Uint32Array(this.#words);
    const found: VectorHit[][] = [];
    let sliceEnds = performance.now() + SLICE_MS;
    const breathe = async (): Promise<void> => {
      if (performance.now() < sliceEnds) return;
      await giveWay();
      sliceEnds = performance.now() + SLICE_MS;
    };
    for (const query of queries) {
      if (query.vector.length !== this.dim) {
        found.push([]);
        continue;
      }
      writeSignature(query.vector, signature, 0);
      const counts = new Uint32Array(this.#words * 32 + 1);
      const blocks = Math.ceil(distances.length / BLOCK_ROWS);
      for (let block = 0; block < blocks; block += 1) {
        this.#look(block, query, signature, distances, counts);
        await breathe();
      }
      const farthest = this.#farthest(counts);
      const best = new Best(count);
      for (let block = 0; block < blocks; block += 1) {
        this.#compare(block, query, distances, farthest, best);
        await breathe();
      }
      found.push(best.hits);
    }
    return found;
  }

  #blockOf(row: number): Block {
    const index = Math.floor(row / BLOCK_ROWS);
    return (this.#blocks[index] ??= {
      ids: new Float64Array(BLOCK_ROWS),
      scopes: new Uint32Array(BLOCK_ROWS),
      trust: new Uint8Array(BLOCK_ROWS).fill(EMPTY),
      signatures: new Uint32Array(BLOCK_ROWS * this.#words),
      values: new Int16Array(BLOCK_ROWS * this.dim),
      scales: new Float32Array(BLOCK_ROWS),
    });
  }

  /** Distances of one block's rows, and how many rows there are of each distance. */
  #look(index: number, query: VectorQuery, signature: Uint32Array, distances: Uint16Array, counts: Uint32Array): void {
    const block = this.#blocks[index];
    if (block === undefined) return;
    const rows = Math.min(BLOCK_ROWS, this.#rows - index * BLOCK_ROWS);
    const mine = distances.subarray(index * BLOCK_ROWS, (index + 1) * BLOCK_ROWS);
    compareSignatures(signature, block.signatures, rows, this.#words, mine);
    for (let row = 0; row < BLOCK_ROWS; row += 1) {
      const distance = mine[row] ?? OUT;
      if (row < rows && mayBeFound(block, row, query)) counts[distance] = (counts[distance] ?? 0) + 1;
      else mine[row] = OUT;
    }
  }

  /** The distance up to which rows are compared in full. */
  #farthest(counts: Uint32Array): number {
    const wanted = Math.max(MIN_CANDIDATES, Math.floor(this.#rows / ROWS_PER_CANDIDATE));
    let candidates = 0;
    let distance = 0;
    while (distance < counts.length && candidates < wanted) {
      candidates += counts[distance] ?? 0;
      distance += 1;
    }
    return distance - 1;
  }

  #compare(index: number, query: VectorQuery, distances: Uint16Array, farthest: number, best: Best): void {
    const block = this.#blocks[index];
    if (block === undefined) return;
    const { values, scales, ids } = block;
    const { vector, except } = query;
    const start = index * BLOCK_ROWS;
    for (let row = 0; row < BLOCK_ROWS; row += 1) {
      if ((distances[start + row] ?? OUT) > farthest) continue;
      const id = ids[row] ?? 0;
      // Looked at again: the row may hold another vector by now.
      if (except?.has(id) === true || !mayBeFound(block, row, query)) continue;
      best.offer(id, dot(vector, values, row * this.dim) * (scales[row] ?? 0));
    }
  }
}

/** The best so many of what is offered, best first. */
class Best {
  readonly hits: VectorHit[] = [];
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  offer(id: number, cosine: number): void {
    const { hits } = this;
    if (hits.length >= this.#count && cosine <= (hits.at(-1)?.cosine ?? Infinity)) return;
    let at = hits.length;
    while (at > 0 && (hits[at - 1]?.cosine ?? 0) < cosine) at -= 1;
    hits.splice(at, 0, { id, cosine });
    if (hits.length > this.#count) hits.pop();
  }
}
