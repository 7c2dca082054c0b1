/** One line of progress on a terminal, written over as it changes; nothing elsewhere. */
import type { Writable } from 'node:stream';
import { sanitizeLine } from './sanitize.ts';
import { writeTo } from './streams.ts';

export interface Progress {
  show(text: string): void;
  /** Takes the line away. */
  clear(): void;
}

/** Goes to the beginning of the line, and empties it. */
const EMPTY_LINE = '\r\u001b[2K';

export function progressOn(
  stream: Writable & { readonly isTTY?: boolean; readonly columns?: number },
  term: string | undefined,
): Progress {
  if (stream.isTTY !== true || term === 'dumb') return { show: () => undefined, clear: () => undefined };
  const write = (text: string): void => {
    // A terminal that is gone has nobody to tell.
    writeTo(stream, text).catch(() => undefined);
  };
  return {
    show: (text) => write(EMPTY_LINE + sanitizeLine(text).slice(0, Math.max(20, (stream.columns ?? 80) - 1))),
    clear: () => write(EMPTY_LINE),
  };
}
