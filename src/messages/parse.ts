/** The border where unknown JSON becomes messages: checked once, trusted inside. Objects are passed on, never copied. */
import { ChittaError } from '../errors.ts';
import { isDeeperThan, MAX_DEPTH } from './depth.ts';
import type { Message } from './types.ts';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function invalid(field: string, problem: string): never {
  throw new ChittaError('E_MESSAGE_INVALID', `${field} ${problem}`, {
    field,
    hint: 'each message is an object with a role and a content, as sent to the Anthropic or the OpenAI API',
  });
}

function checkContent(content: unknown, field: string, mayBeEmpty: boolean): void {
  if (typeof content === 'string') return;
  if (content === null || content === undefined) {
    if (mayBeEmpty) return;
    return invalid(field, 'is missing');
  }
  if (!Array.isArray(content)) return invalid(field, `is ${kindOf(content)}, not a text or a list of blocks`);
  content.forEach((block: unknown, index) => {
    if (!isObject(block)) invalid(`${field}[${index}]`, `is ${kindOf(block)}, not a content block`);
    if (typeof block['type'] !== 'string') invalid(`${field}[${index}].type`, 'is missing');
  });
}

function checkMessage(value: unknown, index: number): void {
  const at = `messages[${index}]`;
  if (!isObject(value)) return invalid(at, `is ${kindOf(value)}, not a message`);
  const { role, content, tool_calls: calls } = value;
  if (typeof role !== 'string' || role === '') return invalid(`${at}.role`, 'is missing');
  if (calls !== undefined && calls !== null) {
    if (!Array.isArray(calls) || !calls.every(isObject)) return invalid(`${at}.tool_calls`, 'is not a list of calls');
  }
  checkContent(content, `${at}.content`, role === 'assistant');
  if (isDeeperThan(MAX_DEPTH, value)) return invalid(at, `is nested deeper than ${MAX_DEPTH} levels`);
}

/**
 * Checks that `value` is a list of messages of either wire shape and returns it as such: the same objects in a new array.
 * Throws E_MESSAGE_INVALID with `field` naming the index (`messages[3].role`), E_PARAM_INVALID if it is no list at all. Those
 * before `from` have been checked before.
 */
export function parseMessages(value: unknown, from = 0): Message[] {
  if (!Array.isArray(value)) {
    throw new ChittaError(
      'E_PARAM_INVALID',
      `messages is ${value === undefined ? 'missing' : kindOf(value)}, not a list`,
      {
        field: 'messages',
        hint: 'pass the conversation as a JSON array of messages',
      },
    );
  }
  // A plain loop also visits the holes of a sparse array, which forEach would pass over.
  for (let index = from; index < value.length; index++) checkMessage(value[index], index);
  // Every element has just been checked to be a message.
  return [...(value as Message[])];
}
