/** Reads transcripts that are there already into the archive of turns, part by part, so that a killed run goes on where it was. */
import { ChittaError } from '../errors.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import { type CapturedPart, turnsOf } from './capture.ts';

/**
 * Bytes of a transcript that are read, masked and written at once: the full-text index costs a fifth less with parts of this size than
 * with those of a tenth, and a killed run loses a second's work.
 */
const PART_BYTES = 16_777_216;
/** A transcript that nobody wrote to for so long is complete: its end need not be read again. */
const SETTLED_MS = 3_600_000;

export interface IngestFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** As hooks name it; of a sub-agent with its id behind a slash. */
  readonly session: string;
  readonly project: string;
}

export interface IngestDeps {
  readonly store: Pick<MemoryDatabase, 'session' | 'ingest' | 'stats'>;
  /** A part of at most `atOnce` bytes from `from` on; `before` is the part before it. Rejects with E_INPUT_FORMAT for another format. */
  readPart(
    path: string,
    from: number,
    atOnce: number,
    before: CapturedPart | undefined,
  ): Promise<CapturedPart | undefined>;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface IngestReport {
  /** Transcripts that were read to their end. */
  readonly files: number;
  /** Transcripts of which everything was known. */
  readonly known: number;
  /** Files that could not be read, or are something else. */
  readonly unreadable: number;
  /** Turns that are new in the archive. */
  readonly turns: number;
  /** Bytes that were read. */
  readonly bytes: number;
}

export interface IngestOptions {
  /** Of each part. */
  readonly deadlineMs: number;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  readonly onProblem: (path: string, problem: string) => void;
}

/**
 * Reads the files that are not known to their end, in the order given. One that cannot be read is passed over. Rejects as the store does;
 * what was read before stays.
 */
export async function ingest(
  files: readonly IngestFile[],
  { store, readPart, now }: IngestDeps,
  { deadlineMs, onProgress, onProblem }: IngestOptions,
): Promise<IngestReport> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const counts = { files: 0, known: 0, unreadable: 0, bytes: 0 };
  const before = (await store.stats(deadlineMs)).turns;
  let passed = 0;

  const readFile = async ({ path, bytes, modifiedMs, session, project }: IngestFile): Promise<void> => {
    const known = await store.session(session, deadlineMs);
    let from = known?.transcript === path ? known.archivedBytes : 0;
    if (from >= bytes) {
      counts.known += 1;
      return;
    }
    const isSettled = now() - modifiedMs > SETTLED_MS;
    let part: CapturedPart | undefined;
    for (;;) {
      part = await readPart(path, from, PART_BYTES, part);
      if (part === undefined) throw new ChittaError('E_INPUT_MISSING', 'it is no regular file');
      const { next } = part;
      const archivedBytes = next ?? (isSettled ? Math.max(part.resumeAt, bytes) : part.resumeAt);
      const turns = turnsOf(part, { session, project });
      await store.ingest({ session, project, transcript: path, turns, archivedBytes }, modifiedMs, deadlineMs);
      const end = next ?? bytes;
      counts.bytes += Math.max(0, end - from);
      onProgress?.(passed + Math.min(end, bytes), total);
      if (next === undefined) break;
      from = next;
    }
    counts.files += 1;
  };

  for (const file of files) {
    try {
      await readFile(file);
    } catch (error) {
      // What the store says concerns all files.
      if (error instanceof ChittaError && error.code.startsWith('E_STORE')) throw error;
      counts.unreadable += 1;
      onProblem(file.path, error instanceof Error ? error.message : String(error));
    }
    passed += file.bytes;
    onProgress?.(passed, total);
  }
  return { ...counts, turns: (await store.stats(deadlineMs)).turns - before };
}
