/**
 * A daemon with a scripted model, as a process of its own. The model: a vector is the counts of a text's letters, each embedding
 * takes `SCRIPT.embed_ms`; texts that hold `HANG` never come back. Arguments: a JSON object, see `Script`.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Embedding, Memories } from '../../../src/daemon/parts.ts';
import { endpointOf } from '../../../src/daemon/places.ts';
import { runServer } from '../../../src/daemon/server.ts';

export interface Script {
  readonly home: string;
  readonly runtimeDir: string;
  readonly build?: string;
  readonly model?: string;
  readonly idleMs?: number;
  readonly loadMs?: number;
  readonly embedMs?: number;
  readonly stuckAfterMs?: number;
  readonly followEveryMs?: number;
  readonly stillMs?: number;
  /** Vectors are kept here, as JSON. */
  readonly cache?: string;
  /** One line per daemon that serves, and one per text that is embedded. */
  readonly journal?: string;
  /** Texts that are remembered: what equals one is covered. */
  readonly remembered?: readonly string[];
  readonly failLoad?: boolean;
  /** Every embedding hangs, not only those of texts with `HANG`. */
  readonly hangAlways?: boolean;
}

// The arguments are the tests' own.
const script = JSON.parse(process.argv[2] ?? '{}') as Script;
const { home, model = 'letters-1', build = '1.0.0', embedMs = 0, cache, journal } = script;

function note(line: string): void {
  if (journal !== undefined) appendFileSync(journal, `${line}\n`);
}

/** Letter counts, normalised; undefined without letters. */
function letters(text: string): Float32Array | undefined {
  const counts = new Float32Array(26);
  for (const letter of text.toLowerCase()) {
    const index = letter.charCodeAt(0) - 97;
    if (index >= 0 && index < 26) counts[index] = (counts[index] ?? 0) + 1;
  }
  const length = Math.hypot(...counts);
  return length === 0 ? undefined : counts.map((count) => count / length);
}

const vectors = new Map<string, number[]>();
if (cache !== undefined && existsSync(cache)) {
  // Written below.
  for (const [hash, vector] of JSON.parse(readFileSync(cache, 'utf8')) as [string, number[]][])
    vectors.set(hash, vector);
}

const stored = (hashes: readonly string[]): (Float32Array | undefined)[] =>
  hashes.map((hash) => (vectors.has(hash) ? Float32Array.from(vectors.get(hash) ?? []) : undefined));

const embedding: Embedding = {
  model,
  load: async () => {
    await pause(script.loadMs ?? 0);
    if (script.failLoad) throw new Error('the model file is damaged');
    return {
      embed: async (texts, { signal }) => {
        for (const text of texts) {
          note(`embed ${text}`);
          if (script.hangAlways || text.includes('HANG')) await new Promise(() => setInterval(() => undefined, 1_000));
          if (embedMs > 0) await pause(embedMs, undefined, signal === undefined ? {} : { signal });
        }
        return texts.map(letters);
      },
      dispose: () => Promise.resolve(),
    };
  },
  known: {
    get: stored,
    peek: stored,
    put: (entries) => {
      for (const [hash, vector] of entries) vectors.set(hash, [...vector]);
      if (cache === undefined) return;
      // Whole at any moment: a test may kill this process.
      writeFileSync(`${cache}.new`, JSON.stringify([...vectors]));
      renameSync(`${cache}.new`, cache);
    },
    bytes: () => vectors.size,
    close: () => undefined,
  },
};

const given = new Map<number, Float32Array>();
const remembered = script.remembered ?? [];
const memories: Memories = {
  coverage: ({ texts, vectors: asked }) =>
    Promise.resolve(texts.map((text, index) => (asked[index] ? Number(remembered.includes(text)) : undefined))),
  forPrompt: ({ prompt, session }, vector) =>
    Promise.resolve({ text: `${session}: ${prompt}`, tokens: vector === undefined ? 0 : 1 }),
  recall: ({ query, vector }) =>
    Promise.resolve(
      remembered.filter((text) => text.includes(query)).map((text) => ({ text, vector: vector !== undefined })),
    ),
  similar: (vector) => Promise.resolve(vector.length === 26 && remembered.length > 0 ? [{ id: 0, cosine: 0.9 }] : []),
  missing: (limit) =>
    Promise.resolve(
      remembered
        .map((text, id) => ({ id, text }))
        .filter(({ id }) => !given.has(id))
        .slice(0, limit),
    ),
  putVectors: (made) => {
    for (const { id, vector } of made) {
      given.set(id, vector);
      note(`memory ${id}`);
    }
    return Promise.resolve();
  },
  close: () => undefined,
};

process.umask(0o077);
const end = new AbortController();
process.once('SIGTERM', () => end.abort());
const env = { ...process.env, CHITTA_RUNTIME_DIR: script.runtimeDir };
const how = await runServer({
  endpoint: endpointOf({ env, home, model }),
  build,
  embedding,
  memories: script.remembered && memories,
  readTexts: (path) => Promise.resolve(readFileSync(path, 'utf8').trimEnd().split('\n')),
  log: note,
  idleMs: script.idleMs ?? 60_000,
  signal: end.signal,
  onReady: () => note('serving'),
  ...(script.stuckAfterMs === undefined ? {} : { stuckAfterMs: script.stuckAfterMs }),
  ...(script.followEveryMs === undefined ? {} : { followEveryMs: script.followEveryMs }),
  ...(script.stillMs === undefined ? {} : { peerLimits: { firstRequestMs: script.stillMs, stillMs: script.stillMs } }),
});
note(`over ${how.state}`);
if (how.state === 'failed') process.exit(1);
