/** Reads on in a transcript that grows, from where it was left. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { HEAD_BYTES, isAgentTranscript } from './format.ts';
import type { TranscriptMessage } from './names.ts';
import { parseLines } from './read.ts';
import { isTypedPrompt } from '../messages/typed.ts';
import { isResultBlock } from '../messages/view.ts';

const NEWLINE = 0x0a;
const BOUNDARY = '"subtype":"compact_boundary"';
/** Read at once while a boundary is looked for. */
const LOOK_BYTES = 1_048_576;
const SHARED_BYTES = LOOK_BYTES / 4;

/** The last compaction of a transcript: rows before it have left the context, but for these. */
export interface Boundary {
  readonly at: number;
  readonly preserved: ReadonlySet<string>;
}

export interface TranscriptPart {
  /** Oldest first; all that stand in the part, whatever compactions are between them. */
  readonly messages: readonly TranscriptMessage[];
  /** Uuids of those that a compaction, in the part or behind it, took out of the context. */
  readonly left: ReadonlySet<string>;
  /** Where the part begins: later than asked if there was more than `maxBytes`, earlier if the file became shorter. */
  readonly from: number;
  /** Where to read on: the row of the newest typed prompt, since what is behind it may not have been complete. */
  readonly resumeAt: number;
  /** Where the next part begins, which is there already; undefined at the end of the file. */
  readonly next: number | undefined;
  /** undefined: there is none behind the beginning of the part. */
  readonly boundary: Boundary | undefined;
}

export interface PartLimits {
  /** Most bytes of the end of the file that are looked at; what stands before them is left out. */
  readonly maxBytes: number;
  /** So much at once; by default all. A line that is longer is read whole. */
  readonly atOnce?: number;
  /** What was read before this part, so that what it found is not looked for again. */
  readonly before?: Pick<TranscriptPart, 'boundary'> | undefined;
  /** Memory to read into, where it is large enough: for who reads part after part, one at a time. */
  readonly into?: Buffer;
}

/** Offset of the line that holds the row of that name, or undefined. */
function lineOf(bytes: Buffer, uuid: string): number | undefined {
  const at = bytes.lastIndexOf(`"uuid":${JSON.stringify(uuid)}`);
  return at < 0 ? undefined : bytes.lastIndexOf(NEWLINE, at) + 1;
}

/** The newest message; for results the one that called for them. */
function newestBegun(messages: readonly TranscriptMessage[]): TranscriptMessage | undefined {
  const [newest, caller] = [messages.at(-1), messages.at(-2)];
  const isAnswer = Array.isArray(newest?.content) && newest.content.some(isResultBlock);
  return isAnswer && caller?.role === 'assistant' ? caller : newest;
}

/** Where a part of at most `maxBytes` begins; a file that became shorter is another one, and read from its beginning. */
function startOf(from: number, size: number, maxBytes: number): number {
  const known = from > size ? 0 : from;
  return size - known > maxBytes ? size - maxBytes : known;
}

/** Fills a buffer as far as the file goes. */
async function readInto(file: FileHandle, buffer: Buffer, from: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function readAt(file: FileHandle, from: number, to: number): Promise<Buffer> {
  return readInto(file, Buffer.allocUnsafe(Math.max(0, to - from)), from);
}

/** What a boundary's row says was kept; undefined if the line is no such row, but only speaks of one. */
function preservedBy(line: Buffer): ReadonlySet<string> | undefined {
  try {
    // Whatever it is, every field that is read of it is checked.
    const row = JSON.parse(line.toString('utf8')) as {
      type?: unknown;
      subtype?: unknown;
      isSidechain?: unknown;
      compactMetadata?: { preservedMessages?: { uuids?: unknown; allUuids?: unknown } };
    } | null;
    if (row?.type !== 'system' || row.subtype !== 'compact_boundary') return undefined;
    const { uuids, allUuids } = row.compactMetadata?.preservedMessages ?? {};
    return new Set([uuids, allUuids].flatMap((list) => (Array.isArray(list) ? list.map(String) : [])));
  } catch {
    return undefined;
  }
}

/** The last boundary of these bytes, which stand at `offset` of the file. */
function boundaryIn(bytes: Buffer, offset: number): Boundary | undefined {
  for (let at = bytes.lastIndexOf(BOUNDARY); at >= 0; at = at === 0 ? -1 : bytes.lastIndexOf(BOUNDARY, at - 1)) {
    const start = bytes.lastIndexOf(NEWLINE, at) + 1;
    const end = bytes.indexOf(NEWLINE, at);
    const preserved = preservedBy(bytes.subarray(start, end < 0 ? undefined : end));
    if (preserved !== undefined) return { at: offset + start, preserved };
  }
  return undefined;
}

/** The last boundary between two bytes of a file, looked for from behind; a row that two looks share is in the second. */
async function lastBoundary(file: FileHandle, from: number, to: number): Promise<Boundary | undefined> {
  // A boundary's row is short: one that begins before a look ends in its first bytes, which are looked at twice.
  const buffer = Buffer.allocUnsafe(Math.min(to - from, LOOK_BYTES + SHARED_BYTES));
  for (let end = to; end > from;) {
    const start = Math.max(from, end - LOOK_BYTES);
    const most = Math.min(buffer.length, to - start);
    const found = boundaryIn(await readInto(file, buffer.subarray(0, most), start), start);
    if (found !== undefined) return found;
    end = start;
  }
  return undefined;
}

/** Bytes from `start` on, as many as are read at once, to the end of a line; or one line, if it is longer. */
async function wholeLines(
  file: FileHandle,
  start: number,
  size: number,
  atOnce: number,
  into: Buffer | undefined,
): Promise<Buffer> {
  for (let most = atOnce; ; most *= 2) {
    const wanted = Math.max(0, Math.min(size - start, most));
    const fits = into !== undefined && wanted <= into.length;
    const bytes = await readInto(file, fits ? into.subarray(0, wanted) : Buffer.allocUnsafe(wanted), start);
    if (start + bytes.length >= size || bytes.length < most) return bytes;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0) return bytes.subarray(0, end);
  }
}

/**
 * Messages from byte `from` on; undefined if there is no such regular file. Rejects with E_INPUT_FORMAT for another agent's format,
 * never on content.
 */
export async function readTranscriptPart(
  path: string,
  from: number,
  { maxBytes, atOnce = Number.POSITIVE_INFINITY, before, into }: PartLimits,
): Promise<TranscriptPart | undefined> {
  // Nothing is lost: a session may name a file that is never written. Asked before it is opened, which would wait at a pipe.
  const there = await stat(path).catch(() => undefined);
  if (there?.isFile() !== true) return undefined;
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = startOf(from, size, maxBytes);
    const bytes = await wholeLines(file, start, size, atOnce, into);
    const end = start + bytes.length;
    const boundary = before === undefined ? await lastBoundary(file, start, size) : before.boundary;
    // A part may begin with rows of a sub-agent, which older hosts wrote among the others.
    const isAgent = isAgentTranscript(
      start === 0 ? bytes.subarray(0, HEAD_BYTES) : await readAt(file, 0, Math.min(HEAD_BYTES, size)),
    );
    // In the middle of a line that is not its own.
    const skipped = start > 0 && start !== from ? bytes.indexOf(NEWLINE) + 1 : 0;
    const border = boundary === undefined ? skipped : Math.min(bytes.length, Math.max(skipped, boundary.at - start));
    // No message stands on both sides of a boundary.
    const older = await parseLines(bytes.subarray(skipped, border), isAgent);
    const newer = await parseLines(bytes.subarray(border), isAgent);
    const messages = [...older.messages, ...newer.messages];
    const left = older.messages.map(({ uuid }) => uuid).filter((uuid) => boundary?.preserved.has(uuid) !== true);
    const prompt = messages.findLast(isTypedPrompt);
    const line = prompt && lineOf(bytes, prompt.uuid);
    // The newest message may have rows in the next part, so that it begins there; results do with the message that called for them.
    const newest = newestBegun(messages);
    const again = newest && lineOf(bytes, newest.uuid);
    const next =
      end >= size || bytes.length === 0
        ? undefined
        : start + (again === undefined || again <= skipped ? bytes.length : again);
    return { messages, left: new Set(left), from: start, resumeAt: start + (line ?? skipped), next, boundary };
  } finally {
    await file.close();
  }
}
