/** Keeps turns that leave a context, so that their handles bring them back. */
import { handleOf } from '../messages/handle.ts';
import { isOwnMark, searchTextOf } from '../messages/search-text.ts';
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { ArchivedTurn, MemoryStore } from '../ports/memory.ts';
import { estimateMessageTokens } from '../tokens/message.ts';

export interface ArchiveOptions {
  readonly session: string | undefined;
  readonly project: string | undefined;
  readonly deadlineMs: number;
}

/** Archives messages; chitta's own marks, and what says nothing, are left out. Secrets are masked by the store. Rejects as the store does. */
export async function archiveMessages(
  messages: readonly Message[],
  store: MemoryStore,
  { session, project, deadlineMs }: ArchiveOptions,
): Promise<void> {
  const turns = messages.flatMap((message): ArchivedTurn[] => {
    const view = viewOf(message);
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
        tokens: estimateMessageTokens(message),
      },
    ];
  });
  if (turns.length > 0) await store.archive(turns, deadlineMs);
}
