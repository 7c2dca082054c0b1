/** Gives each message of a transcript its uuid: that of its first row, or one made of its content. */
import { createHash } from 'node:crypto';
import type { Message } from '../messages/types.ts';
import type { Entry } from './fold.ts';

/** One message of a transcript: Anthropic shape and the uuid of its first row (a hash of its content if it has none). */
export type TranscriptMessage = Message & { readonly uuid: string };

/**
 * The messages with their uuids. No two get the same one. Newest first decides, so that the end of a file names its
 * messages alone, whatever stands before.
 */
export function named(entries: readonly Entry[]): TranscriptMessage[] {
  const used = new Set<string>();
  const take = (uuid: string | undefined): boolean => {
    if (uuid === undefined || used.has(uuid)) return false;
    used.add(uuid);
    return true;
  };
  const made = new Map<string, number>();
  const uuidOf = ({ message, rows }: Entry): string => {
    const own = rows.findLast(({ uuid }) => take(uuid))?.uuid;
    if (own !== undefined) return own;
    const text = JSON.stringify([message.role, message.content]);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
    for (let n = made.get(hash) ?? 1; ; n++) {
      const uuid = n === 1 ? `content-${hash}` : `content-${hash}-${n}`;
      if (!take(uuid)) continue;
      made.set(hash, n + 1);
      return uuid;
    }
  };
  const messages: TranscriptMessage[] = [];
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry !== undefined) messages.push({ ...entry.message, uuid: uuidOf(entry) });
  }
  return messages.reverse();
}
