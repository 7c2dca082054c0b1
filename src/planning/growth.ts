/** How much the next tool result may add: as much as the largest one of this turn. Pure; each message is looked at once. */
import { isTypedPrompt } from '../messages/typed.ts';
import type { Block, Message } from '../messages/types.ts';
import { isCallBlock, isResultBlock } from '../messages/view.ts';

export interface Growth {
  /** Tokens of the largest result since the newest typed prompt. */
  readonly largest: number;
  readonly seen: number;
}

/** Tokens of each tool result in a message. */
export function resultTokens(message: Message, count: (message: Message) => number): number[] {
  const { role, content } = message;
  const blocks: readonly Block[] = Array.isArray(content) ? content.filter(isResultBlock) : [];
  if ((role === 'tool' || role === 'function') && blocks.length === 0) return [count(message)];
  return blocks.map((block) => count({ role: 'user', content: [block] }));
}

/** The growth after these messages, of which `seen` have been looked at before. */
export function growthOf(messages: readonly Message[], before: Growth, count: (message: Message) => number): Growth {
  let { largest } = before;
  for (let at = before.seen; at < messages.length; at++) {
    const message = messages[at]!;
    if (isTypedPrompt(message)) largest = 0;
    for (const tokens of resultTokens(message, count)) largest = Math.max(largest, tokens);
  }
  return { largest, seen: messages.length };
}

/** Whether the model has spoken and asks for nothing: the turn is over, and no result is to come. */
export function hasEnded(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return false;
  const { content, tool_calls: calls, function_call: legacy } = last;
  if (Array.isArray(content) && content.some(isCallBlock)) return false;
  return !(Array.isArray(calls) && calls.length > 0) && (legacy ?? undefined) === undefined;
}
