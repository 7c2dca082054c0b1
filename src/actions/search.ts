/** Finds archived turns by the words in them, with the lines around these words. */
import { shownText } from '../messages/shown.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { StoredTurn } from '../ports/turns.ts';
import { type Passages, passagesOf } from './passages.ts';

export interface SearchRequest {
  readonly query: string;
  readonly project: string | undefined;
  /** Only of this session. */
  readonly session?: string | undefined;
  readonly limit: number;
  readonly deadlineMs: number;
}

export interface FoundPassages extends Passages {
  readonly turn: StoredTurn;
  readonly totalLines: number;
}

/** A session is one of many in a project: so many hits are looked through for those of one. */
const DEPTH = 200;

/** Best first. Rejects as the store does. */
export async function searchTurns(
  store: Pick<MemoryDatabase, 'searchText'>,
  { query, project, session, limit, deadlineMs }: SearchRequest,
): Promise<readonly FoundPassages[]> {
  const depth = session === undefined ? limit : DEPTH;
  const { turns } = await store.searchText(query, project, depth, deadlineMs);
  return turns
    .filter((turn) => session === undefined || turn.session === session)
    .slice(0, limit)
    .map((turn) => {
      const text = shownText(turn.text, turn.role);
      return { turn, totalLines: text.split('\n').length, ...passagesOf(text, { about: query }) };
    });
}
