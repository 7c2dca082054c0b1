/** Memories that may hold what a conversation holds, by the names both use. */
import { namesInUse } from '../need/names.ts';
import type { MessageView } from '../messages/types.ts';
import type { Memory } from '../ports/memories.ts';
import type { NovelStore } from '../ports/memory.ts';

/** Full text looks for at most 32 words at once. */
const NAMES_AT_ONCE = 16;
const MAX_NAMES = 64;
const MEMORIES_AT_ONCE = 10;

export interface CoveringOptions {
  readonly project: string | undefined;
  /** Ids of the messages: rows that chitta made of them by itself never cover them. */
  readonly sourceIds: readonly string[];
  readonly deadlineMs: number;
}

/** Only what someone stored on purpose, or what is known to come from elsewhere, could bring the content back. */
function canCover({ origin, sourceIds }: Memory, own: ReadonlySet<string>): boolean {
  return origin !== 'auto' || (sourceIds.length > 0 && !sourceIds.some((id) => own.has(id)));
}

/** Texts of active memories in scope that share names with the newest turns; rejects as the store does. */
export async function coveringTexts(
  views: readonly MessageView[],
  store: Pick<NovelStore, 'searchText'>,
  { project, sourceIds, deadlineMs }: CoveringOptions,
): Promise<readonly string[]> {
  const names = namesInUse(views, MAX_NAMES);
  const own = new Set(sourceIds);
  const found = new Map<number, string>();
  for (let from = 0; from < names.length; from += NAMES_AT_ONCE) {
    const query = names.slice(from, from + NAMES_AT_ONCE).join(' ');
    const { memories } = await store.searchText(query, project, MEMORIES_AT_ONCE, deadlineMs, 'memories');
    for (const memory of memories) if (canCover(memory, own)) found.set(memory.id, memory.text);
  }
  return [...found.values()];
}
