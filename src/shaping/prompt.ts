/** Which messages of a request are its prompt: what is sent now. */
import { ChittaError } from '../errors.ts';
import type { Message } from '../messages/types.ts';
import { isCallBlock } from '../messages/view.ts';

/** An answer without calls: at the end of a request the model is to go on with it. */
function isAnswer({ role, content, tool_calls: calls, function_call: legacy }: Message): boolean {
  if (role !== 'assistant') return false;
  if ((Array.isArray(calls) && calls.length > 0) || (legacy ?? undefined) !== undefined) return false;
  return !Array.isArray(content) || !content.some(isCallBlock);
}

/**
 * Where the prompt begins: behind the last answer of the model, or so many messages before the end. An answer that the model
 * is to go on with is part of it. Throws E_PARAM_INVALID for what is no number of messages.
 */
export function promptStart(messages: readonly Message[], promptMessages: number | undefined): number {
  if (promptMessages !== undefined) {
    if (Number.isFinite(promptMessages) && promptMessages >= 0) {
      return Math.max(0, messages.length - Math.floor(promptMessages));
    }
    throw new ChittaError('E_PARAM_INVALID', `promptMessages is ${promptMessages}, not a number of messages`, {
      field: 'promptMessages',
    });
  }
  let end = messages.length;
  while (end > 0 && isAnswer(messages[end - 1]!)) end -= 1;
  return messages.findLastIndex(({ role }, at) => role === 'assistant' && at < end) + 1;
}
