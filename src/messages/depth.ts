/** How deeply JSON may be nested here. JSON.stringify and every recursive walk end at some thousands of levels with a RangeError. */

/** Deepest nesting of objects and lists in a message that is read or written; 1 for a flat object. */
export const MAX_DEPTH = 1000;

/** Whether a value holds more than `levels` levels of objects and lists; one that holds itself does. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // Depth first: a value without an end is known by its first branch.
  return Object.values(value).some((child) => isDeeperThan(levels - 1, child));
}
