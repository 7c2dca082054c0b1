/** Units: what lives or dies together. A message with tool calls stands with every message that answers them. */
import type { Pairing } from './pairs.ts';

/** Joins indices into sets; the smallest index names the set. Path halving and union by index keep it near linear. */
class Sets {
  readonly #parent: number[];

  constructor(size: number) {
    this.#parent = Array.from({ length: size }, (_, index) => index);
  }

  find(index: number): number {
    const parent = this.#parent;
    let at = index;
    for (let up = parent[at] ?? at; up !== at; up = parent[at] ?? at) {
      parent[at] = parent[up] ?? up;
      at = parent[at] ?? at;
    }
    return at;
  }

  join(a: number, b: number): void {
    const first = this.find(a);
    const second = this.find(b);
    this.#parent[Math.max(first, second)] = Math.min(first, second);
  }
}

/**
 * For each of `count` messages, the index of the first message of its unit: equal numbers live or die together.
 *
 * A surplus half whose id is paired elsewhere (a call or result written twice) joins the nearest earlier pair of that
 * id, else the first: left alone it could survive as an orphan that the input, read by ids, did not have.
 */
export function unitsOf(count: number, pairing: Pairing): number[] {
  const sets = new Sets(count);
  const pairsById = new Map<string, number[]>();
  for (const { id, call, result } of pairing.pairs) {
    sets.join(call, result);
    const known = pairsById.get(id);
    if (known === undefined) pairsById.set(id, [call]);
    else known.push(call);
  }
  const cursor = new Map<string, number>();
  // Orphans come sorted by message and pairs of one id in order, so one cursor an id walks forward only.
  for (const { id, message } of pairing.orphans) {
    const known = pairsById.get(id);
    if (known === undefined) continue;
    let at = cursor.get(id) ?? 0;
    while (at + 1 < known.length && (known[at + 1] ?? count) <= message) at += 1;
    cursor.set(id, at);
    sets.join(known[at] ?? message, message);
  }
  return Array.from({ length: count }, (_, index) => sets.find(index));
}

/** For each message whether a unit goes across the place in front of it: there a cut would tear it. Linear. */
export function tornPlaces(units: readonly number[]): boolean[] {
  const last = new Map<number, number>();
  units.forEach((unit, at) => last.set(unit, at));
  let reach = -1;
  return units.map((unit, at) => {
    const isTorn = reach >= at;
    reach = Math.max(reach, last.get(unit) ?? at);
    return isTorn;
  });
}
