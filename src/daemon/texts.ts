/** A text as it is embedded: cut to what the model looks at, without secrets. Its hash is the key of its vector. */
import { createHash } from 'node:crypto';
import { toWellFormed } from '../messages/wellformed.ts';
import { maskSecrets } from '../redact/mask.ts';
import { clipped } from './clip.ts';

export interface Prepared {
  readonly text: string;
  /** sha256 of the text, hex. */
  readonly hash: string;
  /** Only its first so many tokens count; then the hash is that of the text and of this. */
  readonly maxTokens?: number;
}

function hashed(masked: string): Prepared {
  return { text: masked, hash: createHash('sha256').update(masked).digest('hex') };
}

/** The form of a text that is masked already, as the database has it: that of the same text before it went there. */
export function preparedOf(masked: string): Prepared {
  return hashed(clipped(masked));
}

/** The form of a text that is embedded. */
export function prepare(text: string): Prepared {
  return hashed(maskSecrets(toWellFormed(clipped(text)).text).text);
}
