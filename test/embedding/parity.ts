/** Texts with the token numbers and vectors that the original model gives for them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ParityCase {
  readonly category: string;
  readonly text: string;
  /** With the special tokens around them. */
  readonly ids: readonly number[];
  /** Of length 1. */
  readonly vector: Float32Array;
}

interface Stored {
  readonly cases: readonly { category: string; text: string; ids: number[]; vector: string }[];
}

function readCases(): ParityCase[] {
  const path = join(import.meta.dirname, '..', 'fixtures', 'parity.json');
  // Written by ourselves, in exactly this shape.
  const { cases } = JSON.parse(readFileSync(path, 'utf8')) as Stored;
  return cases.map(({ vector, ...rest }) => {
    const bytes = Buffer.from(vector, 'base64');
    return { ...rest, vector: Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4)) };
  });
}

export const PARITY_CASES: readonly ParityCase[] = readCases();

/** Of two vectors of length 1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
