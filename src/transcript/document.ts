/** A whole JSON document instead of lines: an array of rows or of messages, or an object that holds one. */
import { rowsOfLine } from './line.ts';
import { type Row, type RowContext, rowOfValue } from './rows.ts';

/** A document is decoded in one piece, so it cannot be longer than a string. */
const MAX_DOCUMENT_BYTES = 500_000_000;

const LISTS = ['messages', 'transcript', 'rows', 'entries'] as const;

function listOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  if (typeof document !== 'object' || document === null) return [];
  for (const key of LISTS) {
    // Objects are read by key here.
    const list = (document as Record<string, unknown>)[key];
    if (Array.isArray(list)) return list;
  }
  return [document];
}

/** The rows of a document, in order. What is no JSON document after all is read line by line. */
export async function documentRows(source: AsyncIterable<Buffer>, context: RowContext): Promise<Row[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > MAX_DOCUMENT_BYTES) {
      context.stats.damagedLines += 1;
      context.stats.capHit = true;
      return [];
    }
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  let document: unknown;
  try {
    document = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    // Torn or glued: its objects may still be found one by one, and line ends between them are only blanks.
    return rowsOfLine(bytes.subarray(Math.max(0, bytes.indexOf('{'))), context);
  }
  return listOf(document).map((value) => rowOfValue(value, context));
}
