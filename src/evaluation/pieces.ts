/** What a baseline keeps or drops as one: a user's message, or an answer with the results of its calls. */
import type { Block, Message } from '../messages/types.ts';
import { isPrompt } from './normalise.ts';
import { blocksOf } from './reading.ts';
import type { TokenCounter } from './tokens.ts';

export interface Piece {
  /** Position among the pieces. */
  readonly index: number;
  readonly kind: 'prompt' | 'machine' | 'answer' | 'work';
  readonly messages: readonly Message[];
  readonly tokens: number;
}

export function piecesOf(messages: readonly Message[], counter: TokenCounter): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined) continue;
    const asks = message.role === 'assistant' && blocksOf(message).some(({ type }) => type === 'tool_use');
    const answer = asks ? messages[at + 1] : undefined;
    const own = answer === undefined ? [message] : [message, answer];
    const said = message.role === 'assistant' ? 'answer' : isPrompt(message) ? 'prompt' : 'machine';
    pieces.push({ index: pieces.length, kind: asks ? 'work' : said, messages: own, tokens: counter.messages(own) });
    if (answer !== undefined) at += 1;
  }
  return pieces;
}

/** The messages of pieces, in the order of the conversation. */
export function inOrder(pieces: readonly Piece[]): Message[] {
  return pieces.toSorted((a, b) => a.index - b.index).flatMap(({ messages }) => messages);
}

/** Of pieces in some order those that still fit. */
export function thatFit(pieces: readonly Piece[], budgetTokens: number): Piece[] {
  let left = budgetTokens;
  return pieces.filter(({ tokens }) => {
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

/** The newest pieces up to the first that does not fit, oldest first; of a newest one that alone is too large what fits. */
export function newestOf(pieces: readonly Piece[], budgetTokens: number, counter: TokenCounter): Piece[] {
  let left = budgetTokens;
  let from = pieces.length;
  for (let at = pieces.length - 1; at >= 0; at--) {
    const tokens = pieces[at]?.tokens ?? 0;
    if (tokens > left) break;
    left -= tokens;
    from = at;
  }
  const newest = pieces.at(-1);
  if (from < pieces.length || newest === undefined) return pieces.slice(from);
  const part = clipped(newest, budgetTokens, counter);
  return part === undefined ? [] : [part];
}

// Lengths tried, in characters: each is seven tenths of the one before.
const [LONGEST, SHORTEST, STEP] = [16_000, 100, 0.7];

/** The beginning of a text, never half a surrogate pair. */
export function beginning(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd8_00 && last < 0xdc_00 ? length - 1 : length);
}

function clippedInput(value: unknown, length: number): unknown {
  if (typeof value === 'string') return value.length > length ? `${beginning(value, length)}…` : value;
  if (Array.isArray(value)) return value.map((child: unknown) => clippedInput(child, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, clippedInput(child, length)]));
}

function clippedBlock(block: Block, length: number): Block {
  const { text, content, input } = block;
  if (block.type === 'text' && typeof text === 'string') return { ...block, text: beginning(text, length) };
  if (block.type === 'tool_result' && typeof content === 'string') {
    return { ...block, content: beginning(content, length) };
  }
  return block.type === 'tool_use' ? { ...block, input: clippedInput(input, length) } : block;
}

/** The piece with all its texts cut to one length, the longest that fits; undefined if none does. */
export function clipped(piece: Piece, budgetTokens: number, counter: TokenCounter): Piece | undefined {
  for (let length = LONGEST; length >= SHORTEST; length = Math.floor(length * STEP)) {
    const messages = piece.messages.map(({ role, ...rest }) => ({
      role,
      content: blocksOf({ role, ...rest }).map((block) => clippedBlock(block, length)),
    }));
    const tokens = counter.messages(messages);
    if (tokens <= budgetTokens) return { ...piece, messages, tokens };
  }
  return undefined;
}
