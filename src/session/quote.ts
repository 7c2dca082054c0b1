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

/** What no secret goes across, and all that is taken out or shortened: blanks, control and format characters. */
const BETWEEN = /[\s\p{Cc}\p{Cf}]/u;

/** The first `maxChars` UTF-16 units at most, never half a character; `…` stands for what was cut. */
export function clip(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, Math.max(0, maxChars - 1));
  const last = cut.charCodeAt(cut.length - 1);
  return `${(last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut).trimEnd()}…`;
}

/** The beginning of a long text, a little more than the clip needs. A secret cut in two must not show its first half. */
function beginning(text: string, maxChars: number): string {
  const limit = maxChars + READ_AHEAD_CHARS;
  if (text.length <= limit) return text;
  for (let end = limit; end > maxChars; end -= 1) if (BETWEEN.test(text[end - 1] ?? '')) return text.slice(0, end);
  // One run without a break: it does not shrink below, and what is left of a long secret is still known as one.
  return text.slice(0, limit);
}

/** A quotable form of `text`, at most `maxChars` long, line breaks kept; chitta's own marks are left out. */
export function quote(text: string, maxChars: number): string {
  // Marks before the cut: a block without its end would no longer be known as one.
  const near = beginning(stripMarks(text).trimStart(), maxChars);
  const plain = near.replaceAll('\r\n', '\n').replace(UNPRINTABLE, '');
  return clip(maskSecrets(toWellFormed(plain).text).text.trim(), maxChars);
}

/** As `quote`, on one line. */
export function quoteLine(text: string, maxChars: number): string {
  // Before the lines become one: a mark is known by standing alone on its line, and some secrets by how lines follow.
  const near = beginning(stripMarks(text).trimStart(), maxChars);
  return quote(maskSecrets(near).text.replaceAll(/\s+/g, ' '), maxChars);
}
