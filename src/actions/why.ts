/** What a compaction kept, dropped and gave back, and what the host's summary lost: of the last one. */
import { ChittaError } from '../errors.ts';
import type { StoredEpisode } from '../ports/episodes.ts';
import type { MemoryDatabase } from '../ports/memory.ts';

export interface WhyRequest {
  readonly project: string;
  /** Only of this session. */
  readonly session?: string | undefined;
  readonly deadlineMs: number;
}

/** So many are looked through for one that was done. */
const MAX_EPISODES = 20;

/**
 * The newest compaction that was done; where none was, the newest that was proposed. Rejects with E_NOT_FOUND if there is none, or
 * as the store does.
 */
export async function whyCompaction(store: MemoryDatabase, request: WhyRequest): Promise<StoredEpisode> {
  const { project, session, deadlineMs } = request;
  const episodes = await store.episodes({ project, session, limit: MAX_EPISODES }, deadlineMs);
  const episode = episodes.find(({ state }) => state === 'done') ?? episodes[0];
  if (episode !== undefined) return episode;
  const of = session === undefined ? 'in this project' : `of session ${session}`;
  throw new ChittaError('E_NOT_FOUND', `no compaction ${of} is known`, {
    hint: 'chitta episodes --all lists those of every project',
  });
}
