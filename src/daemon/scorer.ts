/**
 * The port `Scorer`, answered by the daemon. Where there is none, one is started in the background and this time goes without:
 * the answer is `undefined`, at once.
 */
import type { ScoreRequest, Scorer, VectorScores } from '../ports/scores.ts';
import { type Absence, connect, type Connection } from './client.ts';
import { clipped } from './clip.ts';
import type { Endpoint } from './places.ts';

/** Characters of texts in one request, so that no line comes near the longest one the server takes. */
const PART_CHARS = 500_000;

export interface ClientOptions {
  readonly endpoint: Endpoint;
  /** chitta's own version. */
  readonly build: string;
  /** Starts a daemon without waiting for it; called at most once. Never throws. */
  readonly start: (reason: Absence) => void;
  readonly log: (line: string) => void;
}

interface Part {
  readonly texts: string[];
  readonly sourceIds: (string | undefined)[];
}

/** The texts in runs that fit into one request, in order. */
function partsOf({ texts, sourceIds }: ScoreRequest): Part[] {
  const parts: Part[] = [];
  let room = 0;
  for (const [index, text] of texts.entries()) {
    const short = clipped(text);
    room -= short.length;
    if (room < 0 || parts.length === 0) {
      parts.push({ texts: [], sourceIds: [] });
      room = PART_CHARS - short.length;
    }
    parts.at(-1)?.texts.push(short);
    parts.at(-1)?.sourceIds.push(sourceIds[index]);
  }
  return parts;
}

/** A list of `count` numbers from 0 to 1 or nulls, or undefined if the value is none. */
function numbersOf(value: unknown, count: number): (number | undefined)[] | undefined {
  if (!Array.isArray(value) || value.length !== count) return undefined;
  return value.map((entry: unknown) => (typeof entry === 'number' && entry >= 0 && entry <= 1 ? entry : undefined));
}

async function scorePart(
  connection: Connection,
  part: Part,
  request: ScoreRequest,
  leftMs: number,
): Promise<VectorScores | string> {
  const outcome = await connection.call(
    'score',
    {
      texts: part.texts,
      source_ids: part.sourceIds.map((id) => id ?? null),
      ...(request.query === undefined ? {} : { query: request.query }),
      ...(request.project === undefined ? {} : { project: request.project }),
    },
    leftMs,
  );
  if (outcome.state !== 'answered') {
    return outcome.state === 'late'
      ? 'late'
      : `${outcome.state}: ${'reason' in outcome ? outcome.reason : outcome.code}`;
  }
  const { similarity, coverage } = outcome.result;
  return {
    similarity: numbersOf(similarity, part.texts.length),
    coverage: numbersOf(coverage, part.texts.length),
  };
}

function joined(
  parts: readonly Part[],
  scores: readonly (VectorScores | string)[],
  kind: keyof VectorScores,
): (number | undefined)[] | undefined {
  const lists = scores.map((score) => (typeof score === 'string' ? undefined : score[kind]));
  if (lists.every((list) => list === undefined)) return undefined;
  return parts.flatMap((part, index) => lists[index] ?? part.texts.map(() => undefined));
}

/** A scorer that asks the daemon at `endpoint`. Each call returns within its deadline. */
export function createScorer({ endpoint, build, start, log }: ClientOptions): Scorer {
  let started = false;

  async function ask(request: ScoreRequest): Promise<VectorScores | undefined> {
    const until = performance.now() + request.deadlineMs;
    const connection = await connect(endpoint, build, request.deadlineMs);
    if (connection.state === 'absent') {
      if (connection.reason !== 'none') log(`no scores: ${connection.reason}: ${connection.detail}`);
      if (!started && connection.reason !== 'unsafe') start(connection);
      started = true;
      return undefined;
    }
    try {
      const parts = partsOf(request);
      // The newest first: what is late then is the oldest.
      const scores = await Promise.all(
        parts.map((part) => scorePart(connection, part, request, until - performance.now())).reverse(),
      );
      scores.reverse();
      const failures = scores.filter((score) => typeof score === 'string');
      if (failures[0] !== undefined)
        log(`scores of ${failures.length} of ${parts.length} parts are missing: ${failures[0]}`);
      if (failures.length === parts.length) return undefined;
      return { similarity: joined(parts, scores, 'similarity'), coverage: joined(parts, scores, 'coverage') };
    } finally {
      connection.close();
    }
  }

  return { score: (request) => (request.texts.length === 0 ? Promise.resolve({}) : ask(request)) };
}
