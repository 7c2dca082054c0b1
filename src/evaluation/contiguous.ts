/** Whether lines stand together somewhere: in order, with little in between. */

/** Short lines are left out of an edit's lines, so that up to so many others may stand between two of them. */
const MAX_GAP = 4;

/** The lines of a conversation in order, prepared to look for runs in them. */
export class LineSequence {
  readonly #lines: readonly string[];
  readonly #places = new Map<string, number[]>();

  constructor(lines: readonly string[]) {
    this.#lines = lines;
    for (const [index, line] of lines.entries()) {
      const places = this.#places.get(line);
      if (places === undefined) this.#places.set(line, [index]);
      else places.push(index);
    }
  }

  /** Whether all of `wanted` stand together. */
  holds(wanted: readonly string[]): boolean {
    const [first] = wanted;
    if (first === undefined) return true;
    return (this.#places.get(first) ?? []).some((start) => this.#holdsAt(start, wanted));
  }

  #holdsAt(start: number, wanted: readonly string[]): boolean {
    let found = 1;
    let gap = 0;
    for (let at = start + 1; at < this.#lines.length && found < wanted.length && gap <= MAX_GAP; at++) {
      if (this.#lines[at] === wanted[found]) {
        found += 1;
        gap = 0;
      } else gap += 1;
    }
    return found === wanted.length;
  }
}
