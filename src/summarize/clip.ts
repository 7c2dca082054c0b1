/** Texts cut to a length: on a line where one ends near, never inside a character. Pure; linear. */
import { estimateTokens } from '../tokens/text.ts';

/** Of what is left of a text, the share that is its beginning. */
const HEAD_SHARE = 2 / 3;
/** A line break is used if it is not further away than this share of what is cut to. */
const NEAR_SHARE = 0.2;

/** A place at or before `at` that no character goes across. */
function wholeBefore(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return at > 0 && at < text.length && code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

/** The end of the beginning of a text: at most `max` characters, behind a line break if one is near. At least one character. */
export function endOfPart(text: string, max: number): number {
  if (text.length <= max) return text.length;
  const line = text.lastIndexOf('\n', max - 1) + 1;
  if (line > max * (1 - NEAR_SHARE)) return line;
  const whole = wholeBefore(text, max);
  return whole > 0 ? whole : Math.min(text.length, 2);
}

/** A text of at most `maxChars` characters and a line that says how many are left out between its beginning and end. */
export function clipMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = endOfPart(text, Math.max(2, Math.floor(maxChars * HEAD_SHARE)));
  let from = Math.max(head, text.length - Math.floor(maxChars * (1 - HEAD_SHARE)));
  const line = text.indexOf('\n', from) + 1;
  if (line > 0 && line - from < maxChars * NEAR_SHARE) from = line;
  else if (wholeBefore(text, from) !== from) from += 1;
  return `${text.slice(0, head).trimEnd()}\n[… ${from - head} characters left out …]\n${text.slice(from).trimStart()}`;
}

/** The beginning of a text, at most `maxTokens` by estimate; the same string if it is no longer. */
export function clipToTokens(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(text.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, wholeBefore(text, low));
}
