/** What is fuzzed: inputs of one kind, and what must hold of each. */
import type fc from 'fast-check';

export interface Target {
  readonly name: string;
  /** Cases of this target for each of the fastest: what takes a process a case cannot be run as often. */
  readonly share: number;
  /** The property, and how a failing input is written to a file. */
  readonly property: fc.IRawProperty<unknown[], boolean>;
}

/** Throws with all that does not hold. */
export function holds(breaches: readonly string[]): void {
  if (breaches.length > 0) throw new Error(breaches.slice(0, 5).join('\n'));
}

/** Splits bytes at the given shares: what comes over a pipe comes in parts. */
export function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => Math.floor(cut * bytes.length)))].sort((a, b) => a - b);
  const chunks: Buffer[] = [];
  let from = 0;
  for (const to of [...places, bytes.length]) {
    chunks.push(bytes.subarray(from, to));
    from = to;
  }
  return chunks;
}
