/**
 * The port `Scorer`, answered by the daemon. Where there is none, one is started in the background and this time goes without:
 * the answer is `undefined`, at once.
 */
import type { ScoreRequest, Scorer, VectorScores } from '../ports/scores.ts';
import { type Connection, describe } from './client.ts';
import { clipped } from './clip.ts';
import type { Reach } from './reach.ts';

/** Characters of texts in one request: even if JSON writes each as six bytes, the line is not too long for the server. */
const PART_CHARS = 150_000;
/** Parts under way at once. */
const PARTS_AT_ONCE = 4;

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
  if (outcome.state !== 'answered') return describe(outcome);
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

/** A scorer that asks the daemon. Each call returns within its deadline. */
export function createScorer(reach: Reach, log: (line: string) => void): Scorer {
  async function ask(request: ScoreRequest): Promise<VectorScores | undefined> {
    const until = performance.now() + request.deadlineMs;
    const connection = await reach(request.deadlineMs);
    if (!connection) return undefined;
    try {
      const parts = partsOf(request);
      const scores: (VectorScores | string)[] = parts.map(() => 'late');
      let next = parts.length - 1;
      // The newest first: what is late then is the oldest.
      const work = async (): Promise<void> => {
        for (let index = next--; index >= 0; index = next--) {
          const part = parts[index];
          const leftMs = until - performance.now();
          if (part && leftMs > 0) scores[index] = await scorePart(connection, part, request, leftMs);
        }
      };
      await Promise.all(Array.from({ length: PARTS_AT_ONCE }, work));
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
