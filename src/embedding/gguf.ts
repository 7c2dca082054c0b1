/**
 * Reads the metadata of a GGUF file: the key/value section in front of the tensors, never a weight.
 * Layout: ggml's docs/gguf.md, versions 2 and 3, little-endian. A damaged or foreign file is E_MODEL, never a crash or a long wait.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { ChittaError } from '../errors.ts';
import { reasonOf } from '../platform/small-file.ts';

/** First four bytes of every GGUF file. */
export const GGUF_MAGIC = 'GGUF' as const;

/** A value of the metadata; of an array only the length is kept, as vocabularies have hundreds of thousands of entries. */
export type GgufValue = string | number | boolean | { readonly length: number };
export type GgufMetadata = ReadonlyMap<string, GgufValue>;

/** Vocabularies of 256,000 words take about 6 MB; a longer header is not one of an embedding model. */
const MAX_HEADER_BYTES: number = 64 * 2 ** 20;
const BLOCK_BYTES: number = 2 ** 20;
const MAX_KEYS = 10_000;

/** Type numbers of the format. */
const BOOL = 7;
const STRING = 8;
const ARRAY = 9;

/** Bytes of each fixed-size type, by its number. */
const WIDTHS: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

function numberAt(bytes: Buffer, at: number, type: number): number {
  switch (type) {
    case 0:
    case BOOL:
      return bytes.readUInt8(at);
    case 1:
      return bytes.readInt8(at);
    case 2:
      return bytes.readUInt16LE(at);
    case 3:
      return bytes.readInt16LE(at);
    case 5:
      return bytes.readInt32LE(at);
    case 6:
      return bytes.readFloatLE(at);
    case 10:
      return Number(bytes.readBigUInt64LE(at));
    case 11:
      return Number(bytes.readBigInt64LE(at));
    case 12:
      return bytes.readDoubleLE(at);
    default:
      return bytes.readUInt32LE(at);
  }
}

/** A window over the file that moves on as the header is read. */
class Cursor {
  readonly #descriptor: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;
  #at = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Place of the next `length` bytes inside `bytes`, after reading on if needed. */
  take(length: number): { bytes: Buffer; at: number } {
    if (this.#at + length > this.#window.length) this.#readOn(length);
    const at = this.#at;
    this.#at += length;
    return { bytes: this.#window, at };
  }

  #readOn(length: number): void {
    const position = this.#start + this.#at;
    if (length > MAX_HEADER_BYTES || position + length > MAX_HEADER_BYTES) throw new Error('its header never ends');
    const window = Buffer.alloc(Math.max(length, BLOCK_BYTES));
    let filled = 0;
    while (filled < length) {
      const read = readSync(this.#descriptor, window, filled, window.length - filled, position + filled);
      if (read === 0) throw new Error('it ends inside its header');
      filled += read;
    }
    this.#window = window.subarray(0, filled);
    this.#start = position;
    this.#at = 0;
  }

  number(type: number): number {
    const width = WIDTHS[type];
    if (width === undefined) throw new Error(`its header holds an unknown type (${type})`);
    const { bytes, at } = this.take(width);
    return numberAt(bytes, at, type);
  }

  /** A count or a length: 64 bits, checked against what a header can hold. */
  count(): number {
    const { bytes, at } = this.take(8);
    // Two halves: vocabularies ask this a hundred thousand times, and big integers are slow.
    const value = bytes.readUInt32LE(at);
    if (value > MAX_HEADER_BYTES || bytes.readUInt32LE(at + 4) !== 0) throw new Error('its header is damaged');
    return value;
  }

  string(): string {
    const length = this.count();
    const { bytes, at } = this.take(length);
    return bytes.toString('utf8', at, at + length);
  }

  /** Passes over an array and answers its length. */
  array(): { readonly length: number } {
    const type = this.number(4);
    const length = this.count();
    if (type === STRING) {
      for (let index = 0; index < length; index++) this.take(this.count());
      return { length };
    }
    const width = WIDTHS[type];
    if (width === undefined) throw new Error(`its header holds an array of an unknown type (${type})`);
    for (let left = length * width; left > 0; left -= BLOCK_BYTES) this.take(Math.min(left, BLOCK_BYTES));
    return { length };
  }

  value(): GgufValue {
    const type = this.number(4);
    if (type === STRING) return this.string();
    if (type === ARRAY) return this.array();
    const value = this.number(type);
    return type === BOOL ? value !== 0 : value;
  }
}

function metadataFrom(cursor: Cursor): GgufMetadata {
  const { bytes, at } = cursor.take(GGUF_MAGIC.length);
  if (bytes.toString('latin1', at, at + GGUF_MAGIC.length) !== GGUF_MAGIC) throw new Error('it is not a GGUF file');
  const version = cursor.number(4);
  if (version !== 2 && version !== 3) throw new Error(`GGUF version ${version} is not supported`);
  cursor.count(); // tensors
  const keys = cursor.count();
  if (keys > MAX_KEYS) throw new Error('its header is damaged');
  const metadata = new Map<string, GgufValue>();
  for (let index = 0; index < keys; index++) {
    const key = cursor.string();
    metadata.set(key, cursor.value());
  }
  return metadata;
}

/** The metadata of the GGUF file at `path`. Throws E_MODEL if it cannot be read, is no GGUF file or is damaged. */
export function readGgufMetadata(path: string): GgufMetadata {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    return metadataFrom(new Cursor(descriptor));
  } catch (cause) {
    throw new ChittaError('E_MODEL', `${path} cannot be used as a model: ${reasonOf(cause)}`, {
      hint: 'chitta model list shows the models that can',
      cause,
    });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
