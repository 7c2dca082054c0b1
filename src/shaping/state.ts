/** What the guard decided, kept by the caller from request to request, so that a decision taken stays taken. */
import { isBlock } from '../messages/parts.ts';
import { handleOf } from '../messages/handle.ts';
import type { Block, Message } from '../messages/types.ts';

/** What becomes of one message. */
export interface Change {
  /** Results: a mark in their place, or so many tokens of each. */
  readonly results?: 'stub' | number;
  /** Long inputs of calls are cut behind their beginning. */
  readonly calls?: true;
  /** Thinking goes. */
  readonly thinking?: true;
  /** So many tokens of each text. */
  readonly texts?: number;
}

/** Plain JSON: a caller may store it. Belongs to one conversation. */
export interface ShapeState {
  readonly version: 1;
  /** By handle; the second message with the same handle has `~2` behind it, and so on. */
  readonly messages: Readonly<Record<string, Change>>;
  /** The oldest messages are left out: up to which one, which of those before it stay, and before which one the mark stands. */
  readonly snip?: { readonly through: string; readonly mark: string; readonly kept: readonly string[] };
}

export const NO_STATE: ShapeState = { version: 1, messages: {} };

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isTokens = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value > 0;

function isChange(value: unknown): value is Change {
  if (!isPlain(value)) return false;
  const { results, calls, thinking, texts } = value;
  return (
    (results === undefined || results === 'stub' || isTokens(results)) &&
    (calls === undefined || calls === true) &&
    (thinking === undefined || thinking === true) &&
    (texts === undefined || isTokens(texts))
  );
}

/** A state that was stored somewhere; undefined if it is none. */
export function parseShapeState(value: unknown): ShapeState | undefined {
  if (!isPlain(value) || value['version'] !== 1) return undefined;
  const { messages, snip } = value;
  if (!isPlain(messages) || !Object.values(messages).every(isChange)) return undefined;
  if (snip !== undefined) {
    if (!isPlain(snip) || typeof snip['through'] !== 'string' || typeof snip['mark'] !== 'string') return undefined;
    const { kept } = snip;
    if (!Array.isArray(kept) || !kept.every((key) => typeof key === 'string')) return undefined;
  }
  // Every part of it has just been checked.
  return value as unknown as ShapeState;
}

function withoutBreakpoint(block: Block): Block {
  const { content } = block;
  const before: readonly unknown[] = Array.isArray(content) ? content : [];
  const inner = before.map((one) => (isBlock(one) ? withoutBreakpoint(one) : one));
  const isSame = inner.every((one, at) => one === before[at]);
  if (isSame && !('cache_control' in block)) return block;
  const { cache_control: _, ...rest } = block;
  // The type is still there.
  return (isSame ? rest : { ...rest, content: inner }) as Block;
}

/** Handles of the messages. Breakpoints of the cache do not count: agents move them with every request. */
export function handlesOf(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    const { content } = message;
    if (!Array.isArray(content)) return handleOf(message);
    const blocks = content.map((block: Block) => withoutBreakpoint(block));
    return handleOf(blocks.every((block, at) => block === content[at]) ? message : { ...message, content: blocks });
  });
}

/** A key for each message: its handle, numbered where several have the same. */
export function keysOf(handles: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return handles.map((handle) => {
    const count = (counts.get(handle) ?? 0) + 1;
    counts.set(handle, count);
    return count === 1 ? handle : `${handle}~${count}`;
  });
}
