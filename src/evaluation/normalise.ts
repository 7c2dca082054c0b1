/**
 * Rows of a transcript segment to the request the agent really had: rows of one answer joined, its results in one user
 * message right behind it, no thinking, no half pairs.
 */
import type { Block, Message } from '../messages/types.ts';

/** One row of the main chain, in the order of the file. */
export interface SegmentRow {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
  /** The answer it is a part of. */
  readonly messageId: string | undefined;
  /** A prompt that was queued while the agent worked: of it only the text counts. */
  readonly queued: boolean;
}

/** Openings of user messages that a harness wrote. */
const MACHINE_OPENINGS = [
  '<command-',
  '<local-command',
  '<bash-',
  '<task-notification',
  '<ide_',
  '<system-reminder',
  'Caveat: The messages below',
  'Base directory for this skill',
  '[Request interrupted',
  'Stop hook feedback',
  '[SYSTEM NOTIFICATION',
] as const;

const SUMMARY_OPENING = 'This session is being continued from a previous conversation';

const textOf = (block: Block): string => (typeof block['text'] === 'string' ? block['text'] : '');

/** Whether a person typed this message, judged by the message alone. */
export function isPrompt(message: Message): boolean {
  if (message.role !== 'user') return false;
  const { content } = message;
  const blocks: readonly Block[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
  if (blocks.some(({ type }) => type === 'tool_result')) return false;
  const text = blocks
    .filter(({ type }) => type === 'text')
    .map(textOf)
    .join('\n');
  const begun = text.trimStart();
  if (begun === '' || text.startsWith(SUMMARY_OPENING) || /^Warmup\s*$/.test(begun)) return false;
  return !MACHINE_OPENINGS.some((opening) => begun.startsWith(opening));
}

function plainResult(block: Block): Block {
  const { content } = block;
  const text =
    typeof content === 'string'
      ? content
      : Array.isArray(content)
        ? content.map((part: Block) => (part.type === 'text' ? textOf(part) : `[${part.type}]`)).join('\n')
        : '';
  const result = { type: 'tool_result', tool_use_id: block['tool_use_id'], content: text };
  return block['is_error'] === true ? { ...result, is_error: true } : result;
}

/** A block as it counts; undefined for what a shortened context may not rely on, such as thinking. */
function plainBlock(block: Block): Block | undefined {
  switch (block.type) {
    case 'text':
      return textOf(block).trim() === '' ? undefined : { type: 'text', text: textOf(block) };
    case 'image':
    case 'document':
      return { type: 'text', text: `[${block.type}]` };
    case 'tool_use':
      return { type: 'tool_use', id: block['id'], name: block['name'], input: block['input'] ?? {} };
    case 'tool_result':
      return plainResult(block);
    default:
      return undefined;
  }
}

function blocksOfRow({ content, queued }: SegmentRow): Block[] {
  const raw: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!queued) return raw.map(plainBlock).filter((block) => block !== undefined);
  const text = raw
    .filter(({ type }) => type === 'text')
    .map(textOf)
    .join('\n');
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

interface Step {
  readonly role: 'user' | 'assistant';
  readonly blocks: Block[];
}

/** Joins rows to steps: one for each answer, one for each row of a user's text. */
class Steps {
  readonly list: Step[] = [];
  readonly results = new Map<unknown, Block>();
  readonly #answers = new Map<string, Step>();
  readonly #calls = new Set<unknown>();
  readonly #texts = new Set<string>();

  addResults(blocks: readonly Block[]): void {
    for (const block of blocks) {
      const id = block['tool_use_id'];
      if (block.type === 'tool_result' && !this.results.has(id)) this.results.set(id, block);
    }
  }

  addUser(blocks: readonly Block[]): void {
    const text = blocks.filter(({ type }) => type !== 'tool_result');
    if (text.length > 0) this.list.push({ role: 'user', blocks: text });
  }

  addAnswer(blocks: readonly Block[], id: string | undefined): void {
    let step = id === undefined ? undefined : this.#answers.get(id);
    if (step === undefined) {
      step = { role: 'assistant', blocks: [] };
      this.list.push(step);
      if (id !== undefined) this.#answers.set(id, step);
    }
    for (const block of blocks) if (this.#isNew(block, id)) step.blocks.push(block);
  }

  /** Neither a call without an answer nor one that was there before, nor a text of the same answer written again. */
  #isNew(block: Block, answer: string | undefined): boolean {
    if (block.type === 'tool_use') {
      const id = block['id'];
      if (this.#calls.has(id) || !this.results.has(id)) return false;
      this.#calls.add(id);
    } else if (block.type === 'text' && answer !== undefined) {
      const key = `${answer}\n${textOf(block)}`;
      if (this.#texts.has(key)) return false;
      this.#texts.add(key);
    }
    return true;
  }
}

/** The messages of one segment: what stands between two compactions. */
export function messagesOf(rows: readonly SegmentRow[]): Message[] {
  const steps = new Steps();
  const plain = rows.map((row) => ({ row, blocks: blocksOfRow(row) }));
  for (const { blocks } of plain) steps.addResults(blocks);
  for (const { row, blocks } of plain) {
    if (blocks.length === 0) continue;
    if (row.role === 'assistant') steps.addAnswer(blocks, row.messageId);
    else steps.addUser(blocks);
  }
  const messages: Message[] = [];
  for (const { role, blocks } of steps.list) {
    if (blocks.length === 0) continue;
    if (role === 'user') {
      messages.push({ role, content: blocks });
      continue;
    }
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    messages.push({ role, content: [...blocks.filter(({ type }) => type === 'text'), ...calls] });
    const answers = calls.flatMap((call) => steps.results.get(call['id']) ?? []);
    if (answers.length > 0) messages.push({ role: 'user', content: answers });
  }
  return messages;
}

/**
 * Why the messages are no valid request, or undefined: every call is answered in the next message, every result asked for
 * in the one before, no message is empty.
 */
export function faultOf(messages: readonly Message[]): string | undefined {
  let open = new Set<unknown>();
  for (const { role, content } of messages) {
    const blocks: readonly Block[] =
      typeof content === 'string' ? [{ type: 'text' }] : Array.isArray(content) ? content : [];
    if (blocks.length === 0) return 'an empty message';
    if (role === 'assistant') {
      if (open.size > 0) return 'a call without its result';
      open = new Set(blocks.filter(({ type }) => type === 'tool_use').map((block) => block['id']));
    } else if (role === 'user') {
      for (const block of blocks) {
        if (block.type === 'tool_result' && !open.delete(block['tool_use_id'])) return 'a result without its call';
      }
      if (open.size > 0) return 'a call without its result';
    } else return `a message of role ${role}`;
  }
  if (open.size > 0) return 'a call without its result';
  return messages.length === 0 ? 'no messages' : undefined;
}
