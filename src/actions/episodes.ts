/** Past compactions. */
import type { Episode, EpisodeQuery, StoredEpisode } from '../ports/episodes.ts';
import type { MemoryDatabase } from '../ports/memory.ts';

/** An episode in one line, of what is known: `48200→18600 tokens, 61% dropped (41 messages, 3 of them covered by memory) …`. */
export function episodeText(episode: Episode): string {
  const { beforeTokens, afterTokens, dropped, covered = 0, strategy, trigger, embedding } = episode;
  const share = beforeTokens > 0 ? Math.round((100 * (beforeTokens - afterTokens)) / beforeTokens) : 0;
  const messages = `${dropped} ${dropped === 1 ? 'message' : 'messages'}, ${covered} of them covered by memory`;
  const how = `${trigger}, ${strategy}, ${embedding ? 'with' : 'without'} embeddings`;
  return `${beforeTokens}→${afterTokens} tokens, ${share}% dropped (${messages}); ${how}`;
}

/** Newest first. Rejects as the store does. */
export function listEpisodes(
  store: MemoryDatabase,
  query: EpisodeQuery,
  deadlineMs: number,
): Promise<readonly StoredEpisode[]> {
  return store.episodes(query, deadlineMs);
}
