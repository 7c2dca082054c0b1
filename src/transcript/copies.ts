/**
 * Tells copies from messages. A resume or a fork writes the history into the file again: with the same row uuids, or with
 * new ones and then sometimes in part only. Rows come in one direction; the first one seen stays, later ones are copies:
 *  - a row with a uuid seen before;
 *  - a tool call or a tool result with an id seen before;
 *  - another block that equals one seen before in message id (or role), timestamp and content, if time went backwards in
 *    between, as it does where a history is written again. Two equal prompts of one millisecond stay two prompts.
 */
import { createHash } from 'node:crypto';
import type { Block } from '../messages/types.ts';
import type { MessageRow } from './rows.ts';

/** Texts up to this length are compared as they are, longer ones by their hash. */
const SHORT_TEXT = 100;

function fingerprint(block: Block): string {
  const { type, text, thinking } = block;
  const body = typeof text === 'string' ? text : typeof thinking === 'string' ? thinking : JSON.stringify(block);
  return body.length <= SHORT_TEXT ? `${type} ${body}` : `${type} #${createHash('sha1').update(body).digest('base64')}`;
}

/** A row without what is a copy: the row itself if nothing is, undefined if everything is. */
export class Copies {
  readonly #uuids = new Set<string>();
  readonly #calls = new Set<string>();
  readonly #results = new Set<string>();
  readonly #blocks = new Map<string, number>();
  readonly #newestFirst: boolean;
  #last: string | undefined;
  // Set by the first copy that has a uuid of its own: from there on the rows are those of another writing.
  #inCopy = false;
  #jumps = 0;

  constructor(order: 'newest-first' | 'oldest-first') {
    this.#newestFirst = order === 'newest-first';
  }

  without(row: MessageRow): MessageRow | undefined {
    if (row.uuid !== undefined) {
      if (this.#uuids.has(row.uuid)) return undefined;
      this.#uuids.add(row.uuid);
    }
    this.#watch(row.timestamp);
    const blocks: readonly Block[] =
      typeof row.content === 'string' ? [{ type: 'text', text: row.content }] : row.content;
    const kept = blocks.filter((block) => !this.#isCopy(block, row));
    if (kept.length < blocks.length) this.#inCopy = true;
    if (kept.length === 0) return undefined;
    if (!this.#inCopy) return row;
    return { ...row, content: kept.length === blocks.length ? row.content : kept, leftover: true };
  }

  /** Counts the places where time jumps against the reading order. */
  #watch(timestamp: string | undefined): void {
    if (timestamp === undefined) return;
    const last = this.#last ?? timestamp;
    if (this.#newestFirst ? timestamp > last : timestamp < last) this.#jumps += 1;
    this.#last = timestamp;
  }

  #isCopy(block: Block, row: MessageRow): boolean {
    const { id, tool_use_id: answers } = block;
    if (block.type === 'tool_use' && typeof id === 'string') return !isNew(this.#calls, id);
    if (block.type === 'tool_result' && typeof answers === 'string') return !isNew(this.#results, answers);
    if (row.timestamp === undefined) return false;
    const key = `${row.messageId ?? row.role} ${row.timestamp} ${fingerprint(block)}`;
    const seen = this.#blocks.get(key);
    if (seen === undefined) this.#blocks.set(key, this.#jumps);
    return seen !== undefined && seen < this.#jumps;
  }
}

function isNew(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  return true;
}
