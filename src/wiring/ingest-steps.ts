/** What `chitta ingest` reads and masks, in whichever thread. */
import { ingestSteps } from '../actions/ingest-parts.ts';
import type { IngestStep, IngestTask } from '../actions/ingest.ts';
import { maskedPart } from '../memory/masked.ts';
import { readTranscriptPart } from '../transcript/part.ts';

/** Reads whatever `max_read_bytes` says: no hook waits here, and all of a file is wanted. */
export function readSteps(tasks: readonly IngestTask[]): AsyncGenerator<IngestStep> {
  // Made once: fresh memory for each part costs more than reading into it.
  let into: Buffer | undefined;
  return ingestSteps(tasks, {
    readPart: (path, from, atOnce, before) => {
      into ??= Buffer.allocUnsafeSlow(atOnce);
      return readTranscriptPart(path, from, { maxBytes: Number.POSITIVE_INFINITY, atOnce, before, into });
    },
    mask: maskedPart,
    now: Date.now,
  });
}
