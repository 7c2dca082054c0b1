/** The verbs that need vectors: score, embed, recall, warm. Each answers by its deadline with what there is by then. */
import { performance } from 'node:perf_hooks';
import type { Complaints } from './complaints.ts';
import { limitIn, optionalString, queryTokensIn, sourceIdsIn, stringIn, textsIn } from './params.ts';
import { type Memories, slices } from './parts.ts';
import { RequestError } from './peer.ts';
import type { Prepared } from './texts.ts';
import type { Vectors } from './vectors.ts';

export interface Call {
  readonly params: Readonly<Record<string, unknown>>;
  /** Whoever takes turns with others. */
  readonly owner: object;
  /** The client has gone, or the server ends. */
  readonly signal: AbortSignal;
  /** When the answer has to go out, on the clock of `performance.now`. */
  readonly until: number;
}

export type Result = Readonly<Record<string, unknown>>;

export interface VectorVerbs {
  score(call: Call): Promise<Result>;
  embed(call: Call): Promise<Result>;
  recall(call: Call): Promise<Result>;
  warm(call: Call): Promise<Result>;
}

/** Kept free for the way back. */
const REPLY_MS = 15;
/** Of the time that is left, what comparing with the memory may take at most. */
const COVERAGE_SHARE = 0.5;
const RECALL_LIMIT = 5;
const NO_COVERAGE = 'no coverage';

/** When work is done, the client has gone or the time is up, whichever comes first. */
function settled(work: Promise<unknown>, until: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, until - performance.now()));
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    void work.then(end, end);
  });
}

/** Cosine of two vectors of length 1, clamped to 0..1. */
function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return Math.min(1, Math.max(0, sum));
}

async function similarities(
  vectors: readonly (Float32Array | undefined)[],
  query: Float32Array,
): Promise<(number | null)[]> {
  const result: (number | null)[] = [];
  const giveWay = slices();
  for (const vector of vectors) {
    await giveWay();
    result.push(vector?.length === query.length ? cosine(vector, query) : null);
  }
  return result;
}

function base64(vector: Float32Array | undefined): string | null {
  if (!vector) return null;
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

export interface VerbParts {
  readonly vectors: Vectors;
  readonly memories: Memories | undefined;
  readonly complaints: Complaints;
  /** Someone wants memories: those without vectors should get them. Resolves when it is no use to wait any longer. */
  readonly fill: () => Promise<void>;
}

export function vectorVerbs({ vectors, memories, complaints, fill }: VerbParts): VectorVerbs {
  /** How long comparing with the memory took lately. */
  let coverageMs = 0;

  async function coverage(
    call: Call,
    prepared: readonly Prepared[],
    found: readonly (Float32Array | undefined)[],
  ): Promise<readonly (number | null)[]> {
    const nothing = prepared.map(() => null);
    const leftMs = call.until - REPLY_MS - performance.now();
    if (!memories || leftMs <= 0 || found.every((vector) => !vector)) return nothing;
    const started = performance.now();
    const question = {
      texts: prepared.map(({ text }) => text),
      vectors: found,
      sourceIds: sourceIdsIn(call.params, prepared.length),
      project: optionalString(call.params, 'project'),
    };
    let answer: readonly (number | undefined)[] | undefined;
    const work = memories.coverage(question, leftMs).then(
      (numbers) => (answer = numbers),
      (error: unknown) => complaints.about(NO_COVERAGE, error),
    );
    void work.then(() => (coverageMs = performance.now() - started));
    await settled(work, call.until - REPLY_MS, call.signal);
    if (answer) complaints.clear(NO_COVERAGE);
    return answer?.map((number) => number ?? null) ?? nothing;
  }

  return {
    score: async (call) => {
      const texts = textsIn(call.params);
      sourceIdsIn(call.params, texts.length);
      const query = optionalString(call.params, 'query');
      const queryTokens = queryTokensIn(call.params);
      const filled = fill();
      const [asked] = query === undefined ? [] : await vectors.prepare([query]);
      const question = asked && vectors.query(asked, queryTokens, call.owner);
      const prepared = await vectors.prepare(texts);
      const wanted = await vectors.want(prepared, 'score', call.owner);
      const reserveMs = memories
        ? Math.min(1.5 * coverageMs + REPLY_MS, COVERAGE_SHARE * (call.until - performance.now()))
        : 0;
      const both = Promise.all([wanted.complete, question?.vector, filled]);
      await settled(both, call.until - REPLY_MS - reserveMs, call.signal);
      // Read before anyone leaves: what is late is not lost, but it does not count this time.
      const found = [...wanted.vectors];
      const queryVector = await Promise.race([question?.vector, undefined]);
      wanted.leave(call.signal.aborted ? 'drop' : 'later');
      question?.leave('drop');
      return {
        similarity: queryVector ? await similarities(found, queryVector) : null,
        coverage: await coverage(call, prepared, found),
        vectors: {
          used: found.filter((vector) => vector !== undefined).length,
          total: prepared.filter(({ text }) => text.trim() !== '').length,
        },
      };
    },

    embed: async (call) => {
      const prepared = await vectors.prepare(textsIn(call.params));
      const wanted = await vectors.want(prepared, 'recall', call.owner);
      await settled(wanted.complete, call.until - REPLY_MS, call.signal);
      const found = [...wanted.vectors];
      wanted.leave(call.signal.aborted ? 'drop' : 'later');
      return { vectors: found.map(base64), complete: wanted.done() === prepared.length };
    },

    recall: async (call) => {
      const query = stringIn(call.params, 'query');
      const limit = limitIn(call.params, RECALL_LIMIT);
      if (!memories) throw new RequestError('unavailable', 'there is no memory');
      const filled = fill();
      const [asked] = await vectors.prepare([query]);
      const ticket = asked && vectors.query(asked, queryTokensIn(call.params), call.owner);
      // Without its vector in time words alone decide; that needs some of the time too.
      await settled(
        Promise.all([ticket?.vector, filled]),
        call.until - REPLY_MS - (call.until - performance.now()) / 3,
        call.signal,
      );
      const vector = await Promise.race([ticket?.vector, undefined]);
      ticket?.leave('drop');
      const leftMs = Math.max(0, call.until - REPLY_MS - performance.now());
      const project = optionalString(call.params, 'project');
      const session = optionalString(call.params, 'session');
      if (session !== undefined) {
        // What nobody gets must not be noted as given.
        if (call.signal.aborted) return { vector: false };
        const question = { prompt: query, session, key: stringIn(call.params, 'key'), project: project ?? '' };
        return { ...(await memories.forPrompt(question, vector, leftMs)), vector: vector !== undefined };
      }
      if (call.params['similar'] === true && call.params['of'] === 'turns') {
        const isAsked = vector !== undefined && project !== undefined;
        const turns = isAsked ? await memories.turns?.similar(vector, project, limit, leftMs) : undefined;
        return { turns: turns ?? [], vector: turns !== undefined };
      }
      if (call.params['similar'] === true) {
        const similar = vector ? await memories.similar(vector, project, limit, leftMs) : [];
        return { similar, vector: vector !== undefined };
      }
      const hits = await memories.recall({ query, vector, project, limit }, leftMs);
      return { hits, vector: vector !== undefined };
    },

    warm: async (call) => {
      const prepared = await vectors.prepare(textsIn(call.params));
      return { total: prepared.length, done: await vectors.warm(prepared) };
    },
  };
}
