/** Reads a transcript's main chain in segments: what stands between two compactions, each as the agent had it. */
import { type FileHandle, open } from 'node:fs/promises';
import type { SegmentRow } from '../evaluation/normalise.ts';
import { foreignFormat, HEAD_BYTES, sniff } from './format.ts';
import { rowsOfLine } from './line.ts';
import { linesForward } from './lines.ts';
import { newStats } from './stats.ts';

export interface Segments {
  /** Oldest first; rows in the order of the file, none empty. */
  readonly segments: readonly (readonly SegmentRow[])[];
  /** The working directory that the file names first. */
  readonly cwd: string | undefined;
  /** Lines, or parts of a line, that hold no readable row. */
  readonly damagedLines: number;
}

/** The first `cwd` of the rows; undefined where none is near the beginning of the file. */
function cwdIn(head: Buffer): string | undefined {
  const [, quoted] = /"cwd":("(?:[^"\\]|\\.){1,4096}")/.exec(head.toString('utf8')) ?? [];
  if (quoted === undefined) return undefined;
  try {
    const cwd: unknown = JSON.parse(quoted);
    return typeof cwd === 'string' ? cwd : undefined;
  } catch {
    // An escape that JSON does not know: the folder of the file stands in.
    return undefined;
  }
}

async function headOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** What another agent's file is called; undefined if it cannot be told. Rejects as the file system does. */
export async function foreignNameOf(path: string): Promise<string | undefined> {
  const file = await open(path, 'r');
  try {
    return foreignFormat(await headOf(file));
  } finally {
    await file.close();
  }
}

/**
 * The segments of a transcript file (JSONL); undefined if it is something else. Sub-agents, meta rows, and what the client
 * made up are left out. Rejects with the system's error if the file cannot be read; never on content.
 */
export async function readSegments(path: string): Promise<Segments | undefined> {
  const file = await open(path, 'r');
  try {
    const head = await headOf(file);
    const kind = sniff(head);
    if (foreignFormat(head) !== undefined || (kind !== 'lines' && kind !== 'empty')) return undefined;
    const stats = newStats();
    let rows: SegmentRow[] = [];
    const segments = [rows];
    for await (const line of linesForward(file.createReadStream({ start: 0, autoClose: false }))) {
      for (const row of rowsOfLine(line, { stats, keepSidechain: false })) {
        if (row.kind === 'message') {
          rows.push({ role: row.role, content: row.content, messageId: row.messageId, queued: row.queued });
        } else if (row.kind === 'boundary') {
          rows = [];
          segments.push(rows);
        }
      }
    }
    return {
      segments: segments.filter((segment) => segment.length > 0),
      cwd: cwdIn(head),
      damagedLines: stats.damagedLines,
    };
  } finally {
    await file.close();
  }
}
