/** Shortens what the model wrote itself: long inputs of calls, long texts; and leaves out thinking, whole. */
import { writeMark } from '../messages/marks.ts';
import { partsOf } from '../messages/parts.ts';
import { type PartChange, rewriteMessage } from '../messages/rewrite.ts';
import type { Message } from '../messages/types.ts';
import { estimateTokens } from '../tokens/text.ts';
import { cutText } from './cap.ts';
import { headChars, lineCount } from './ends.ts';

/** An input of more tokens is long. */
const LONG_INPUT_TOKENS = 192;
/** Of a long input, so much of its beginning stays. */
const KEPT_INPUT_TOKENS = 96;

function shortenedInput(text: string, handle: string): string | undefined {
  if (text.length <= LONG_INPUT_TOKENS / 4 || estimateTokens(text) <= LONG_INPUT_TOKENS) return undefined;
  const head = text.slice(0, headChars(text, KEPT_INPUT_TOKENS));
  const lines = lineCount(text.slice(head.length)) - (head.endsWith('\n') ? 0 : 1);
  const what = lines > 0 ? `${lines} line${lines === 1 ? '' : 's'}` : 'the rest of the line';
  const lead = head === '' || head.endsWith('\n') ? head : `${head}\n`;
  return `${lead}${writeMark('gap', [handle], what)}`;
}

/** The message with the long texts in its calls' inputs cut behind their beginning; the same object if there are none. */
export function shortenCalls(message: Message, handle: string): Message {
  const changes = partsOf(message).map(({ kind, fixed, fields }): PartChange => {
    if (kind !== 'call' || fixed) return 'keep';
    const texts = fields.map(({ text }) => shortenedInput(text, handle));
    return texts.every((text) => text === undefined) ? 'keep' : texts;
  });
  return rewriteMessage(message, changes) ?? message;
}

/** The message without its thinking; the same object if it has none, or nothing else. For closed exchanges only. */
export function withoutThinking(message: Message): Message {
  const parts = partsOf(message);
  const changes = parts.map(({ kind }): PartChange => (kind === 'thinking' ? 'drop' : 'keep'));
  const rest = rewriteMessage(message, changes) ?? message;
  if (message.role !== 'assistant' || typeof rest['reasoning_content'] !== 'string') return rest;
  const { reasoning_content: _, ...others } = rest;
  // What was taken out is no key that every message has.
  return others as Message;
}

/** The message with each of its texts cut to so many tokens; the same object if none is longer. Calls and results stay. */
export function shortenTexts(message: Message, tokens: number, handle: string): Message {
  const changes = partsOf(message).map(({ kind, fixed, fields }): PartChange => {
    if (kind !== 'text' || fixed) return 'keep';
    const texts = cutText(
      fields.map(({ text }) => text),
      tokens,
      () => handle,
    );
    return texts ?? 'keep';
  });
  return rewriteMessage(message, changes) ?? message;
}
