/** Vectors of a text's runs become the text's one vector. Pure. */

/** A run's vector, as the model gave it, and how many tokens it stands for. */
export interface Weighted {
  readonly vector: ArrayLike<number>;
  readonly tokens: number;
}

function norm(vector: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < vector.length; index++) sum += (vector[index] ?? 0) ** 2;
  return Math.sqrt(sum);
}

/**
 * The mean of the runs' vectors weighted by their tokens, brought to length 1. For a model that pools by the mean this is the mean
 * over all tokens, as if they had fitted at once. Undefined if nothing is left: no runs, or a vector of zeros or not of numbers.
 */
export function poolVectors(parts: readonly Weighted[]): Float32Array | undefined {
  const sum = new Float64Array(parts[0]?.vector.length ?? 0);
  for (const { vector, tokens } of parts) {
    if (vector.length !== sum.length) return undefined;
    for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + (vector[index] ?? 0) * tokens;
  }
  const length = norm(sum);
  return length > 0 && Number.isFinite(length) ? Float32Array.from(sum, (value) => value / length) : undefined;
}
