/** What a reading saw, skipped and repaired: counted, so that nothing is dropped in silence. */

export interface TranscriptStats {
  /** JSON objects looked at. With `last` only those of the part that was read. */
  rows: number;
  /** Messages returned. */
  messages: number;
  /** Rows left out, by reason: a row type (`progress`, `attachment`…), `sidechain`, `meta`, `synthetic`, `api-error`, `copy`, `empty`, `abandoned`… */
  skipped: Record<string, number>;
  /** Things put right, by kind: `glued`, `torn`, `nul`, `invalid-utf8`, `block`, `too-deep`, `reordered`. */
  repaired: Record<string, number>;
  /** Lines, or parts of a line, that hold no readable row. */
  damagedLines: number;
  /** Lone surrogates in the rows that were decoded; they stay in the strings as read. */
  loneSurrogates: number;
  bytesRead: number;
  /** Size of the file; for a stream, what came through it. */
  fileBytes: number;
  /** Whether `maxBytes` ended the reading before everything asked for was found. */
  capHit: boolean;
  /** Compaction boundaries met. */
  boundaries: number;
}

export function newStats(): TranscriptStats {
  return {
    rows: 0,
    messages: 0,
    skipped: {},
    repaired: {},
    damagedLines: 0,
    loneSurrogates: 0,
    bytesRead: 0,
    fileBytes: 0,
    capHit: false,
    boundaries: 0,
  };
}

/** Adds one to a count by name. Names come from fixed lists, never from a file. */
export function count(table: Record<string, number>, name: string): void {
  table[name] = (table[name] ?? 0) + 1;
}
