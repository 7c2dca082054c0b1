/**
 * Messages that a compaction kept word for word. They are not written again: they stand before the boundary, which lists
 * them by uuid (`preservedMessages`) or, in an older form, names the first and the last (`preservedSegment`).
 * Fed with the rows before the boundary, newest first.
 */
import type { BoundaryRow, MessageRow, Row } from './rows.ts';

/** Rows before a boundary among which its preserved messages are looked for; they usually stand right before it. */
export const PRESERVED_REACH_ROWS = 20_000;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function uuidsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((uuid): uuid is string => typeof uuid === 'string') : [];
}

export class Preserved {
  readonly #listed: Set<string>;
  readonly #head: string | undefined;
  readonly #tail: string | undefined;
  #inSegment = false;
  #segment: MessageRow[] = [];
  #found: MessageRow[] = [];
  #looked = 0;
  #done: boolean;

  constructor(boundary: BoundaryRow) {
    const { preservedMessages: messages, preservedSegment: segment } = boundary.metadata;
    const listed = isObject(messages) ? uuidsOf(messages['uuids']) : [];
    const all = isObject(messages) && listed.length === 0 ? uuidsOf(messages['allUuids']) : listed;
    this.#listed = new Set(all);
    const ends = all.length === 0 && isObject(segment) ? segment : {};
    this.#head = typeof ends['headUuid'] === 'string' ? ends['headUuid'] : undefined;
    this.#tail = typeof ends['tailUuid'] === 'string' ? ends['tailUuid'] : undefined;
    this.#done = all.length === 0 && (this.#head === undefined || this.#tail === undefined);
  }

  /** Whether nothing more is looked for. */
  get done(): boolean {
    return this.#done;
  }

  /** The preserved rows found, newest first. */
  get rows(): readonly MessageRow[] {
    return this.#found;
  }

  /** A row that stands behind the boundary after all, as copied histories have it. */
  foundElsewhere(uuid: string): void {
    if (this.#listed.delete(uuid) && this.#listed.size === 0) this.#done = true;
  }

  add(row: Row): void {
    if (this.#done) return;
    this.#looked += 1;
    if (this.#looked >= PRESERVED_REACH_ROWS) this.#done = true;
    const { uuid } = row;
    if (this.#listed.size > 0) {
      if (uuid === undefined || !this.#listed.delete(uuid)) return;
      if (row.kind === 'message') this.#found.push(row);
      if (this.#listed.size === 0) this.#done = true;
      return;
    }
    if (uuid !== undefined && uuid === this.#tail) this.#inSegment = true;
    if (!this.#inSegment) return;
    if (row.kind === 'message') this.#segment.push(row);
    if (uuid === undefined || uuid !== this.#head) return;
    // Only a whole segment counts: one whose head is missing would take in everything before.
    this.#found = this.#segment;
    this.#done = true;
  }
}
