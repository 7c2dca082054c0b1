/** How useful a memory is that chitta made by itself; what is least so is archived first. Pure. */

/** Without use, or being said again, a memory is worth half after so long. */
const HALF_LIFE_MS = 90 * 86_400_000;

export interface Usefulness {
  /** 0..1 */
  readonly confidence: number;
  /** How often it was put beside a prompt, or was found by someone who asked. */
  readonly uses: number;
  /** When it was made, said again or used, whichever came last. */
  readonly lastMs: number;
}

/** Greater is more useful; it only tells memories of one moment apart. */
export function usefulnessOf({ confidence, uses, lastMs }: Usefulness, nowMs: number): number {
  const age = Math.max(0, nowMs - lastMs);
  return confidence * (1 + Math.log2(1 + uses)) * 0.5 ** (age / HALF_LIFE_MS);
}

/** Confidence in what was said once more, elsewhere. */
export function confirmed(confidence: number): number {
  return 1 - (1 - confidence) / 2;
}
