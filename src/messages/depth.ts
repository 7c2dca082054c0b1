/** How deeply JSON may be nested here. JSON.stringify and every recursive walk end at some thousands of levels with a RangeError. */

/** Deepest nesting of objects and lists in a message that is read or written; 1 for a flat object. */
export const MAX_DEPTH = 1000;

/** Whether a value is nested deeper than MAX_DEPTH. Iterative; each object is entered once, so a cycle ends too. */
export function isTooDeep(root: unknown): boolean {
  const seen = new Set<object>();
  const stack: { node: object; depth: number }[] = [];
  const enter = (node: unknown, depth: number): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    stack.push({ node, depth });
  };
  enter(root, 1);
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.depth > MAX_DEPTH) return true;
    for (const child of Object.values(top.node)) enter(child, top.depth + 1);
  }
  return false;
}
