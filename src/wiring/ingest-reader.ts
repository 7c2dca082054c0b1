/** How `chitta ingest` comes to what it writes: from a thread that reads and masks ahead, or without one where none can be had. */
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import type { IngestDeps, IngestStep, IngestTask } from '../actions/ingest.ts';
import { readSteps } from './ingest-steps.ts';

/** Beside this file in dist/; there is none beside a source. */
const THREAD = fileURLToPath(new URL('ingest-thread.mjs', import.meta.url));
/** Starting the thread takes as long as reading this. */
const WORTH_BYTES = 2_097_152;

/** Steps of a thread, in order. Rejects if it fails, or ends before it is done. */
async function* threadSteps(tasks: readonly IngestTask[], thread: string): AsyncGenerator<IngestStep> {
  const worker = new Worker(thread, {
    workerData: tasks,
    // Those of this process may be meant for its own script.
    execArgv: [],
  });
  const waiting: (IngestStep | undefined)[] = [];
  let failure: unknown;
  let hasEnded = false;
  let wake = (): void => undefined;
  worker.on('message', (step: IngestStep | undefined) => {
    waiting.push(step);
    wake();
  });
  worker.on('error', (error) => {
    failure = error;
    wake();
  });
  worker.on('exit', () => {
    hasEnded = true;
    wake();
  });
  try {
    for (;;) {
      if (waiting.length > 0) {
        const step = waiting.shift();
        if (step === undefined) return;
        worker.postMessage(undefined, []);
        yield step;
      } else if (failure !== undefined || hasEnded) {
        throw failure ?? new Error('the thread ended early');
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    await worker.terminate();
  }
}

/** What is left to do behind a step. */
function restOf(tasks: readonly IngestTask[], step: IngestStep): readonly IngestTask[] {
  const [first, ...others] = tasks;
  if (first === undefined || 'problem' in step || step.isLast) return others;
  return [{ ...first, from: step.to }, ...others];
}

/** `thread` is the script of the thread. */
export function ingestReader(log: (line: string) => void, thread: string = THREAD): IngestDeps['read'] {
  return async function* read(tasks) {
    let rest = tasks;
    const bytes = tasks.reduce((sum, { file, from }) => sum + file.bytes - from, 0);
    if (bytes >= WORTH_BYTES && existsSync(thread)) {
      try {
        for await (const step of threadSteps(tasks, thread)) {
          rest = restOf(rest, step);
          yield step;
        }
        return;
      } catch (error) {
        log(`ingest goes on without a thread: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    yield* readSteps(rest);
  };
}
