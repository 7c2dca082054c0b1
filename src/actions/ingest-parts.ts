/** What `ingest` writes, made of transcripts: read, parsed and masked part by part. It may run in a thread of its own. */
import type { MaskedPart } from '../ports/sessions.ts';
import type { ArchivedTurn } from '../ports/turns.ts';
import { type CapturedPart, turnsOf } from './capture.ts';
import type { IngestStep, IngestTask } from './ingest.ts';

/**
 * Bytes of a transcript that are read and masked at once. With four times as many their objects outlive the garbage collector's first
 * rounds, which costs a third more; with fewer, a history that was written twice is less often known for a copy.
 */
const PART_BYTES = 4_194_304;
/** A transcript that nobody wrote to for so long is complete: its end need not be read again. */
const SETTLED_MS = 3_600_000;

export interface PartDeps {
  /** A part of at most `atOnce` bytes from `from` on; `before` is the part before it. Rejects with E_INPUT_FORMAT for another format. */
  readPart(
    path: string,
    from: number,
    atOnce: number,
    before: CapturedPart | undefined,
  ): Promise<CapturedPart | undefined>;
  /** The store's own masking. */
  mask(part: Omit<MaskedPart, 'masked' | 'turns' | 'texts'> & { readonly turns: readonly ArchivedTurn[] }): MaskedPart;
  /** Milliseconds since 1970. */
  now(): number;
}

async function* partsOf(
  { file: { path, bytes, modifiedMs, session, project }, from: begin }: IngestTask,
  { readPart, mask, now }: PartDeps,
): AsyncGenerator<IngestStep> {
  const isSettled = now() - modifiedMs > SETTLED_MS;
  let part: CapturedPart | undefined;
  for (let from = begin; ;) {
    part = await readPart(path, from, PART_BYTES, part);
    if (part === undefined) {
      yield { path, problem: 'it is no regular file' };
      return;
    }
    const { next } = part;
    const archivedBytes = next ?? (isSettled ? Math.max(part.resumeAt, bytes) : part.resumeAt);
    const turns = turnsOf(part, { session, project });
    const masked = mask({ session, project, transcript: path, turns, archivedBytes, atMs: modifiedMs });
    const to = next ?? Math.max(from, bytes);
    yield { path, part: masked, from, to, isLast: next === undefined };
    if (next === undefined) return;
    from = next;
  }
}

/** The files in their order, each in parts up to its end or a problem. Never rejects. */
export async function* ingestSteps(tasks: readonly IngestTask[], deps: PartDeps): AsyncGenerator<IngestStep> {
  for (const task of tasks) {
    try {
      yield* partsOf(task, deps);
    } catch (error) {
      yield { path: task.file.path, problem: error instanceof Error ? error.message : String(error) };
    }
  }
}
