/** Handles: short names by which a dropped message is got back. */
import { createHash } from 'node:crypto';
import type { Message } from './types.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 7;

function base32(bytes: Uint8Array): string {
  let out = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    held += 8;
    while (held >= 5 && out.length < LENGTH) {
      held -= 5;
      out += ALPHABET[(bits >> held) & 31];
    }
  }
  return out;
}

function contentOf(message: Message): string {
  const { role, content, tool_calls: calls, tool_call_id: callId, name } = message;
  try {
    return JSON.stringify([role, content, calls, callId, name]);
  } catch {
    return role;
  }
}

/**
 * The handle of a message: `#` and 7 base32 characters (35 bits) of the SHA-256 of its `uuid`, or of its content where
 * there is none. It depends on the message alone, so it outlives any database.
 */
export function handleOf(message: Message): string {
  const { uuid } = message;
  const key = typeof uuid === 'string' && uuid !== '' ? `uuid:${uuid}` : `content:${contentOf(message)}`;
  return `#${base32(createHash('sha256').update(key).digest().subarray(0, 5))}`;
}
