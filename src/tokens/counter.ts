/** A counter of the caller's, which is not trusted to count: what is no number would make every comparison false. Pure. */
import { ChittaError } from '../errors.ts';
import type { Message } from '../messages/types.ts';

/** The counter, but that it throws E_PARAM_INVALID where the answer is no number of tokens. */
export function checkedCounter(countTokens: (message: Message) => number): (message: Message) => number {
  return (message) => {
    const tokens: unknown = countTokens(message);
    if (typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0) return tokens;
    throw new ChittaError('E_PARAM_INVALID', `countTokens answered ${String(tokens)}, not a number of tokens`, {
      field: 'countTokens',
    });
  };
}
