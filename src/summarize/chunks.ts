/** Texts packed into chunks that fit a model's window: in order, none left out, split only where one alone does not fit. Pure. */
import { estimateTokens } from '../tokens/text.ts';
import { endOfPart } from './clip.ts';

/** Tokens for what joins two pieces. */
const JOINT_TOKENS = 2;
/** No estimate is lower than a token for so many characters, but for blanks: what lies beyond cannot fit. */
const MAX_CHARS_PER_TOKEN = 16;

/** The text in parts of at most `budget` tokens each, cut behind lines where possible. */
function split(text: string, budget: number): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const near = text.slice(from, from + budget * MAX_CHARS_PER_TOKEN);
    let chars = near.length;
    for (let tokens = estimateTokens(near); tokens > budget && chars > 2;) {
      // By its price; then shorter until it fits, since prices differ along a text.
      chars = endOfPart(near, Math.max(1, Math.min(chars - 1, Math.floor((chars * budget) / tokens))));
      tokens = estimateTokens(near.slice(0, chars));
    }
    if (chars < near.length || from + chars === text.length) parts.push(near.slice(0, chars));
    else {
      // Blanks without end: the window ends inside the text.
      chars = endOfPart(near, near.length - 1);
      parts.push(near.slice(0, chars));
    }
    from += chars;
  }
  return parts;
}

/** Packs pieces into chunks of at most `budget` tokens by estimate. Every piece is in them, in order; no chunk is empty. */
export function chunksOf(pieces: readonly string[], budget: number): string[] {
  const chunks: string[] = [];
  let open: string[] = [];
  let used = 0;
  const close = (): void => {
    if (open.length > 0) chunks.push(open.join('\n\n'));
    open = [];
    used = 0;
  };
  for (const piece of pieces) {
    const tokens = estimateTokens(piece);
    if (used > 0 && used + tokens + JOINT_TOKENS > budget) close();
    if (tokens <= budget) {
      open.push(piece);
      used += tokens + JOINT_TOKENS;
      continue;
    }
    for (const part of split(piece, budget)) {
      close();
      open = [part];
      used = estimateTokens(part) + JOINT_TOKENS;
    }
  }
  close();
  return chunks;
}
