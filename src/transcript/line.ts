/**
 * A line of a transcript to rows. It is usually one, but two writers, a crash or a copy leave glued, torn and padded lines
 * behind: what is readable in them is read, the rest is counted.
 */
import { scanHead } from './head.ts';
import { MAX_ROW_BYTES, rowAt, type Row, type RowContext } from './rows.ts';
import { count } from './stats.ts';

/** Torn parts of a line from which a following row is looked for; beyond it the rest of the line counts as damaged. */
const MAX_TRIES = 16;

const OPEN_OBJECT = 0x7b;

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

/** Whether an object reaches the end of the line or another object. If not, its braces may balance by chance, in a torn line. */
function isWhole(line: Buffer, end: number): boolean {
  const next = end < 0 ? -1 : skipFiller(line, end);
  return next === line.length || line[next] === OPEN_OBJECT;
}

/** Whether the bytes are JSON. A row with stray text behind it is; braces that balance by chance hold none. */
function isJson(line: Buffer, start: number, end: number): boolean {
  if (end < 0 || end - start > MAX_ROW_BYTES) return false;
  try {
    JSON.parse(line.toString('utf8', start, end));
    return true;
  } catch {
    return false;
  }
}

/** The next row behind a torn one. */
function findWhole(line: Buffer, from: number, tries: { left: number }): number {
  let at = line.indexOf('{"', from);
  while (at >= 0 && tries.left > 0) {
    tries.left -= 1;
    const { end, head } = scanHead(line, at, line.length);
    if (head.type !== undefined && isWhole(line, end)) return at;
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
  if (line[at] !== OPEN_OBJECT && isScalar(line, at)) {
    stats.rows += 1;
    count(stats.skipped, 'unknown');
    return rows;
  }
  const first = at;
  const tries = { left: MAX_TRIES };
  while (at < line.length) {
    let row: Row | undefined;
    let end = -1;
    if (line[at] === OPEN_OBJECT) {
      const scanned = scanHead(line, at, line.length);
      end = scanned.end;
      // Further on, an object before stray text may be a part of a row that lost its beginning.
      if (isWhole(line, end) || (at === first && isJson(line, at, end))) row = rowAt(line, at, scanned, context);
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
