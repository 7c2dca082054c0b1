/** A message as the list of its parts: what can be kept, dropped or shortened one by one. Never throws, never mutates. */
import type { Field, Leaves } from './leaves.ts';
import { leavesOf } from './leaves.ts';
import { inputText } from './search-text.ts';
import type { Block, Message } from './types.ts';
import { isCallBlock, isResultBlock } from './view.ts';

export type { Field } from './leaves.ts';

/** One content block or tool call of a message. */
export interface Part {
  readonly kind: 'text' | 'call' | 'result' | 'thinking' | 'media' | 'other';
  /** Id that pairs a call with its result. */
  readonly callId?: string;
  /** Name of the tool; calls only. */
  readonly name?: string;
  /** Results only. */
  readonly isError?: boolean;
  /** Its texts in order. Those of a fixed part are there to be read and weighed, not to be changed. */
  readonly fields: readonly Field[];
  /** Images and documents in it. */
  readonly mediaCount: number;
  /** Must survive as it is or not at all: thinking, blocks of server tools, encrypted contents, arguments that are no JSON. */
  readonly fixed: boolean;
}

const MEDIA = new Set(['image', 'image_url', 'input_image', 'document', 'file', 'input_audio', 'audio', 'video']);
const TEXT = new Set(['text', 'input_text', 'output_text']);

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function plain(text: string): Field {
  return { key: '', text };
}

/** Whether an element of a content array is a content block. */
export function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Whether a block holds an image, a document or a recording, and no text. */
export function isMediaBlock(block: Block): boolean {
  return MEDIA.has(block.type) && typeof block['text'] !== 'string';
}

function resultPart(callId: string, content: unknown, isError: boolean, isServers: boolean): Part {
  const fields: Field[] = [];
  let mediaCount = 0;
  let fixed = isServers;
  for (const item of Array.isArray(content) ? content : [content ?? '']) {
    if (typeof item === 'string') fields.push(plain(item));
    else if (isBlock(item) && isMediaBlock(item)) mediaCount += 1;
    else {
      const text = isBlock(item) ? item['text'] : undefined;
      fields.push(plain(typeof text === 'string' ? text : inputText(item)));
      if (!isBlock(item) || !TEXT.has(item.type)) fixed = true;
    }
  }
  return { kind: 'result', callId, isError, fields, mediaCount, fixed };
}

function callPart(callId: string, name: string, leaves: Leaves | undefined, fixed: boolean): Part {
  const fields = leaves?.fields ?? [];
  return { kind: 'call', callId, name, fields, mediaCount: 0, fixed: fixed || leaves === undefined };
}

/** Part of one element of a content array. */
export function partOfBlock(block: unknown): Part {
  const rest = { fields: [], mediaCount: 0, fixed: true };
  if (!isBlock(block)) return { kind: 'other', ...rest };
  const { type, text, id, name, input, content } = block;
  if (isCallBlock(block)) return callPart(stringOf(id), stringOf(name), leavesOf(input), type !== 'tool_use');
  if (isResultBlock(block)) {
    return resultPart(stringOf(block['tool_use_id']), content, block['is_error'] === true, type !== 'tool_result');
  }
  if (typeof text === 'string') return { kind: 'text', ...rest, fields: [plain(text)], fixed: !TEXT.has(type) };
  if (type === 'refusal') return { kind: 'text', ...rest, fields: [plain(stringOf(block['refusal']))] };
  if (type === 'thinking' || type === 'redacted_thinking') {
    return { kind: 'thinking', ...rest, fields: [plain(stringOf(block['thinking']) + stringOf(block['data']))] };
  }
  if (MEDIA.has(type)) return { kind: 'media', ...rest, mediaCount: 1, fixed: false };
  return { kind: 'other', ...rest, fields: [plain(inputText(block))] };
}

/** What an OpenAI call holds: a function with a JSON string of arguments, or a custom tool with free text. */
export interface CallTarget {
  readonly place: 'function' | 'custom';
  readonly target: Readonly<Record<string, unknown>>;
  readonly key: 'arguments' | 'input';
}

/** Whether a value has keys. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Where an OpenAI call keeps its name and its input. */
export function targetOf(call: Readonly<Record<string, unknown>>): CallTarget {
  const place = call['function'] === undefined || call['function'] === null ? 'custom' : 'function';
  const target = call[place];
  if (!isObject(target)) return { place, target: {}, key: 'arguments' };
  return { place, target, key: (target['arguments'] ?? undefined) === undefined ? 'input' : 'arguments' };
}

/** Value of an argument string; undefined if it is no JSON. */
export function parseArguments(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Models do send broken JSON: its text stays as it is.
    return undefined;
  }
}

/** Part of an OpenAI call, by what its function or custom tool holds. */
export function partOfTarget(callId: string, { target, key }: Pick<CallTarget, 'target' | 'key'>): Part {
  const name = stringOf(target['name']);
  const input = target[key];
  if (key === 'input' || typeof input !== 'string') return callPart(callId, name, leavesOf(input), false);
  const parsed = parseArguments(input);
  if (parsed === undefined) return callPart(callId, name, { fields: [plain(input)], exact: true }, true);
  const leaves = leavesOf(parsed.value);
  return callPart(callId, name, leaves, leaves?.exact === false);
}

/** What a message's content is: the result of one call as a whole, one text, a list of blocks, or nothing. */
export function contentKind({ role, content, tool_call_id: callId }: Message): 'result' | 'text' | 'blocks' | 'none' {
  if (role === 'function') return 'result';
  if (role === 'tool') {
    // Some frameworks mix the shapes: role tool, and result blocks that name the calls.
    const isMixed = typeof callId !== 'string' && Array.isArray(content);
    if (!isMixed || !content.some((block) => isBlock(block) && isResultBlock(block))) return 'result';
  }
  if (typeof content === 'string') return 'text';
  return Array.isArray(content) ? 'blocks' : 'none';
}

/** The single call of OpenAI's older shape, if the message holds one. It has no id: the function's name stands for it. */
export function legacyCallOf(message: Message): Pick<CallTarget, 'target' | 'key'> | undefined {
  const call = message['function_call'];
  return isObject(call) && 'name' in call ? { target: call, key: 'arguments' } : undefined;
}

function legacyId(name: unknown): string {
  return `function:${stringOf(name)}`;
}

/**
 * The parts of a message: one for each content block in order, then one for each OpenAI tool call and the older
 * `function_call`. String content is one text part; the content of a message of role tool or function one result part.
 * The fields of a result, joined by newlines, are its text in `viewOf`. Linear; never throws.
 */
export function partsOf(message: Message): Part[] {
  const { content, tool_calls: calls } = message;
  const parts: Part[] = [];
  const kind = contentKind(message);
  if (kind === 'result') {
    const callId = message.role === 'tool' ? stringOf(message['tool_call_id']) : legacyId(message['name']);
    parts.push(resultPart(callId, content, false, false));
  } else if (typeof content === 'string') {
    parts.push({ kind: 'text', fields: [plain(content)], mediaCount: 0, fixed: false });
  } else if (Array.isArray(content)) {
    for (const block of content) parts.push(partOfBlock(block));
  }
  for (const call of Array.isArray(calls) ? calls : []) {
    parts.push(isObject(call) ? partOfTarget(stringOf(call['id']), targetOf(call)) : partOfBlock(undefined));
  }
  const legacy = legacyCallOf(message);
  if (legacy !== undefined) parts.push(partOfTarget(legacyId(legacy.target['name']), legacy));
  return parts;
}
