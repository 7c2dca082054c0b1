/**
 * Lines of a transcript to rows. A line is usually one row, but two writers, a crash or a copy leave glued, torn and
 * padded lines behind: what is readable in them is read, the rest is counted.
 */
import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH } from '../messages/depth.ts';
import type { Block } from '../messages/types.ts';
import { contentOf, countLoneSurrogates, limitDepth } from './content.ts';
import { headOf, type RowHead, scanHead, type ScannedHead, verdictOf } from './head.ts';
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

/** Torn parts of a line from which a following row is looked for; beyond it the rest of the line counts as damaged. */
const MAX_TRIES = 16;

/** V8 cannot hold a longer string. */
const MAX_ROW_BYTES = 500_000_000;

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
function decode(line: Buffer, start: number, scanned: ScannedHead, context: RowContext): Row | undefined {
  const { stats } = context;
  const { head, end, depth } = scanned;
  const verdict = verdictOf(head, context.keepSidechain);
  if (typeof verdict === 'object') {
    stats.rows += 1;
    count(stats.skipped, verdict.skip);
    return { kind: 'other', uuid: head.uuid };
  }
  if (end - start > MAX_ROW_BYTES) return undefined;
  const bytes = line.subarray(start, end);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The caller looks for a row further on, and counts the damage.
    return undefined;
  }
  stats.rows += 1;
  if (text.includes('\uFFFD') && !isUtf8(bytes)) count(stats.repaired, 'invalid-utf8');
  if (depth > MAX_DEPTH) {
    limitDepth(value);
    count(stats.repaired, 'too-deep');
  }
  // A lone surrogate can only come from an escape.
  if (bytes.includes('\\ud') || bytes.includes('\\uD')) stats.loneSurrogates += countLoneSurrogates(value);
  return rowOf(value, head, context);
}

/** Blanks, NUL bytes of a hole, a byte order mark, and a comma between glued objects. */
function isFiller(byte: number | undefined): boolean {
  return (
    byte === 0x20 ||
    byte === 0x09 ||
    byte === 0x0d ||
    byte === 0x0a ||
    byte === 0 ||
    byte === 0x2c ||
    byte === 0xef ||
    byte === 0xbb ||
    byte === 0xbf
  );
}

function skipFiller(line: Buffer, from: number): number {
  let at = from;
  while (at < line.length && isFiller(line[at])) at += 1;
  return at;
}

/** The next row behind a torn one: a whole object that reaches the end of the line or another object. */
function findWhole(line: Buffer, from: number, tries: { left: number }): number {
  let at = line.indexOf('{"', from);
  while (at >= 0 && tries.left > 0) {
    tries.left -= 1;
    const { end, head } = scanHead(line, at, line.length);
    if (end >= 0 && head.type !== undefined) {
      const next = skipFiller(line, end);
      if (next === line.length || line[next] === 0x7b) return at;
    }
    at = line.indexOf('{"', end >= 0 ? end : at + 2);
  }
  return -1;
}

const isComment = (line: Buffer, at: number): boolean =>
  line[at] === 0x23 || (line[at] === 0x2f && line[at + 1] === 0x2f);

/** JSON values that are no rows: numbers, texts, lists. */
function isScalar(line: Buffer, at: number): boolean {
  if (line.length - at > 1000) return false;
  try {
    JSON.parse(line.toString('utf8', at).replaceAll('\0', ''));
    return true;
  } catch {
    return false;
  }
}

/** The rows of one line, in order. Never throws; linear in the length of the line. */
export function rowsOfLine(line: Buffer, context: RowContext): Row[] {
  const { stats } = context;
  const rows: Row[] = [];
  let at = skipFiller(line, 0);
  if (at === line.length) {
    if (line.includes(0)) count(stats.repaired, 'nul');
    return rows;
  }
  if (line[0] === 0) count(stats.repaired, 'nul');
  if (isComment(line, at)) {
    count(stats.skipped, 'comment');
    return rows;
  }
  if (line[at] !== 0x7b && isScalar(line, at)) {
    stats.rows += 1;
    count(stats.skipped, 'unknown');
    return rows;
  }
  const tries = { left: MAX_TRIES };
  while (at < line.length) {
    let row: Row | undefined;
    let end = -1;
    if (line[at] === 0x7b) {
      const scanned = scanHead(line, at, line.length);
      end = scanned.end;
      // Text behind the object that is no object means that the braces balanced by chance, in a torn line.
      const next = end >= 0 ? skipFiller(line, end) : -1;
      if (next === line.length || line[next] === 0x7b) row = decode(line, at, scanned, context);
    }
    if (row !== undefined) {
      if (rows.length > 0) count(stats.repaired, 'glued');
      rows.push(row);
      at = skipFiller(line, end);
      continue;
    }
    stats.damagedLines += 1;
    at = findWhole(line, at + 1, tries);
    if (at < 0) break;
    count(stats.repaired, 'torn');
  }
  return rows;
}
