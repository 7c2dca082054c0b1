/**
 * Pieces of a conversation, made fit to be quoted elsewhere: secrets masked, control characters taken out,
 * well-formed, clipped. Masking comes before clipping, since half a secret is not recognised as one.
 */
import { stripMarks } from '../messages/marks.ts';
import { toWellFormed } from '../messages/wellformed.ts';
import { maskSecrets } from '../redact/mask.ts';

/** Read beyond the clip, so that what a mask shortens still leaves enough. */
const READ_AHEAD_CHARS = 2_000;

/** Terminal sequences, then control and bidirectional characters other than tab and line feed. */
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\u001b\[[0-9;?]{0,16}[ -/]?[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The first `maxChars` UTF-16 units at most, never half a character; `…` stands for what was cut. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, Math.max(0, maxChars - 1));
  const last = cut.charCodeAt(cut.length - 1);
  return `${(last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut).trimEnd()}…`;
}

/** A quotable form of `text`, at most `maxChars` long, line breaks kept; chitta's own marks are left out. */
export function quote(text: string, maxChars: number): string {
  const limit = maxChars + READ_AHEAD_CHARS;
  const head = text.length > limit * 2 ? text.slice(0, limit * 2) : text;
  const plain = stripMarks(head).replaceAll('\r\n', '\n').replace(UNPRINTABLE, '');
  let near = plain;
  if (plain.length > limit) {
    // A secret that the limit cuts in two must not show its first half: end at a space.
    near = plain.slice(0, limit);
    const space = Math.max(near.lastIndexOf(' '), near.lastIndexOf('\n'));
    if (space > maxChars) near = near.slice(0, space);
  }
  return clip(maskSecrets(toWellFormed(near).text).text.trim(), maxChars);
}

/** As `quote`, on one line. */
export function quoteLine(text: string, maxChars: number): string {
  const head = text.length > maxChars + READ_AHEAD_CHARS * 2 ? text.slice(0, maxChars + READ_AHEAD_CHARS * 2) : text;
  return quote(head.replaceAll(/\s+/g, ' '), maxChars);
}
