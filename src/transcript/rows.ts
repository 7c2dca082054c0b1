/** JSON objects of a transcript to rows: what each is, and of the messages what there is to read. */
import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH } from '../messages/depth.ts';
import type { Block } from '../messages/types.ts';
import { contentOf, countLoneSurrogates, limitDepth } from './content.ts';
import { headOf, type RowHead, type ScannedHead, verdictOf } from './head.ts';
import { count, type TranscriptStats } from './stats.ts';

export interface MessageRow {
  readonly kind: 'message';
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
  readonly uuid: string | undefined;
  readonly parentUuid: string | undefined;
  readonly messageId: string | undefined;
  readonly timestamp: string | undefined;
  readonly summary: boolean;
  /** A prompt that was queued while the agent worked, known from its attachment. */
  readonly queued: boolean;
  /** Left over from a history that was written more than once; such rows are not joined with rows of the copy. */
  readonly leftover: boolean;
}

export interface BoundaryRow {
  readonly kind: 'boundary';
  readonly uuid: string | undefined;
  readonly metadata: Record<string, unknown>;
}

/** A row of no interest, but for its place and name: a boundary may list it. */
export interface OtherRow {
  readonly kind: 'other';
  readonly uuid: string | undefined;
}

export type Row = MessageRow | BoundaryRow | OtherRow;

/** How a file is read; `stats` is written to. */
export interface RowContext {
  readonly stats: TranscriptStats;
  /** True for the transcript of a sub-agent, whose rows are all marked as sidechain. */
  readonly keepSidechain: boolean;
}

/** V8 cannot hold a longer string. */
export const MAX_ROW_BYTES = 500_000_000;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function messageOf(row: Record<string, unknown>, head: RowHead, queued: boolean, stats: TranscriptStats): Row {
  const other: Row = { kind: 'other', uuid: head.uuid };
  const wrapped = isObject(row['message']) ? row['message'] : undefined;
  const bare =
    wrapped === undefined && row['message'] === undefined && typeof row['role'] === 'string' ? row : undefined;
  const message = wrapped ?? bare ?? {};
  const attachment = isObject(row['attachment']) ? row['attachment'] : {};
  const found = contentOf(queued ? attachment['prompt'] : message['content']);
  if (found === undefined) {
    count(stats.skipped, 'empty');
    return other;
  }
  if (found.repaired > 0) count(stats.repaired, 'block');
  const role = message['role'] === 'user' || message['role'] === 'assistant' ? message['role'] : head.type;
  return {
    kind: 'message',
    role: role === 'assistant' && !queued ? 'assistant' : 'user',
    content: found.content,
    uuid: head.uuid,
    parentUuid: textOf(row['parentUuid']),
    messageId: textOf(message['id']),
    timestamp: textOf(row['timestamp']),
    summary: row['isCompactSummary'] === true,
    queued,
    leftover: false,
  };
}

/** The row that a decoded value is, after `verdictOf` said what kind it has. */
function rowOf(value: unknown, head: RowHead, context: RowContext): Row {
  const { stats } = context;
  const verdict = verdictOf(head, context.keepSidechain);
  if (typeof verdict === 'object' || !isObject(value)) {
    count(stats.skipped, typeof verdict === 'object' ? verdict.skip : 'unknown');
    return { kind: 'other', uuid: head.uuid };
  }
  if (verdict !== 'boundary') return messageOf(value, head, verdict === 'queued', stats);
  const metadata = value['compactMetadata'];
  return { kind: 'boundary', uuid: head.uuid, metadata: isObject(metadata) ? metadata : {} };
}

/** The row that an element of a whole JSON document is. */
export function rowOfValue(value: unknown, context: RowContext): Row {
  context.stats.rows += 1;
  if (!isObject(value)) {
    count(context.stats.skipped, 'unknown');
    return { kind: 'other', uuid: undefined };
  }
  limitDepth(value);
  context.stats.loneSurrogates += countLoneSurrogates(value);
  return rowOf(value, headOf(value), context);
}

/** Decodes the object at `start` if its head says it is worth it; undefined if it is no valid JSON after all. */
export function rowAt(line: Buffer, start: number, scanned: ScannedHead, context: RowContext): Row | undefined {
  const { stats } = context;
  const { head, end, depth, unread } = scanned;
  const verdict = verdictOf(head, context.keepSidechain);
  if (typeof verdict === 'object') {
    stats.rows += 1;
    count(stats.skipped, verdict.skip);
    return { kind: 'other', uuid: head.uuid };
  }
  if (end - start > MAX_ROW_BYTES) return undefined;
  const text =
    unread === undefined
      ? line.toString('utf8', start, end)
      : `${line.toString('utf8', start, unread.from)}null${line.toString('utf8', unread.to, end)}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The caller looks for a row further on, and counts the damage.
    return undefined;
  }
  stats.rows += 1;
  if (text.includes('\uFFFD') && !isUtf8(line.subarray(start, end))) count(stats.repaired, 'invalid-utf8');
  if (depth > MAX_DEPTH) {
    limitDepth(value);
    count(stats.repaired, 'too-deep');
  }
  // UTF-8 holds none: only escapes write them.
  if (text.includes('\\ud') || text.includes('\\uD')) stats.loneSurrogates += countLoneSurrogates(value);
  return rowOf(value, head, context);
}
