/**
 * The real daemon: the server with the embedder, the vector cache and the memory database in it. The one place in the adapters
 * that knows its neighbours; `chitta daemon run` ends here.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openVectorCache } from '../embedding/cache.ts';
import { loadEmbedder } from '../embedding/embedder.ts';
import { assertGenuine, type ModelSpec } from '../embedding/model.ts';
import { nearestTurns } from '../memory/nearest-turns.ts';
import { nearestMemories } from '../memory/nearest.ts';
import { openMemory } from '../memory/store.ts';
import type { Env } from '../platform/env.ts';
import { ensurePrivateDir } from '../platform/paths.ts';
import { sparing } from './complaints.ts';
import { databaseMemories, type Recall, type RecallForPrompt } from './memories.ts';
import type { Ended } from './options.ts';
import type { Embedding, ReadTexts } from './parts.ts';
import { endpointOf } from './places.ts';
import { runServer } from './server.ts';
import { preparedOf } from './texts.ts';

/** A daemon that hangs on its way out (a call into the model that never returns) is ended after this. */
const LAST_RESORT_MS = 3_000;
/** Files that were made by the daemon are for this user only. */
const PRIVATE_UMASK = 0o077;

export interface DaemonOptions {
  readonly env: Env;
  readonly home: string;
  /** chitta's own version. */
  readonly build: string;
  readonly model: ModelSpec;
  readonly readTexts: ReadTexts;
  readonly recall: Recall;
  readonly recallForPrompt: RecallForPrompt;
  /** A transcript to follow from the beginning. */
  readonly follow?: string | undefined;
  readonly log: (line: string) => void;
  readonly idleMs: number;
  readonly onReady?: () => void;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function embeddingOf({ model, home, log }: DaemonOptions): Promise<Embedding> {
  const path = join(home, 'vectors.db');
  const cache = await openVectorCache({ path, log });
  return {
    model: model.id,
    load: async () => {
      assertGenuine(model);
      return loadEmbedder(model, { log });
    },
    known: {
      get: (hashes) => cache.get(model.id, hashes),
      peek: (hashes) => cache.peek(model.id, hashes),
      put: (entries) => cache.put(model.id, entries),
      bytes: () => sizeOf(path) + sizeOf(`${path}-wal`),
      close: () => cache.close(),
    },
  };
}

/** Runs the daemon in this process until it is over: idle, told to end, or by SIGTERM or SIGINT. Never rejects. */
export async function runDaemon(options: DaemonOptions): Promise<Ended> {
  const { env, home, model, build, readTexts, recall, recallForPrompt, follow, log, idleMs, onReady } = options;
  process.umask(PRIVATE_UMASK);
  const end = new AbortController();
  const stop = (): void => end.abort();
  process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop);
  try {
    ensurePrivateDir(home);
    // With a database that is locked for long, the store has the same to say of every request.
    const store = openMemory({ home, log: sparing(log) });
    const embedding = await embeddingOf(options);
    return await runServer({
      endpoint: endpointOf({ env, home, model: model.id }),
      build,
      embedding,
      memories: databaseMemories({
        store,
        nearest: nearestMemories(store, model.id, model.dim),
        nearestTurns: nearestTurns({
          store,
          dim: model.dim,
          vectorsOf: (texts) => embedding.known.peek(texts.map((text) => preparedOf(text).hash)),
        }),
        model: model.id,
        recall,
        recallForPrompt,
        log,
      }),
      readTexts,
      follow,
      log,
      idleMs,
      signal: end.signal,
      ...(onReady === undefined ? {} : { onReady }),
    });
  } finally {
    process.off('SIGTERM', stop).off('SIGINT', stop).off('SIGHUP', stop);
    // Does not keep the process; where something else does, it is a thread that hangs.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_RESORT_MS).unref();
  }
}
