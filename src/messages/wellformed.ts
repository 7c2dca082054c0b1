/** Well-formed Unicode at the edges: a lone surrogate makes whole requests unusable for a provider. */

/** `text` with every lone surrogate replaced by U+FFFD, and how many there were. The same string if there was none. */
export function toWellFormed(text: string): { readonly text: string; readonly replaced: number } {
  if (text.isWellFormed()) return { text, replaced: 0 };
  const repaired = text.toWellFormed();
  let replaced = 0;
  for (let i = 0; i < text.length; i++) if (text[i] !== repaired[i]) replaced += 1;
  return { text: repaired, replaced };
}

/**
 * A copy of a JSON value with every string (keys too) well-formed; the same value if nothing had to be repaired.
 * Recursive, as JSON.stringify is: a value nested some thousands of levels deep throws a RangeError in both.
 */
export function wellFormedJson(value: unknown): { readonly value: unknown; readonly replaced: number } {
  let replaced = 0;
  const fix = (text: string): string => {
    const result = toWellFormed(text);
    replaced += result.replaced;
    return result.text;
  };
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return fix(node);
    if (Array.isArray(node)) {
      let copy: unknown[] | undefined;
      for (let i = 0; i < node.length; i++) {
        const child = walk(node[i]);
        if (child !== node[i]) (copy ??= [...node])[i] = child;
      }
      return copy ?? node;
    }
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node);
    let changed = false;
    const walked = entries.map(([key, child]) => {
      const pair: [string, unknown] = [fix(key), walk(child)];
      if (pair[0] !== key || pair[1] !== child) changed = true;
      return pair;
    });
    return changed ? Object.fromEntries(walked) : node;
  };
  return { value: walk(value), replaced };
}
