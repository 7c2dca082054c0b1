/** Brings the content of one row into the API's shape. Blocks that are in shape are passed on as the same objects. */
import { MAX_DEPTH } from '../messages/depth.ts';
import type { Block } from '../messages/types.ts';

/** Stands for what is nested deeper than MAX_DEPTH. */
const TOO_DEEP = '[nested too deeply to be read]';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Cuts off, in place, what is nested deeper than MAX_DEPTH. Only for values this module has just decoded. */
export function limitDepth(root: unknown): void {
  const stack: { node: unknown; depth: number }[] = [{ node: root, depth: 1 }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { node, depth } = top;
    if (typeof node !== 'object' || node === null) continue;
    // Objects and arrays are both read and written by key here.
    const table = node as Record<string, unknown>;
    for (const key of Object.keys(table)) {
      const child = table[key];
      if (typeof child !== 'object' || child === null) continue;
      if (depth >= MAX_DEPTH) table[key] = TOO_DEEP;
      else stack.push({ node: child, depth: depth + 1 });
    }
  }
}

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Lone surrogates in all strings below a value. Iterative: the value may be nested as deeply as MAX_DEPTH allows. */
export function countLoneSurrogates(root: unknown): number {
  let found = 0;
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node === 'string') {
      if (!node.isWellFormed()) found += node.match(LONE_SURROGATE)?.length ?? 0;
    } else if (typeof node === 'object' && node !== null) {
      for (const child of Object.values(node)) stack.push(child);
    }
  }
  return found;
}

function blockOf(value: unknown): Block | undefined {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (!isObject(value)) return undefined;
  const { type, text } = value;
  if (typeof type !== 'string') return typeof text === 'string' ? { type: 'text', text } : undefined;
  if (type === 'text' && typeof text !== 'string') return undefined;
  if (type === 'tool_use' && (typeof value['id'] !== 'string' || value['id'] === '')) return undefined;
  if (type === 'tool_result' && (typeof value['tool_use_id'] !== 'string' || value['tool_use_id'] === ''))
    return undefined;
  // Checked above: an object with a string `type`.
  return value as Block;
}

export interface Content {
  readonly content: string | Block[];
  /** Blocks that had to be rebuilt or left out. */
  readonly repaired: number;
}

/** Content as text or blocks; undefined where there is nothing to read (null, a number, an empty text or list). */
export function contentOf(value: unknown): Content | undefined {
  if (typeof value === 'string') return value === '' ? undefined : { content: value, repaired: 0 };
  const list = Array.isArray(value) ? value : isObject(value) ? [value] : [];
  const content: Block[] = [];
  let repaired = Array.isArray(value) ? 0 : 1;
  for (const entry of list) {
    const block = blockOf(entry);
    if (block !== entry) repaired += 1;
    if (block !== undefined) content.push(block);
  }
  return content.length === 0 ? undefined : { content, repaired };
}
