/** Simple ways to shorten a context: what a strategy has to be better than. */
import type { Block, Message } from '../messages/types.ts';
import { beginning, clipped, inOrder, newestOf, type Piece, piecesOf, thatFit } from './pieces.ts';
import { randomNumbers } from './random.ts';
import { blocksOf, stringsOf } from './reading.ts';
import type { TokenCounter } from './tokens.ts';

/** A context, what the next step is about, and a budget, to a context within it. */
export type Method = (
  messages: readonly Message[],
  query: string,
  budgetTokens: number,
  counter: TokenCounter,
) => readonly Message[];

/** Less room than this is left empty instead of being filled with a part of a piece. */
const MIN_ROOM = 200;

const sumOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { tokens }) => sum + tokens, 0);

/** The newest pieces; the first that does not fit is cut to the room that is left. */
export const keepLast: Method = (messages, _query, budgetTokens, counter) => {
  const pieces = piecesOf(messages, counter);
  const kept = newestOf(pieces, budgetTokens, counter);
  const next = pieces[pieces.length - kept.length - 1];
  const room = budgetTokens - sumOf(kept);
  const part = next === undefined || room <= MIN_ROOM ? undefined : clipped(next, room, counter);
  return inOrder(part === undefined ? kept : [part, ...kept]);
};

/** Pieces by lot. */
export function keepRandom(seed: number): Method {
  return (messages, _query, budgetTokens, counter) => {
    const next = randomNumbers(seed);
    const drawn = piecesOf(messages, counter).map((piece) => ({ piece, lot: next() }));
    drawn.sort((a, b) => a.lot - b.lot);
    return inOrder(
      thatFit(
        drawn.map(({ piece }) => piece),
        budgetTokens,
      ),
    );
  };
}

const CLEARED = '[Old tool result content cleared]';
/** A shorter result is not worth clearing. */
const MIN_CLEARED = 80;

function withoutOutput(piece: Piece, counter: TokenCounter): Piece {
  if (piece.kind !== 'work') return piece;
  const clear = (block: Block): Block => {
    const { content } = block;
    const isLong = block.type === 'tool_result' && typeof content === 'string' && content.length > MIN_CLEARED;
    return isLong ? { ...block, content: CLEARED } : block;
  };
  const messages = piece.messages.map((message) => ({ ...message, content: blocksOf(message).map(clear) }));
  return { ...piece, messages, tokens: counter.messages(messages) };
}

/**
 * Clears old tool output. Where all fits without it, the newest output stays as far as there is room; else half the budget
 * is for the newest pieces as they are, the rest for older ones without their output.
 */
export const maskOutput: Method = (messages, _query, budgetTokens, counter) => {
  const pieces = piecesOf(messages, counter);
  const masked = pieces.map((piece) => withoutOutput(piece, counter));
  let left = budgetTokens - sumOf(masked);
  if (left >= 0) {
    let whole = pieces.length;
    for (; whole > 0; whole--) {
      left -= (pieces[whole - 1]?.tokens ?? 0) - (masked[whole - 1]?.tokens ?? 0);
      if (left < 0) break;
    }
    return inOrder([...masked.slice(0, whole), ...pieces.slice(whole)]);
  }
  const newest = newestOf(pieces, budgetTokens / 2, counter);
  const older = masked.slice(0, masked.length - newest.length);
  let room = budgetTokens - sumOf(newest);
  let from = older.length;
  for (; from > 0; from--) {
    room -= older[from - 1]?.tokens ?? 0;
    if (room < 0) break;
  }
  return inOrder([...older.slice(from), ...newest]);
};

/** Typed prompts only, newest first; the first that does not fit is cut, and ends it. */
export const keepPrompts: Method = (messages, query, budgetTokens, counter) => {
  const kept: Piece[] = [];
  let left = budgetTokens;
  for (const piece of piecesOf(messages, counter).reverse()) {
    if (piece.kind !== 'prompt') continue;
    const part = piece.tokens <= left ? piece : clipped(piece, left, counter);
    if (part !== undefined) kept.push(part);
    if (part !== piece) break;
    left -= piece.tokens;
  }
  if (kept.length > 0) return inOrder(kept);
  return [{ role: 'user', content: [{ type: 'text', text: beginning(query === '' ? '.' : query, 200) }] }];
};

// Okapi BM25 with its usual constants.
const [SATURATION, LENGTH_SHARE] = [1.2, 0.75];

function wordCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]{2,}/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** How well each text answers the query. */
function likeness(texts: readonly string[], query: string): number[] {
  const bags = texts.map(wordCounts);
  const lengths = bags.map((bag) => [...bag.values()].reduce((sum, count) => sum + count, 0));
  const usual = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, texts.length) || 1;
  const scores = bags.map(() => 0);
  for (const word of wordCounts(query).keys()) {
    const having = bags.reduce((sum, bag) => sum + (bag.has(word) ? 1 : 0), 0);
    const rarity = Math.log(1 + (bags.length - having + 0.5) / (having + 0.5));
    for (const [index, bag] of bags.entries()) {
      const count = bag.get(word) ?? 0;
      const length = (lengths[index] ?? 0) / usual;
      const damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length);
      scores[index] = (scores[index] ?? 0) + (rarity * count * (SATURATION + 1)) / (count + damping);
    }
  }
  return scores;
}

/** Pieces by the words they share with the query; of equals the newer one. */
export const keepLikest: Method = (messages, query, budgetTokens, counter) => {
  const pieces = piecesOf(messages, counter);
  const texts = pieces.map((piece) => piece.messages.flatMap(blocksOf).flatMap(stringsOf).join('\n'));
  const scores = likeness(texts, query);
  const scoreOf = ({ index }: Piece): number => scores[index] ?? 0;
  const order = pieces.toSorted((a, b) => scoreOf(b) - scoreOf(a) || b.index - a.index);
  return inOrder(thatFit(order, budgetTokens));
};
