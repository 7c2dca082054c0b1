/**
 * The live context: what the model would see now. It begins at the last compaction boundary: its summary, the messages
 * that the compaction kept, and everything after. Fed with rows, newest first, until it says that it has enough.
 *
 * Of a history that was written more than once the newest copy counts, since the end of a file shows no other; what only
 * an older copy holds stands before it. So such a file may give other messages here than in `WholeFile`.
 */
import { Copies } from './copies.ts';
import { foldRows, REACH_ROWS } from './fold.ts';
import { named, type TranscriptMessage } from './names.ts';
import { Preserved } from './preserved.ts';
import type { MessageRow, Row } from './rows.ts';
import { count, type TranscriptStats } from './stats.ts';
import { isSettled, newestOf } from './tail.ts';

export class LiveContext {
  readonly #stats: TranscriptStats;
  readonly #last: number | undefined;
  readonly #copies = new Copies('newest-first');
  readonly #seen = new Set<string>();
  readonly #rows: MessageRow[] = [];
  #preserved: Preserved | undefined;
  #settled = false;
  #checkAt: number;

  constructor(stats: TranscriptStats, last: number | undefined) {
    this.#stats = stats;
    this.#last = last;
    // A message and what answers it share a place, so fewer rows than this never settle anything.
    this.#checkAt = REACH_ROWS + Math.ceil((last ?? 0) / 2);
  }

  /** Whether older rows would change nothing. */
  get done(): boolean {
    return this.#settled || this.#preserved?.done === true;
  }

  add(row: Row): void {
    if (row.kind === 'boundary') this.#stats.boundaries += 1;
    if (this.#preserved !== undefined) return this.#preserved.add(row);
    if (row.kind === 'boundary') {
      this.#preserved = new Preserved(row);
      for (const uuid of this.#seen) this.#preserved.foundElsewhere(uuid);
      return;
    }
    if (row.uuid !== undefined) this.#seen.add(row.uuid);
    if (row.kind === 'message') this.#keep(row, this.#rows);
  }

  #keep(row: MessageRow, rows: MessageRow[]): void {
    const kept = this.#copies.without(row);
    if (kept === undefined) count(this.#stats.skipped, 'copy');
    else rows.push(kept);
  }

  /**
   * Looks whether enough has been read. To be called now and then, between lines; the work grows with what has been read,
   * so it is done only when that has grown by a quarter.
   */
  check(): void {
    if (this.#last === undefined || this.#preserved !== undefined || this.#rows.length < this.#checkAt) return;
    this.#settled = isSettled(foldRows(this.#rows).entries, this.#last, this.#rows.length);
    this.#checkAt = Math.ceil(this.#rows.length * 1.25) + 16;
  }

  /** The messages, oldest first. `capHit` says that older rows exist but may not be read. */
  finish(capHit: boolean): TranscriptMessage[] {
    const { entries, reordered, abandoned } = foldRows(this.#ordered());
    // The call of a result at the very beginning may stand in the part that was not read.
    const whole = capHit ? entries.filter(({ isOrphan }) => !isOrphan) : entries;
    for (let n = whole.length; n < entries.length; n++) count(this.#stats.skipped, 'beyond-cap');
    if (reordered > 0) this.#stats.repaired['reordered'] = reordered;
    if (abandoned > 0) this.#stats.skipped['abandoned'] = abandoned;
    const kept = this.#last === undefined ? whole : newestOf(whole, this.#last);
    this.#stats.messages = kept.length;
    return named(kept);
  }

  /** All rows, newest first, with the preserved ones in their place: right behind the summary. */
  #ordered(): readonly MessageRow[] {
    const preserved: MessageRow[] = [];
    for (const row of this.#preserved?.rows ?? []) this.#keep(row, preserved);
    if (preserved.length === 0) return this.#rows;
    const summary = this.#rows.findLastIndex((row) => row.summary);
    const at = summary < 0 ? this.#rows.length : summary;
    return [...this.#rows.slice(0, at), ...preserved, ...this.#rows.slice(at)];
  }
}

/** All messages of a file, compactions or not; of a message that was copied the first copy stays. Rows oldest first. */
export class WholeFile {
  readonly #stats: TranscriptStats;
  readonly #copies = new Copies('oldest-first');
  readonly #rows: MessageRow[] = [];

  constructor(stats: TranscriptStats) {
    this.#stats = stats;
  }

  add(row: Row): void {
    if (row.kind === 'boundary') this.#stats.boundaries += 1;
    if (row.kind !== 'message') return;
    const kept = this.#copies.without(row);
    if (kept === undefined) count(this.#stats.skipped, 'copy');
    else this.#rows.push(kept);
  }

  finish(last: number | undefined): TranscriptMessage[] {
    const { entries, reordered, abandoned } = foldRows(this.#rows.reverse());
    if (reordered > 0) this.#stats.repaired['reordered'] = reordered;
    if (abandoned > 0) this.#stats.skipped['abandoned'] = abandoned;
    const kept = last === undefined ? entries : newestOf(entries, last);
    this.#stats.messages = kept.length;
    return named(kept);
  }
}
