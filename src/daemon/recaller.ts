/** Memories from the daemon: those like a question, or a whole recall, for a process that has no time to open the database itself. */
import { type Connection, describe, type Outcome } from './client.ts';
import { clipped } from './clip.ts';
import type { Reach } from './reach.ts';

type Row = Readonly<Record<string, unknown>>;

export interface RecallAnswer {
  /** Rows of a recall, best first, as the program prints them. */
  readonly hits: readonly Row[];
  /** Whether vectors took part. */
  readonly embedding: boolean;
}

export interface Recaller {
  /** Memories by likeness, best first; undefined where vectors are absent or late. Never rejects. */
  similar(
    query: string,
    project: string | undefined,
    limit: number,
    deadlineMs: number,
  ): Promise<readonly { readonly id: number; readonly cosine: number }[] | undefined>;
  /** The same of archived turns, with memories that each is much like; undefined from a daemon that knows nothing of them, too. */
  similarTurns(
    ...question: Parameters<Recaller['similar']>
  ): Promise<readonly { readonly id: number; readonly cosine: number; readonly like: readonly number[] }[] | undefined>;
  /** A whole recall; undefined where there is no daemon. Only the first `queryTokens` tokens of the query are embedded. Never rejects. */
  recall(
    query: string,
    options: {
      readonly project: string | undefined;
      readonly limit: number;
      readonly queryTokens?: number;
      readonly deadlineMs: number;
    },
  ): Promise<RecallAnswer | undefined>;
  /** The answer to a prompt, which the daemon notes; the transcript is followed from then on. undefined where there is none. Never rejects. */
  forPrompt(question: {
    readonly prompt: string;
    readonly session: string;
    readonly key: string;
    readonly project: string;
    readonly transcript: string | undefined;
    readonly deadlineMs: number;
  }): Promise<{ readonly text: string; readonly tokens: number } | undefined>;
}

/** Tokens of a prompt that are embedded: more takes longer than there is time. */
const PROMPT_TOKENS = 48;

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hitsIn(value: unknown): { readonly id: number; readonly cosine: number }[] {
  return rowsOf(value).flatMap(({ id, cosine }) =>
    typeof id === 'number' && typeof cosine === 'number' ? [{ id, cosine }] : [],
  );
}

function rowsOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isRow) : [];
}

/** Asks the daemon for memories. */
export function createRecaller(reach: Reach, log: (line: string) => void): Recaller {
  async function ask(params: Row, deadlineMs: number): Promise<Row | undefined> {
    const until = performance.now() + deadlineMs;
    const connection: Connection | undefined = await reach(deadlineMs);
    if (!connection) return undefined;
    const outcome: Outcome = await connection.call('recall', params, until - performance.now());
    connection.close();
    if (outcome.state === 'answered') return outcome.result;
    // A fault inside is in the log already, once, and not with every prompt.
    if (outcome.state !== 'refused' || outcome.code !== 'failed') log(`no recall: ${describe(outcome)}`);
    return undefined;
  }

  return {
    similar: async (query, project, limit, deadlineMs) => {
      const params = { query: clipped(query), limit, similar: true, ...(project === undefined ? {} : { project }) };
      const result = await ask(params, deadlineMs);
      return result?.['vector'] === true ? hitsIn(result['similar']) : undefined;
    },
    similarTurns: async (query, project, limit, deadlineMs) => {
      if (project === undefined) return undefined;
      const result = await ask({ query: clipped(query), limit, similar: true, of: 'turns', project }, deadlineMs);
      // An older daemon gives memories.
      if (result?.['vector'] !== true || !Array.isArray(result['turns'])) return undefined;
      return rowsOf(result['turns']).flatMap((row) => {
        const [hit] = hitsIn([row]);
        const like = Array.isArray(row['like']) ? row['like'].filter((id: unknown) => typeof id === 'number') : [];
        return hit === undefined ? [] : [{ ...hit, like }];
      });
    },
    recall: async (query, { project, limit, queryTokens, deadlineMs }) => {
      const params = {
        query: clipped(query),
        limit,
        ...(project === undefined ? {} : { project }),
        ...(queryTokens === undefined ? {} : { query_tokens: queryTokens }),
      };
      const result = await ask(params, deadlineMs);
      return result && { hits: rowsOf(result['hits']), embedding: result['vector'] === true };
    },
    forPrompt: async ({ prompt, session, key, project, transcript, deadlineMs }) => {
      const params = { query: clipped(prompt), session, key, project, query_tokens: PROMPT_TOKENS };
      const result = await ask({ ...params, ...(transcript === undefined ? {} : { transcript }) }, deadlineMs);
      const { text, tokens } = result ?? {};
      return typeof text === 'string' && typeof tokens === 'number' ? { text, tokens } : undefined;
    },
  };
}
