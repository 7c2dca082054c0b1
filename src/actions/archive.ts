/** Keeps turns that leave a context, so that their handles bring them back. */
import { handleOf } from '../messages/handle.ts';
import { isOwnMark, searchTextOf } from '../messages/search-text.ts';
import type { Message, MessageView } from '../messages/types.ts';
import type { ArchivedTurn, MemoryStore } from '../ports/memory.ts';

/** A message on its way out, as the compaction has read and priced it. */
export interface LeavingTurn {
  readonly message: Message;
  readonly view: MessageView;
  readonly tokens: number;
}

export interface ArchiveOptions {
  readonly session: string | undefined;
  readonly project: string | undefined;
  readonly deadlineMs: number;
}

/** Archives turns; chitta's own marks, and what says nothing, are left out. Secrets are masked by the store. Rejects as the store does. */
export async function archiveTurns(
  leaving: readonly LeavingTurn[],
  store: MemoryStore,
  { session, project, deadlineMs }: ArchiveOptions,
): Promise<void> {
  const turns = leaving.flatMap(({ message, view, tokens }): ArchivedTurn[] => {
    const text = searchTextOf(view);
    if (text === '' || isOwnMark(view)) return [];
    const { uuid } = message;
    return [
      {
        handle: handleOf(message),
        session,
        project,
        uuid: typeof uuid === 'string' ? uuid : undefined,
        role: message.role,
        text,
        tokens,
      },
    ];
  });
  if (turns.length > 0) await store.archive(turns, deadlineMs);
}
