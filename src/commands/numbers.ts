/** Numbers on the command line. What they mean, and their range, the action decides. */
import { InvalidArgumentError } from 'commander';

/** A whole number of at least 1. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

/** Any number. */
export function decimalNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number.');
}
