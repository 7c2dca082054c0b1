/**
 * The entries in which Claude Code hands its context to a plugin's module, as messages and back: what survives is told
 * by index and by the texts that changed, so that the answer is small.
 */
import { writeMark } from '../messages/marks.ts';
import { pairUp } from '../messages/pairs.ts';
import type { Block, Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';

/** What becomes of an entry that survives. Keys of `inputs` and `results`, and what is `dropped`, are ids of calls. */
export interface EntryEdit {
  readonly index: number;
  readonly text?: string;
  readonly dropped?: readonly string[];
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly results?: Readonly<Record<string, string>>;
}

/** An image or a document that an entry stands for, and that no answer can carry. */
export interface Media {
  readonly index: number;
  readonly count: number;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] | undefined {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : undefined;
}

function callBlock(use: unknown): Block | undefined {
  if (!isObject(use) || typeof use['tool_use_id'] !== 'string' || typeof use['tool'] !== 'string') return undefined;
  return { type: 'tool_use', id: use['tool_use_id'], name: use['tool'], input: use['input'] ?? {} };
}

function resultBlock(result: unknown): Block | undefined {
  if (!isObject(result) || typeof result['tool_use_id'] !== 'string' || typeof result['text'] !== 'string') {
    return undefined;
  }
  const block: Block = { type: 'tool_result', tool_use_id: result['tool_use_id'], content: result['text'] };
  return result['isError'] === true ? { ...block, is_error: true } : block;
}

const KNOWN: ReadonlySet<string> = new Set(['role', 'text', 'toolUses', 'toolResults', 'handle']);

/** Whether an entry has contents of a kind that is not known, which would be lost with it or without it. */
function hasUnknownContents(entry: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(entry).some(
    ([key, value]) => !KNOWN.has(key) && typeof value === 'object' && value !== null && Object.keys(value).length > 0,
  );
}

/** Where a message keeps the place of its entry: whatever is rewritten of it, that stays. */
const PLACE = 'chitta_entry';

/** The place of the entry that a message, or what was made of it, came from. */
export function entryOf(message: Message): number {
  const place = message[PLACE];
  return typeof place === 'number' ? place : -1;
}

function messageOf(entry: unknown, place: number): Message | undefined {
  if (!isObject(entry) || hasUnknownContents(entry)) return undefined;
  const { role, text, handle } = entry;
  const [uses, results] = [listOf(entry['toolUses']), listOf(entry['toolResults'])];
  if ((role !== 'user' && role !== 'assistant') || typeof text !== 'string') return undefined;
  if (uses === undefined || results === undefined) return undefined;
  const said: Block[] = text === '' ? [] : [{ type: 'text', text }];
  const blocks = [...results.map(resultBlock), ...said, ...uses.map(callBlock)];
  const content = blocks.filter((block) => block !== undefined);
  if (content.length < blocks.length) return undefined;
  return { role, content, [PLACE]: place, ...(typeof handle === 'string' && handle !== '' ? { uuid: handle } : {}) };
}

/** The entries as messages, one for each; undefined if this is no list of entries. Never throws. */
export function messagesOfEntries(entries: unknown): Message[] | undefined {
  if (!Array.isArray(entries) || entries.length === 0) return undefined;
  const messages: Message[] = [];
  for (const [place, entry] of entries.entries()) {
    const message = messageOf(entry, place);
    if (message === undefined) return undefined;
    messages.push(message);
  }
  return messages;
}

/**
 * Entries that stand for images or documents: as the module says of results (`media`), or by `known`, the counts of a transcript by
 * uuid. A host hands over neither the contents of prompts nor those of results; undefined if a user's entry is empty for a reason that
 * is not known.
 */
export function mediaIn(
  entries: readonly unknown[],
  known: ReadonlyMap<string, number> | undefined,
): Media[] | undefined {
  const found: Media[] = [];
  for (const [index, entry] of entries.entries()) {
    if (!isObject(entry)) return undefined;
    const results = listOf(entry['toolResults']) ?? [];
    const said = results.reduce<number>((sum, result) => {
      const media = isObject(result) ? result['media'] : undefined;
      return sum + (typeof media === 'number' ? media : 0);
    }, 0);
    const count = Math.max(said, known?.get(String(entry['handle'])) ?? 0);
    if (count > 0) found.push({ index, count });
    else if (entry['role'] === 'user' && entry['text'] === '' && results.length === 0) return undefined;
  }
  return found;
}

function blocksOf({ content }: Message): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content ?? [];
}

function idOf(block: Block): string {
  return String(block['id'] ?? block['tool_use_id']);
}

/** How a survivor differs from the message at `index` that it was made of. */
export function editOf(index: number, message: Message, survivor: Message): EntryEdit {
  if (survivor === message) return { index };
  let text: string | undefined;
  const dropped: string[] = [];
  const inputs: [string, unknown][] = [];
  const results: [string, string][] = [];
  const left = blocksOf(survivor);
  for (const block of blocksOf(message)) {
    const after = left.find((one) => one.type === block.type && (block.type === 'text' || idOf(one) === idOf(block)));
    if (after === block) continue;
    if (block.type === 'text') text = after === undefined ? '' : String(after['text']);
    else if (after === undefined) dropped.push(idOf(block));
    else if (block.type === 'tool_use') inputs.push([idOf(block), after['input']]);
    else results.push([idOf(block), String(after['content'])]);
  }
  return {
    index,
    ...(text === undefined ? {} : { text }),
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) }),
    ...(results.length === 0 ? {} : { results: Object.fromEntries(results) }),
  };
}

const GONE = writeMark('gap', [], 'an image or document stood here');

/** The edit of an entry whose media are gone: what would be left empty says so, or it would look as if there had been nothing. */
export function markMedia(edit: EntryEdit, message: Message): EntryEdit {
  const blocks = blocksOf(message);
  if (blocks.length === 0) return { ...edit, text: GONE };
  const empty = blocks
    .filter(({ type, content }) => type === 'tool_result' && content === '')
    .map(idOf)
    .filter((id) => edit.dropped?.includes(id) !== true);
  if (empty.length === 0) return edit;
  return { ...edit, results: { ...edit.results, ...Object.fromEntries(empty.map((id) => [id, GONE])) } };
}

/** Whether every call stands with its result. */
export function isPaired(messages: readonly Message[]): boolean {
  return pairUp(messages.map(viewOf)).orphans.length === 0;
}
