/** The texts inside a tool call's input: every string leaf of it, in document order. */
import { MAX_DEPTH } from './depth.ts';

/** A text that lines can be left out of. */
export interface Field {
  /** The last object key on the way to a leaf of an input (`file_path`, `old_string`); empty for every other text. */
  readonly key: string;
  readonly text: string;
}

/** What `leavesOf` found. */
export interface Leaves {
  readonly fields: readonly Field[];
  /** Whether the value can be written as JSON again without loss: no number outside the exact range of a double. */
  readonly exact: boolean;
}

/** The string leaves of a JSON value, keys excluded; undefined if it is nested deeper than MAX_DEPTH, or has no end. */
export function leavesOf(value: unknown): Leaves | undefined {
  const fields: Field[] = [];
  let exact = true;
  const walk = (node: unknown, key: string, levels: number): boolean => {
    if (typeof node === 'string') fields.push({ key, text: node });
    else if (typeof node === 'number') exact &&= Math.abs(node) <= Number.MAX_SAFE_INTEGER;
    else if (typeof node === 'object' && node !== null) {
      // Depth first: a value that holds itself is known by its first branch.
      if (levels === 0) return false;
      if (Array.isArray(node)) return node.every((item) => walk(item, key, levels - 1));
      return Object.entries(node).every(([name, child]) => walk(child, name, levels - 1));
    }
    return true;
  };
  return walk(value, '', MAX_DEPTH) ? { fields, exact } : undefined;
}

/**
 * A copy of the value with other texts in place of its leaves, in the order of `leavesOf`; undefined leaves one as it is.
 * What does not change is shared with the original; the same value if nothing changes. For values `leavesOf` can read.
 */
export function withLeaves(value: unknown, texts: readonly (string | undefined)[]): unknown {
  let next = 0;
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return texts[next++] ?? node;
    if (Array.isArray(node)) {
      const walked = node.map(walk);
      return walked.some((child, index) => child !== node[index]) ? walked : node;
    }
    if (typeof node !== 'object' || node === null) return node;
    let changed = false;
    const walked = Object.entries(node).map(([key, child]): [string, unknown] => {
      const after = walk(child);
      if (after !== child) changed = true;
      return [key, after];
    });
    // fromEntries defines its keys, so that one named __proto__ stays a key.
    return changed ? Object.fromEntries(walked) : node;
  };
  return walk(value);
}
