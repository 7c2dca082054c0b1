/** The thread in which `chitta ingest` reads and masks while the other one writes; a file of its own in dist/. Never imported. */
import { parentPort, workerData } from 'node:worker_threads';
import type { IngestTask } from '../actions/ingest.ts';
import { readSteps } from './ingest-steps.ts';

/** Steps that may wait to be written: enough for a transaction while the one before it is at work. */
const MOST_AHEAD = 6;

async function run(tasks: readonly IngestTask[]): Promise<void> {
  let ahead = 0;
  let goOn: (() => void) | undefined;
  parentPort?.on('message', () => {
    ahead -= 1;
    goOn?.();
  });
  for await (const step of readSteps(tasks)) {
    parentPort?.postMessage(step, 'part' in step ? [step.part.texts.buffer] : []);
    ahead += 1;
    if (ahead < MOST_AHEAD) continue;
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
  }
  parentPort?.postMessage(undefined, []);
  parentPort?.close();
}

// What the thread was started with is the list that wiring/ingest-reader.ts made.
await run(workerData as readonly IngestTask[]);
