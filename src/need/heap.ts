/** A binary max-heap of numbered candidates. */

interface Entry {
  readonly rank: number;
  readonly candidate: number;
}

export class MaxHeap {
  readonly #entries: Entry[] = [];

  /** Highest rank; −Infinity when empty. */
  get top(): number {
    return this.#entries[0]?.rank ?? Number.NEGATIVE_INFINITY;
  }

  push(candidate: number, rank: number): void {
    const entries = this.#entries;
    const entry = { rank, candidate };
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = entries[up]!;
      if (!isBefore(entry, parent)) break;
      entries[at] = parent;
      at = up;
    }
    entries[at] = entry;
  }

  /** Takes the candidate of the highest rank out; equal ranks in order of their number. */
  pop(): number | undefined {
    const entries = this.#entries;
    const [top] = entries;
    const last = entries.pop();
    if (top === undefined || last === undefined || entries.length === 0) return top?.candidate;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && isBefore(entries[child + 1]!, entries[child]!)) child += 1;
      if (!isBefore(entries[child]!, last)) break;
      entries[at] = entries[child]!;
      at = child;
    }
    entries[at] = last;
    return top.candidate;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.rank > b.rank || (a.rank === b.rank && a.candidate < b.candidate);
}
