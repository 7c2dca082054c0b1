/**
 * The memory database as the server needs it. SQLite waits for locks in the event loop's thread, so every call into it gets a
 * short deadline of its own; what it cannot do in that time is tried again later, and the index in memory answers meanwhile.
 */
import type { NearestTurns } from '../memory/nearest-turns.ts';
import type { Nearest } from '../memory/nearest.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';
import { breathe, type Memories, type PromptRecall, type SimilarTurn, slices, type Turns } from './parts.ts';
import { within } from './waiting.ts';

/** The store gives up 50 ms before its deadline, so that it never holds the event loop for longer than the rest. */
const STORE_MS = 90;
function short(leftMs: number): number {
  return Math.min(leftMs, STORE_MS);
}

/** For the first question about a project nobody waits longer than this until all of its turns are there: the newest are first. */
const TURNS_WITHIN_MS = 500;

/** A turn and a memory that are so much alike are about the same matter (bench/recall). */
const MUCH_ALIKE = 0.6;

type Row = Readonly<Record<string, unknown>>;
type Similar = readonly { readonly id: number; readonly cosine: number }[];

type FindSimilar = (
  query: string,
  project: string | undefined,
  limit: number,
  deadlineMs: number,
) => Promise<Similar | undefined>;

/** Recall as the use case has it, so that it ranks alike with and without a daemon; rows as they go over the wire, best first. */
export type Recall = (
  store: MemoryDatabase,
  request: {
    readonly query: string;
    readonly project: string | undefined;
    readonly limit: number;
    readonly deadlineMs: number;
  },
  findSimilar: FindSimilar,
  findSimilarTurns: (...question: Parameters<FindSimilar>) => Promise<readonly SimilarTurn[] | undefined>,
) => Promise<readonly Row[]>;

/** The answer to a prompt, as the use case has it. */
export type RecallForPrompt = (
  store: MemoryDatabase,
  question: PromptRecall & { readonly deadlineMs: number },
  findSimilar: FindSimilar,
) => Promise<{ readonly text: string; readonly tokens: number }>;

export interface DatabaseOptions {
  readonly store: MemoryDatabase;
  /** Follows `store`. */
  readonly nearest: Nearest;
  /** The same of archived turns; without it they are found by words only. */
  readonly nearestTurns?: NearestTurns | undefined;
  /** The model's id. */
  readonly model: string;
  readonly recall: Recall;
  readonly recallForPrompt: RecallForPrompt;
  readonly log: (line: string) => void;
}

/** One index, of which one step at a time is made for each project. */
function turnsOf(nearest: NearestTurns, memories: Pick<Memories, 'similar'> & Pick<Nearest, 'cosineTo'>): Turns {
  const following = new Map<string, Promise<void>>();

  async function catchUp(project: string): Promise<void> {
    while (!(await nearest.refresh(project, STORE_MS))) await breathe();
  }

  async function follow(project: string, leftMs: number): Promise<void> {
    let work = following.get(project);
    if (work === undefined) {
      work = catchUp(project).finally(() => following.delete(project));
      following.set(project, work);
    }
    await within(leftMs, work);
  }

  return {
    follow,
    similar: async (vector, project, limit, leftMs) => {
      // What there is of the index answers, whatever keeps the rest away.
      const [near] = await Promise.all([
        memories.similar(vector, project, limit, leftMs),
        follow(project, Math.min(leftMs, TURNS_WITHIN_MS)),
      ]);
      const found = await nearest.similar(vector, project, limit);
      const giveWay = slices();
      const result: SimilarTurn[] = [];
      for (const { id, cosine } of found) {
        const own = nearest.vectorOf(id);
        const like = own && near.filter((memory) => (memories.cosineTo(memory.id, own) ?? 0) >= MUCH_ALIKE);
        result.push({ id, cosine, like: like?.map((memory) => memory.id) ?? [] });
        await giveWay();
      }
      return result;
    },
    takeOpen: (project, count, leftMs) => nearest.takeOpen(project, count, short(leftMs)),
    put: (project, id, vector) => nearest.put(project, id, vector),
  };
}

/** The memories of a database; it ends with the server. */
export function databaseMemories(options: DatabaseOptions): Memories {
  const { store, nearest, nearestTurns, model, recall, recallForPrompt, log } = options;
  /** Why the index does not follow the store just now, said once. */
  let behind: string | undefined;
  let following: Promise<void> | undefined;

  async function catchUp(): Promise<void> {
    try {
      while (!(await nearest.refresh(STORE_MS))) await breathe();
      behind = undefined;
    } catch (error) {
      const reason = codeOf(error) ?? reasonOf(error);
      if (reason !== behind) log(`memories are those of a moment ago: ${reasonOf(error)}`);
      behind = reason;
    }
  }

  /** Takes over what changed. A large database takes longer than a caller has; then it goes on for the next one. */
  function follow(leftMs: number): Promise<void> {
    following ??= catchUp().finally(() => (following = undefined));
    return within(leftMs, following);
  }

  // Before anyone asks.
  void follow(0);

  async function similar(
    vector: Float32Array,
    project: string | undefined,
    limit: number,
    leftMs: number,
  ): Promise<Similar> {
    await follow(leftMs);
    return nearest.similar(vector, project, limit);
  }

  const turns = nearestTurns && turnsOf(nearestTurns, { similar, cosineTo: nearest.cosineTo });

  function likeThe(vector: Float32Array | undefined): FindSimilar {
    return async (_query, project, limit, ms) => vector && similar(vector, project, limit, ms);
  }

  function turnsLikeThe(vector: Float32Array | undefined): Parameters<Recall>[3] {
    return async (_query, project, limit, ms) =>
      vector && project !== undefined ? turns?.similar(vector, project, limit, ms) : undefined;
  }

  return {
    ...(turns === undefined ? {} : { turns }),
    coverage: async ({ texts, vectors, sourceIds, project }, leftMs) => {
      const until = performance.now() + leftMs;
      await follow(leftMs);
      const turns = texts.map((text, index) => ({ text, vector: vectors[index], sourceId: sourceIds[index] }));
      return nearest.coverage(turns, project, short(Math.max(1, until - performance.now())));
    },
    recall: ({ query, vector, project, limit }, leftMs) =>
      recall(store, { query, project, limit, deadlineMs: short(leftMs) }, likeThe(vector), turnsLikeThe(vector)),
    forPrompt: async (question, vector, leftMs) => ({
      ...(await recallForPrompt(store, { ...question, deadlineMs: short(leftMs) }, likeThe(vector))),
    }),
    similar,
    missing: (limit, leftMs) => store.missingVectors(model, limit, short(leftMs)),
    putVectors: (made, leftMs) => store.putVectors(model, made, short(leftMs)),
    close: () => store.close(),
  };
}
