/**
 * What of a conversation is in a later request, block by block: as it was, or as lines of it with marks where others were.
 * Written from the promise, in another way than the code that keeps it.
 */
import { isDeepStrictEqual } from 'node:util';
import { isMark } from '../../../src/messages/marks.ts';
import type { Block } from '../../../src/messages/types.ts';
import type { ModelApi } from './api.ts';
import type { ModelRequest } from './requests.ts';

export const FRONT = '[chitta:restored]\nThe context was compacted without a summary';
/** What the host says of itself in the user's place. */
const HOST_ROW = /^<(?:system-reminder|local-command-caveat|local-command-stdout|command-name)>/;
const HOST_NOTE = /\n\n<system-reminder>[^]*<\/system-reminder>\n?$/;
const LINES_LEFT_OUT = /(\d+) lines?\]$/;

export interface Survivors {
  readonly fronts: readonly string[];
  /** Blocks that are as they were. */
  readonly whole: readonly Block[];
  readonly excerpts: readonly Block[];
  /** Blocks that are neither survivors nor the host's or chitta's own words. */
  readonly others: readonly Block[];
}

/** A block as it was said: the host joins neighbours with a line break, adds notes behind results, and marks what is cached. */
function asSaid({ cache_control: _mark, ...block }: Block): Block {
  const clean = (text: unknown): unknown => (typeof text === 'string' ? text.replace(HOST_NOTE, '') : text);
  if (block.type === 'text') return { ...block, text: String(clean(block['text'])).replace(/\n$/, '') };
  if (block.type !== 'tool_result') return block;
  const { is_error: isError, ...rest } = block;
  return { ...rest, content: clean(block['content']), ...(isError === true ? { is_error: true } : {}) };
}

function isOfHost(block: Block): boolean {
  return block.type === 'text' && HOST_ROW.test(String(block['text']));
}

/** What the user and the model said and did, in order, without the host's own words. */
export function conversationIn({ messages }: ModelRequest): Block[] {
  return messages
    .filter(({ role }) => role !== 'system')
    .flatMap(({ content }): readonly Block[] =>
      typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []),
    )
    .filter((block) => !isOfHost(block))
    .map(asSaid);
}

/** The conversation up to and with the answer to a request. */
export function conversationWith(api: ModelApi, request: ModelRequest): Block[] {
  return [...conversationIn(request), ...api.answerTo(request).map(asSaid)];
}

/** Whether a text is some lines of another in their order, with a mark wherever some are left out, which counts them. */
export function isExcerpt(text: string, source: string): boolean {
  const [lines, all] = [text.split('\n'), source.split('\n')];
  const marks = lines.filter(isMark);
  if (marks.length === 0) return false;
  let at = 0;
  for (const line of lines) {
    if (isMark(line)) continue;
    const found = all.indexOf(line, at);
    if (found < 0) return false;
    at = found + 1;
  }
  const counts = marks.map((mark) => LINES_LEFT_OUT.exec(mark.trim())?.[1]);
  // What was shortened before is counted in ways of its own.
  if (counts.includes(undefined) || all.some(isMark)) return true;
  const leftOut = counts.reduce((sum, count) => sum + Number(count), 0);
  return leftOut + lines.length - marks.length === all.length;
}

function isPartOf(value: unknown, source: unknown): boolean {
  if (isDeepStrictEqual(value, source)) return true;
  if (typeof value === 'string' && typeof source === 'string') return isExcerpt(value, source);
  if (typeof value !== 'object' || typeof source !== 'object' || value === null || source === null) return false;
  const [keys, known] = [Object.keys(value).toSorted(), Object.keys(source).toSorted()];
  // Objects with the same keys, as just found out.
  const [mine, its] = [value as Record<string, unknown>, source as Record<string, unknown>];
  return isDeepStrictEqual(keys, known) && keys.every((key) => isPartOf(mine[key], its[key]));
}

/** Whether a block is a shortened form of another; thinking and images have none. */
function isShortened(block: Block, source: Block): boolean {
  return ['text', 'tool_use', 'tool_result'].includes(block.type) && isPartOf(block, source);
}

/**
 * Where the blocks of a request come from. A survivor is looked for behind the one before it, so that blocks in another
 * order are found as `others`.
 */
export function survivorsIn(request: ModelRequest, source: readonly Block[]): Survivors {
  const found = {
    fronts: [] as string[],
    whole: [] as Block[],
    excerpts: [] as Block[],
    others: [] as Block[],
  };
  let from = 0;
  const take = (at: number): boolean => {
    if (at >= 0) from += at + 1;
    return at >= 0;
  };
  for (const block of conversationIn(request)) {
    const rest = source.slice(from);
    const text = block.type === 'text' ? String(block['text']) : '';
    if (text.startsWith(FRONT)) found.fronts.push(text);
    else if (take(rest.findIndex((one) => isDeepStrictEqual(one, block)))) found.whole.push(block);
    else if (take(rest.findIndex((one) => isShortened(block, one)))) found.excerpts.push(block);
    else found.others.push(block);
  }
  return found;
}
