/** Reads transcripts: a file from its end, or a stream from its beginning. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ChittaError } from '../errors.ts';
import { documentRows } from './document.ts';
import type { TranscriptMessage } from './names.ts';
import { foreignFormat, HEAD_BYTES, isAgentTranscript, sniff } from './format.ts';
import { linesBackward, linesForward } from './lines.ts';
import { LiveContext, WholeFile } from './live.ts';
import { PRESERVED_REACH_ROWS } from './preserved.ts';
import type { Row, RowContext } from './rows.ts';
import { rowsOfLine } from './line.ts';
import { newStats, type TranscriptStats } from './stats.ts';

export interface ReadOptions {
  /** Only the newest messages: at least this many, extended to whole units and to the newest typed prompt. */
  readonly last?: number;
  /** The whole file instead of the live context (what stands since the last compaction). */
  readonly all?: boolean;
  /** Most bytes read from the end of a file. Default 32 MiB with `last`, no limit otherwise. */
  readonly maxBytes?: number;
}

export interface Transcript {
  /** Oldest first. */
  readonly messages: TranscriptMessage[];
  readonly stats: TranscriptStats;
}

const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

function refuseForeign(head: Buffer, what: string): void {
  const name = foreignFormat(head);
  if (name === undefined) return;
  throw new ChittaError('E_INPUT_FORMAT', `${what} is not a Claude Code transcript: ${name}`, {
    hint: 'pass a Claude Code transcript (.jsonl), or a JSON array of messages',
  });
}

/** The first bytes of a stream, and the stream with them put back. */
async function peek(source: AsyncIterable<Buffer>): Promise<{ head: Buffer; whole: AsyncIterable<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  let next = await iterator.next();
  for (let size = 0; next.done !== true; next = await iterator.next()) {
    held.push(next.value);
    size += next.value.length;
    if (size >= HEAD_BYTES) break;
  }
  async function* whole(): AsyncGenerator<Buffer> {
    yield* held;
    if (next.done !== true) yield* { [Symbol.asyncIterator]: () => iterator };
  }
  // No more is copied than is looked at.
  const head = held.reduce((sum, { length }) => sum + length, 0);
  return { head: Buffer.concat(held, Math.min(head, HEAD_BYTES)), whole: whole() };
}

async function* counted(source: AsyncIterable<Buffer>, stats: TranscriptStats): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    stats.bytesRead += chunk.length;
    stats.fileBytes = Math.max(stats.fileBytes, stats.bytesRead);
    yield chunk;
  }
}

async function* rowsForward(source: AsyncIterable<Buffer>, head: Buffer, context: RowContext): AsyncGenerator<Row> {
  const kind = sniff(head);
  if (kind === 'rows' || kind === 'messages' || kind === 'object') {
    yield* await documentRows(source, context);
    return;
  }
  for await (const line of linesForward(source)) yield* rowsOfLine(line, context);
}

async function parseStream(
  source: AsyncIterable<Buffer>,
  what: string,
  options: ReadOptions,
  stats: TranscriptStats,
  isAgent?: boolean,
): Promise<Transcript> {
  const { head, whole } = await peek(source);
  refuseForeign(head, what);
  const context: RowContext = { stats, keepSidechain: isAgent ?? isAgentTranscript(head) };
  const rowStream = rowsForward(counted(whole, stats), head, context);
  if (options.all === true) {
    const file = new WholeFile(stats);
    for await (const row of rowStream) file.add(row);
    return { messages: file.finish(options.last), stats };
  }
  let rows: Row[] = [];
  for await (const row of rowStream) {
    rows.push(row);
    // Of what stands before a boundary only so much can still be asked for.
    const spare = row.kind === 'boundary' ? rows.length - PRESERVED_REACH_ROWS - 1 : 0;
    if (spare > PRESERVED_REACH_ROWS) rows = rows.slice(spare);
  }
  const live = new LiveContext(stats, options.last);
  for (let at = rows.length - 1; at >= 0 && !live.done; at--) {
    const row = rows[at];
    if (row !== undefined) live.add(row);
  }
  return { messages: live.finish(false), stats };
}

async function* single(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** All messages of some lines of a transcript, whose beginning tells whether it is a sub-agent's. Rejects as `parseTranscript` does. */
export function parseLines(lines: Buffer, isAgent: boolean): Promise<Transcript> {
  return parseStream(single(lines), 'the input', { all: true }, newStats(), isAgent);
}

/**
 * Messages of a transcript that is in memory or comes as a stream. Never throws on content; E_INPUT_FORMAT if it is
 * another agent's format. `maxBytes` does not apply.
 */
export async function parseTranscript(
  source: Buffer | AsyncIterable<Buffer>,
  options: ReadOptions = {},
): Promise<Transcript> {
  return parseStream(Buffer.isBuffer(source) ? single(source) : source, 'the input', options, newStats());
}

async function readAt(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, from + filled);
    // The file became shorter while it was read: what is there is what counts.
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function* chunksBackward(
  file: FileHandle,
  size: number,
  floor: number,
  stats: TranscriptStats,
): AsyncGenerator<Buffer> {
  for (let to = size; to > floor;) {
    const from = Math.max(floor, to - CHUNK_BYTES);
    const chunk = await readAt(file, from, to);
    stats.bytesRead += chunk.length;
    yield chunk;
    to = from;
  }
}

async function readBackward(file: FileHandle, context: RowContext, options: ReadOptions): Promise<Transcript> {
  const { stats } = context;
  const size = stats.fileBytes;
  const cap = options.maxBytes ?? (options.last === undefined ? size : DEFAULT_MAX_BYTES);
  const floor = Math.max(0, size - cap);
  const live = new LiveContext(stats, options.last);
  let waiting: Buffer | undefined;
  const take = (line: Buffer): void => {
    const rows = rowsOfLine(line, context);
    for (let at = rows.length - 1; at >= 0 && !live.done; at--) {
      const row = rows[at];
      if (row !== undefined) live.add(row);
    }
    live.check();
  };
  for await (const line of linesBackward(chunksBackward(file, size, floor, stats))) {
    if (waiting !== undefined) take(waiting);
    if (live.done) return { messages: live.finish(false), stats };
    waiting = line;
  }
  // The oldest line of a part may have lost its beginning.
  if (waiting !== undefined && floor === 0) take(waiting);
  stats.capHit = floor > 0 && !live.done;
  return { messages: live.finish(stats.capHit), stats };
}

function unreadable(path: string, cause: unknown): ChittaError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const why =
    code === 'ENOENT'
      ? 'there is no such file'
      : code === 'EISDIR'
        ? 'it is a directory'
        : code || 'it cannot be opened';
  return new ChittaError('E_INPUT_MISSING', `cannot read ${path}: ${why}`, {
    hint: 'Claude Code keeps its transcripts in ~/.claude/projects/<project>/<session>.jsonl',
    cause,
  });
}

/**
 * Messages of a transcript file: of its live context, or of the whole file with `all`. With `last` only the end of the
 * file is read, and the result is the same as if all of it were, unless `stats.capHit`.
 * Never throws on content. E_INPUT_MISSING if the file cannot be read, E_INPUT_FORMAT if it is another agent's format.
 */
export async function readTranscript(path: string, options: ReadOptions = {}): Promise<Transcript> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const stats = newStats();
    const info = await file.stat();
    if (!info.isFile() && !info.isDirectory()) return await parseStream(file.createReadStream(), path, options, stats);
    stats.fileBytes = info.size;
    const head = await readAt(file, 0, Math.min(HEAD_BYTES, info.size));
    refuseForeign(head, path);
    const kind = sniff(head);
    if (options.all === true || kind === 'rows' || kind === 'messages' || kind === 'object') {
      return await parseStream(createReadStream(path), path, options, stats);
    }
    return await readBackward(file, { stats, keepSidechain: isAgentTranscript(head) }, options);
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? unreadable(path, error) : error;
  } finally {
    // Nothing is lost: the file was only read, and a pipe closes with its stream.
    await file?.close().catch(() => undefined);
  }
}
