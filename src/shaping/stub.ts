/** Replaces the results of tools by one line each that says what stood there, how much it was, and how to get it again. */
import { handleOf } from '../messages/handle.ts';
import { isMark, writeMark } from '../messages/marks.ts';
import { type Part, isObject } from '../messages/parts.ts';
import type { Message } from '../messages/types.ts';
import { estimateTokens } from '../tokens/text.ts';
import { lineCount } from './ends.ts';
import { mapResults } from './results.ts';

/** The call that a result answers. */
export interface AnsweredCall {
  readonly name: string;
  /** Its input, as the model gave it. */
  readonly input: unknown;
}

export interface StubOptions {
  /** How to get the result again, in a few words; default: the call made again, where its name is known. */
  readonly again?: (call: AnsweredCall | undefined) => string;
  /** Default: the handle of the message. */
  readonly handle?: string;
}

/** Of an input, so much says which call it was. */
const SUBJECT_CHARS = 80;
/** Inputs that say what a call was about, best first. */
const SUBJECT_KEYS = [
  'file_path',
  'path',
  'notebook_path',
  'command',
  'pattern',
  'url',
  'query',
  'description',
  'prompt',
];

/** Results of fewer tokens stay: a mark costs about as much. */
const LEAST_TOKENS = 64;

/** The first line of a text, cut where it gets long. */
function clipped(text: string): string {
  const [line = ''] = text
    .slice(0, 4 * SUBJECT_CHARS)
    .trimStart()
    .split('\n', 1);
  const short = line.length > SUBJECT_CHARS ? `${line.slice(0, SUBJECT_CHARS).trimEnd()}…` : line.trimEnd();
  return short.toWellFormed();
}

/** What a call was about, on one line: the file, the command, else the first text of its input. */
function subjectOf(input: unknown): string {
  if (typeof input === 'string') return clipped(input);
  if (!isObject(input)) return '';
  for (const key of SUBJECT_KEYS) {
    const value = input[key];
    if (typeof value === 'string' && value.trim() !== '') return clipped(value);
  }
  const first = Object.values(input).find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof first === 'string' ? clipped(first) : '';
}

function again(call: AnsweredCall | undefined): string {
  return call === undefined ? 'ask for it again if needed' : 'make the call again if needed';
}

function noteOf({ fields, mediaCount }: Part, call: AnsweredCall | undefined, tokens: number): string {
  const lines = fields.reduce((sum, { text }) => sum + (text === '' ? 0 : lineCount(text)), 0);
  const sizes = [
    ...(lines > 0 ? [`${lines} line${lines === 1 ? '' : 's'}, ${tokens} tokens`] : []),
    ...(mediaCount > 0 ? [`${mediaCount} image${mediaCount === 1 ? '' : 's'}`] : []),
  ];
  const what =
    call === undefined ? 'result' : `result of ${[call.name, subjectOf(call.input)].filter(Boolean).join(' ')}`;
  return `${what} (${sizes.join(', ')}) left out`;
}

/** Whether a result is nothing but one of chitta's marks. */
function isStub({ fields, mediaCount }: Part): boolean {
  const [only] = fields;
  return fields.length === 1 && mediaCount === 0 && only !== undefined && isMark(only.text);
}

/**
 * The message with each result of a tool replaced by a mark; the same object if none is worth it: those of fewer than 64
 * tokens, those that are marks already, those with blocks other than text and images, and those of server tools stay.
 *
 * `callOf` tells the call that an id stands for. Ids, `is_error`, `cache_control` and unknown keys stay. Linear; never
 * throws; mutates nothing.
 */
export function stubResults(
  message: Message,
  callOf: (id: string) => AnsweredCall | undefined,
  options: StubOptions = {},
): Message {
  let handle = options.handle;
  return mapResults(message, (part, content) => {
    if (part.fixed || isStub(part)) return content;
    const tokens = estimateTokens(part.fields.map(({ text }) => text).join('\n'));
    if (tokens < LEAST_TOKENS && part.mediaCount === 0) return content;
    handle ??= handleOf(message);
    const call = callOf(part.callId ?? '');
    return writeMark('stub', [handle], `${noteOf(part, call, tokens)}; ${(options.again ?? again)(call)}`);
  });
}
