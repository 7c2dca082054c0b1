/** Reads transcripts that are there already into the archive of turns, part by part, so that a killed run goes on where it was. */
import type { MemoryDatabase } from '../ports/memory.ts';
import type { MaskedPart } from '../ports/sessions.ts';

/** Bytes of transcripts that are written at once: a killed run loses half a second's work. */
const AT_ONCE_BYTES = 8_388_608;

export interface IngestFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** As hooks name it; of a sub-agent with its id behind a slash. */
  readonly session: string;
  readonly project: string;
}

/** A file, and from where on it is not known. */
export interface IngestTask {
  readonly file: IngestFile;
  readonly from: number;
}

/** What was read of a file, or why no more of it can be. */
export type IngestStep =
  | {
      readonly path: string;
      readonly part: MaskedPart;
      /** Bytes from the one to the other were read. */
      readonly from: number;
      readonly to: number;
      readonly isLast: boolean;
    }
  | { readonly path: string; readonly problem: string };

export interface IngestDeps {
  readonly store: Pick<MemoryDatabase, 'session' | 'ingest' | 'stats'>;
  /** The files in their order, each in parts up to its end or a problem. */
  read(tasks: readonly IngestTask[]): AsyncIterable<IngestStep>;
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
  /** Of each writing. */
  readonly deadlineMs: number;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  readonly onProblem: (path: string, problem: string) => void;
}

/** What comes together until there is enough for one transaction. */
class Batch {
  readonly #write: (parts: readonly MaskedPart[]) => Promise<void>;
  #parts: MaskedPart[] = [];
  #bytes = 0;

  constructor(write: (parts: readonly MaskedPart[]) => Promise<void>) {
    this.#write = write;
  }

  async add(part: MaskedPart, bytes: number): Promise<void> {
    this.#parts.push(part);
    this.#bytes += bytes;
    if (this.#bytes >= AT_ONCE_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    if (parts.length > 0) await this.#write(parts);
  }
}

/**
 * Reads the files that are not known to their end, in the order given. One that cannot be read is passed over. Rejects as the store does;
 * what was written before stays.
 */
export async function ingest(
  files: readonly IngestFile[],
  { store, read }: IngestDeps,
  { deadlineMs, onProgress, onProblem }: IngestOptions,
): Promise<IngestReport> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const counts = { files: 0, known: 0, unreadable: 0, bytes: 0 };
  const before = (await store.stats(deadlineMs)).turns;
  const tasks: IngestTask[] = [];
  let passed = 0;
  for (const file of files) {
    const known = await store.session(file.session, deadlineMs);
    const from = known?.transcript === file.path ? known.archivedBytes : 0;
    if (from < file.bytes) {
      tasks.push({ file, from });
      continue;
    }
    counts.known += 1;
    passed += file.bytes;
  }

  const batch = new Batch((parts) => store.ingest(parts, deadlineMs));
  let place = 0;
  for await (const step of read(tasks)) {
    const size = tasks[place]?.file.bytes ?? 0;
    if ('problem' in step) {
      counts.unreadable += 1;
      onProblem(step.path, step.problem);
    } else {
      const { part, from, to, isLast } = step;
      await batch.add(part, to - from);
      counts.bytes += Math.max(0, to - from);
      onProgress?.(passed + Math.min(to, size), total);
      if (!isLast) continue;
      counts.files += 1;
    }
    place += 1;
    passed += size;
    onProgress?.(passed, total);
  }
  await batch.flush();
  return { ...counts, turns: (await store.stats(deadlineMs)).turns - before };
}
