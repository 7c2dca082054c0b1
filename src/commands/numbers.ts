/** Numbers on the command line. */
import { InvalidArgumentError } from 'commander';

/** A whole number of at least 1. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

/** A share of the tokens, in the range that `target_ratio` has everywhere (a test compares). */
export function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0.05 && value <= 1) return value;
  throw new InvalidArgumentError('It must be a number from 0.05 to 1.');
}
