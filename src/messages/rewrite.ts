/** Writes a message anew with parts left out or shortened; everything else stays as it was. Never throws, never mutates. */
import { handleOf } from './handle.ts';
import { withLeaves } from './leaves.ts';
import { writeMark } from './marks.ts';
import type { CallTarget } from './parts.ts';
import {
  contentKind,
  isBlock,
  isMediaBlock,
  isObject,
  legacyCallOf,
  parseArguments,
  partOfBlock,
  partOfTarget,
  partsOf,
  targetOf,
} from './parts.ts';
import type { Block, Message } from './types.ts';
import { isCallBlock, isResultBlock } from './view.ts';

/**
 * What becomes of a part: it stays, it goes, or its fields get other texts (undefined: this one stays). A list stands for
 * a part without its media: each of them gives way to a text mark, even if the list is empty. Fixed parts stay whole.
 */
export type PartChange = 'keep' | 'drop' | readonly (string | undefined)[];

type LegacyCall = Pick<CallTarget, 'target' | 'key'>;
type Texts = readonly (string | undefined)[];
/** The same type, writable: for copies made here. */
type Draft<T> = { -readonly [K in keyof T]: T[K] };

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

function isThinking(block: unknown): boolean {
  return isBlock(block) && (block.type === 'thinking' || block.type === 'redacted_thinking');
}

/** A block with another text; what cites the old text goes with it. */
function withText(block: Block, text: string): Block {
  const copy: Draft<Block> = { ...block, text };
  delete copy['citations'];
  return copy;
}

function mediaMark(block: Block, message: Message): Block {
  const type = block.type === 'input_image' ? 'input_text' : 'text';
  const what = block.type.replace('input_', '').replace('_url', '');
  return { type, text: writeMark('gap', [handleOf(message)], `${what} left out`) };
}

/** The content of a result. A text that became blank goes with its block: the APIs refuse empty text blocks. */
function resultContent(content: unknown, texts: Texts, message: Message): unknown {
  if (!Array.isArray(content)) return texts[0] === (content ?? '') ? content : (texts[0] ?? content);
  let next = 0;
  let changed = false;
  const out: unknown[] = [];
  for (const item of content) {
    if (isBlock(item) && isMediaBlock(item)) {
      out.push(mediaMark(item, message));
      changed = true;
      continue;
    }
    const before: unknown = isBlock(item) ? item['text'] : item;
    const after = texts[next++] ?? before;
    if (after === before) out.push(item);
    else {
      changed = true;
      if (!isBlank(after)) out.push(isBlock(item) ? withText(item, String(after)) : after);
    }
  }
  if (!changed) return content;
  return out.length === 0 ? '' : out;
}

/** A block after its change: the same object if nothing changes, undefined if nothing is left of it. */
function rewriteBlock(block: Block, texts: Texts, message: Message): Block | undefined {
  const { kind, fixed } = partOfBlock(block);
  if (fixed) return block;
  if (kind === 'media') return mediaMark(block, message);
  if (kind === 'call') {
    const input = withLeaves(block['input'], texts);
    return input === block['input'] ? block : { ...block, input };
  }
  if (kind === 'result') {
    const content = resultContent(block['content'], texts, message);
    return content === block['content'] ? block : { ...block, content };
  }
  const text = texts[0] ?? block['text'];
  if (text === block['text']) return block;
  return isBlank(text) ? undefined : withText(block, String(text));
}

function rewriteBlocks(
  content: readonly Block[],
  changes: readonly PartChange[],
  message: Message,
): readonly Block[] | null {
  const out: Block[] = [];
  let changed = false;
  content.forEach((block, index) => {
    const change = changes[index] ?? 'keep';
    const after = change === 'keep' ? block : change === 'drop' ? undefined : rewriteBlock(block, change, message);
    if (after !== block) changed = true;
    if (after !== undefined) out.push(after);
  });
  if (!changed) return content;
  // Thinking leads to what follows it: the API refuses a message that ends with it.
  if (out.length < content.length) while (isThinking(out.at(-1))) out.pop();
  return out.length === 0 ? null : out;
}

/** The function or custom tool of a call after its change; the same object if nothing changes. */
function rewriteTarget(at: LegacyCall, texts: Texts): Readonly<Record<string, unknown>> {
  const { target, key } = at;
  if (partOfTarget('', at).fixed) return target;
  const input = target[key];
  const parsed = key === 'arguments' && typeof input === 'string' ? parseArguments(input) : undefined;
  const before = parsed === undefined ? input : parsed.value;
  const after = withLeaves(before, texts);
  if (after === before) return target;
  return { ...target, [key]: parsed === undefined ? after : JSON.stringify(after) };
}

function rewriteLegacy(legacy: LegacyCall | undefined, change: PartChange): LegacyCall['target'] | undefined {
  if (legacy === undefined || change === 'drop') return undefined;
  return change === 'keep' ? legacy.target : rewriteTarget(legacy, change);
}

function rewriteCalls(calls: readonly unknown[], changes: readonly PartChange[]): readonly unknown[] {
  let changed = false;
  const out: unknown[] = [];
  calls.forEach((call, index) => {
    const change = changes[index] ?? 'keep';
    if (change === 'drop') {
      changed = true;
    } else if (change === 'keep' || !isObject(call)) {
      out.push(call);
    } else {
      const at = targetOf(call);
      const target = rewriteTarget(at, change);
      if (target !== at.target) changed = true;
      out.push(target === at.target ? call : { ...call, [at.place]: target });
    }
  });
  return changed ? out : calls;
}

function textOrNull(text: string): string | null {
  return isBlank(text) ? null : text;
}

/** The content after its changes; the same if nothing changes, null if nothing is left. */
function rewriteContent(message: Message, changes: readonly PartChange[]): Message['content'] {
  const { content } = message;
  const kind = contentKind(message);
  if (kind === 'blocks' && Array.isArray(content)) return rewriteBlocks(content, changes, message);
  const change = changes[0] ?? 'keep';
  if (kind === 'none' || change === 'keep') return content;
  if (change === 'drop') return null;
  if (kind === 'text') return change[0] === undefined || change[0] === content ? content : textOrNull(change[0]);
  // A result whose content is a text or a list of blocks has one of its kind again.
  return partsOf(message)[0]?.fixed ? content : (resultContent(content, change, message) as Message['content']);
}

/** Whether a message with this content would be empty but for its calls. */
function saysNothing(content: Message['content']): boolean {
  if (!Array.isArray(content)) return isBlank(content ?? '');
  return content.every((block: unknown) => {
    if (!isBlock(block) || isCallBlock(block) || isResultBlock(block)) return false;
    return isThinking(block) || isBlank(block['text']);
  });
}

/**
 * The message after its changes, one for each part as `partsOf` lists them; a missing one means 'keep'.
 *
 * The same object if nothing changes; undefined if nothing is left but blank text and thinking. Ids, types, unknown keys
 * and the order of blocks are kept, and what does not change is shared with the original. `citations` of a changed text
 * go; thinking goes when nothing follows it any more. Both halves of a call are the caller's business.
 */
export function rewriteMessage(message: Message, changes: readonly PartChange[]): Message | undefined {
  if (changes.every((change) => change === 'keep')) return message;
  const { content, tool_calls: calls } = message;
  const kind = contentKind(message);
  // A message of role tool is its answer: without it, nothing is left.
  if (kind === 'result' && changes[0] === 'drop') return undefined;
  const inContent = kind === 'none' ? 0 : kind === 'blocks' && Array.isArray(content) ? content.length : 1;
  const oldCalls = Array.isArray(calls) ? calls : [];
  const legacy = legacyCallOf(message);

  const newContent = rewriteContent(message, changes);
  const newCalls = rewriteCalls(oldCalls, changes.slice(inContent, inContent + oldCalls.length));
  const newLegacy = rewriteLegacy(legacy, changes[inContent + oldCalls.length] ?? 'keep');
  if (newContent === content && newCalls === oldCalls && newLegacy === legacy?.target) return message;

  const isEmpty = kind !== 'result' && saysNothing(newContent);
  if (isEmpty && newCalls.length === 0 && newLegacy === undefined) return undefined;
  const copy: Draft<Message> = { ...message };
  if (newContent !== content) copy.content = newContent ?? null;
  if (newCalls.length > 0) copy['tool_calls'] = newCalls;
  else if (oldCalls.length > 0) delete copy['tool_calls'];
  if (newLegacy !== undefined) copy['function_call'] = newLegacy;
  else if (legacy !== undefined) delete copy['function_call'];
  // Result blocks in a message of role tool: without them the rest would read as the answer to an unknown call.
  return kind === 'blocks' && contentKind(copy) === 'result' ? undefined : copy;
}
