/** How much of something fits, found with few looks at it. */

/**
 * The largest count up to `most` that fits, found by doubling and halving: counts are tried up to twice the answer, so a
 * huge rest costs nothing. 0 if not even one fits; what comes out has been tried. Where a smaller count does not fit and
 * a larger one does, it may be any that fits.
 */
export function longestFitting(most: number, fits: (count: number) => boolean): number {
  let good = 0;
  let bad = most + 1;
  for (let next = 1; good < most && bad > most; next = Math.min(most, next * 2)) {
    if (fits(next)) good = next;
    else bad = next;
  }
  while (bad - good > 1) {
    const middle = good + Math.floor((bad - good) / 2);
    if (fits(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
