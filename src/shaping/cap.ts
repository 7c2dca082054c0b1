/** Cuts a tool result that would take too much of the window: once, with its beginning and its end kept. */
import { ChittaError } from '../errors.ts';
import { handleOf } from '../messages/handle.ts';
import { writeMark } from '../messages/marks.ts';
import { isObject } from '../messages/parts.ts';
import type { Message } from '../messages/types.ts';
import { estimateTokens } from '../tokens/text.ts';
import { headChars, lineCount, tailFrom } from './ends.ts';
import { mapResults, withTexts } from './results.ts';

/** Share of the history's budget that one result may take (the published cap). */
const SHARE = 2 / 5;
/** Below this a result says too little to be worth its call. */
export const LEAST_RESULT_TOKENS = 512;
/** For the header and the mark where the middle was. */
const FRAME_TOKENS = 64;
/** Of what is kept, the beginning gets so much: the other half goes to the end, where commands say how they ended. */
const HEAD_SHARE = 0.5;

/** `[chitta:cut #a1b2c3d kept 512 of 9000 tokens, 40 of 700 lines]` */
const HEADER = /^\[chitta:cut (?:[^\]]* )?kept (\d{1,9}) of \d{1,9} tokens, \d{1,9} of \d{1,9} lines\]$/;

/** Tokens that one result may have where the history has `budgetTokens`: two fifths, at least 512. */
export function resultCap(budgetTokens: number): number {
  return Math.max(LEAST_RESULT_TOKENS, Math.floor(budgetTokens * SHARE));
}

export interface CapOptions {
  /** What the header names so that the whole can be got back; default: the handle of the message. */
  readonly handle?: string | undefined;
}

/** Whether the texts begin with the header of a cut, and hold what it says. A file that quotes a header does not. */
function isCut(texts: readonly string[]): boolean {
  const [first = ''] = texts;
  if (!first.startsWith('[chitta:cut ')) return false;
  const [line = ''] = first.slice(0, 400).split('\n', 1);
  const kept = Number(HEADER.exec(line)?.[1]);
  const body = [first.slice(line.length + 1), ...texts.slice(1)].join('\n');
  // Marks count too; what is put through other hands may lose a space or two.
  return Number.isFinite(kept) && estimateTokens(body) <= kept * 1.1 + FRAME_TOKENS;
}

/** Where a text is cut: what stands before `head` and from `tail` on is kept. */
interface Cut {
  readonly head: number;
  readonly tail: number;
}

/** The beginning of the first texts and the end of the last ones, within so many tokens together. */
function cutsOf(texts: readonly string[], tokens: number): Cut[] {
  const heads = texts.map(() => 0);
  let left = Math.floor(tokens * HEAD_SHARE);
  for (let at = 0; at < texts.length && left > 0; at++) {
    const text = texts[at]!;
    heads[at] = headChars(text, left);
    if (heads[at]! < text.length) break;
    left -= estimateTokens(text);
  }
  const tails = texts.map((text) => text.length);
  left = Math.ceil(tokens * (1 - HEAD_SHARE));
  for (let at = texts.length - 1; at >= 0 && left > 0; at--) {
    const text = texts[at]!;
    tails[at] = Math.max(heads[at]!, tailFrom(text, left));
    if (tails[at]! > 0) break;
    left -= estimateTokens(text);
  }
  return texts.map((_, at) => ({ head: heads[at]!, tail: tails[at]! }));
}

const GAP = writeMark('gap', [], 'the middle left out');

/** A text after its cut; the mark for the middle stands in the first text that was cut, on a line of its own. */
function written(text: string, { head, tail }: Cut, marked: boolean): string {
  if (head >= tail) return text;
  const before = text.slice(0, head);
  const after = text.slice(tail);
  if (marked) return before === '' || after === '' || before.endsWith('\n') ? before + after : `${before}\n${after}`;
  const lead = before === '' || before.endsWith('\n') ? before : `${before}\n`;
  return after === '' ? `${lead}${GAP}` : `${lead}${GAP}\n${after}`;
}

function shortened(texts: readonly string[], tokens: number, handle: string): string[] {
  const whole = texts.join('\n');
  const total = estimateTokens(whole);
  const lines = lineCount(whole);
  for (let room = tokens - FRAME_TOKENS; ; room = Math.floor(room * 0.9)) {
    const cuts = cutsOf(texts, room);
    const first = cuts.findIndex(({ head, tail }) => head < tail);
    const body = texts.map((text, at) => written(text, cuts[at]!, at !== first));
    const kept = body.join('\n');
    const keptTokens = estimateTokens(kept);
    // Pieces may cost a little more together than each for itself.
    if (keptTokens > tokens - FRAME_TOKENS / 2 && room > FRAME_TOKENS) continue;
    const counts = `kept ${keptTokens} of ${total} tokens, ${Math.min(lineCount(kept), lines)} of ${lines} lines`;
    const header = writeMark('cut', [handle], counts);
    return body.map((text, at) => (at === 0 ? (text === '' ? header : `${header}\n${text}`) : text));
  }
}

/** Texts that belong together cut to so many tokens in all; undefined if they are no longer, or cut already. */
export function cutText(texts: readonly string[], tokens: number, handle: () => string): string[] | undefined {
  // Few characters cannot be many tokens: they need no weighing.
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  if (chars <= tokens / 4 || estimateTokens(texts.join('\n')) <= tokens || isCut(texts)) return undefined;
  return shortened(texts, tokens, handle());
}

/** The message with each of its results cut to so many tokens; the same object if none is longer. */
export function cutResults(message: Message, tokens: number, handle?: string): Message {
  return mapResults(message, ({ fixed, fields }, content) => {
    if (fixed) return content;
    const texts = fields.map(({ text }) => text);
    const cut = cutText(texts, tokens, () => handle ?? handleOf(message));
    return cut === undefined ? content : withTexts(content, cut);
  });
}

/**
 * A tool result (a message that holds some, or one `tool_result` block) with at most two fifths of the history's budget,
 * never less than 512 tokens; the same object if it has no more.
 *
 * Beginning and end stay, on line and character boundaries; the first line says how much, in tokens and lines, and by
 * which handle the whole is known. What was cut is never cut again. Images and the shape of the content stay; results with
 * blocks other than text and images, and those of server tools, are left alone. Throws E_PARAM_INVALID for a budget that is
 * no number, by which nothing would be left; never on a result. Linear; mutates nothing.
 */
export function capToolResult<T extends { readonly [key in 'role' | 'type']?: unknown }>(
  result: T,
  budgetTokens: number,
  options: CapOptions = {},
): T {
  const budget: unknown = budgetTokens;
  if (typeof budget !== 'number' || Number.isNaN(budget)) {
    throw new ChittaError('E_PARAM_INVALID', `budgetTokens is ${String(budget)}, not a number of tokens`, {
      field: 'budgetTokens',
    });
  }
  // Callers without types may pass anything.
  if (!isObject(result)) return result;
  const tokens = resultCap(budgetTokens);
  const isMessage = typeof result.role === 'string';
  // Either a message, or a block of one; what is neither holds no result and comes back.
  const message = (isMessage ? result : { role: 'user', content: [result] }) as Message;
  const cut = cutResults(message, tokens, options.handle);
  if (cut === message) return result;
  // What was put in, with other texts.
  return (isMessage ? cut : cut.content?.[0]) as unknown as T;
}
