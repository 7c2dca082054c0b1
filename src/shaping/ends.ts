/** The beginning and the end of a text within a number of tokens: whole lines where they fit, else whole characters. */
import { estimateTokens } from '../tokens/text.ts';

/** A line that is longer is taken in pieces of so many characters. */
const PIECE_CHARS = 128;

/** Whether a text may be cut before the character at `at`: not between the halves of a surrogate pair, nor before a mark that belongs to a letter. */
function isBoundary(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const isLowHalf = code >= 0xdc00 && code <= 0xdfff;
  const joins = code === 0x200d || (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0x300 && code <= 0x36f);
  return !isLowHalf && !joins && text.charCodeAt(at - 1) !== 0x200d;
}

/** The boundary at or before `at`, of those near it: a text of nothing but joiners has none. */
function boundaryBefore(text: string, at: number, least: number): number {
  let cut = at;
  while (cut > Math.max(least, at - PIECE_CHARS / 2) && !isBoundary(text, cut)) cut -= 1;
  if (cut > least && isBoundary(text, cut)) return cut;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? Math.max(least, at - 1) : at;
}

/** Lines of a text; an empty one has one. */
export function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** How much of the beginning of `text` fits into so many tokens, in characters. Looks at no more of it than that. */
export function headChars(text: string, tokens: number): number {
  let left = tokens;
  let at = 0;
  while (at < text.length) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed + 1;
    // A line that does not fit is taken in part only if it would leave half of the room empty.
    let cost = end - at > PIECE_CHARS * left ? Infinity : estimateTokens(text.slice(at, end));
    if (cost > left && left < tokens / 2) break;
    if (cost <= left) {
      at = end;
      left -= cost;
      continue;
    }
    while (at < end) {
      const cut = end - at <= PIECE_CHARS ? end : boundaryBefore(text, at + PIECE_CHARS, at);
      cost = estimateTokens(text.slice(at, cut));
      if (cost > left) break;
      left -= cost;
      at = cut;
    }
    break;
  }
  return at;
}

/** From which character on the end of `text` fits into so many tokens. */
export function tailFrom(text: string, tokens: number): number {
  let left = tokens;
  let at = text.length;
  while (at > 0) {
    const start = at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1;
    let cost = at - start > PIECE_CHARS * left ? Infinity : estimateTokens(text.slice(start, at));
    if (cost > left && left < tokens / 2) break;
    if (cost <= left) {
      at = start;
      left -= cost;
      continue;
    }
    while (at > start) {
      const cut = at - start <= PIECE_CHARS ? start : boundaryBefore(text, at - PIECE_CHARS, start);
      if (cut >= at) break;
      cost = estimateTokens(text.slice(cut, at));
      if (cost > left) break;
      left -= cost;
      at = cut;
    }
    break;
  }
  return at;
}
