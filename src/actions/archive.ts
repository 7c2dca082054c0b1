/** Keeps turns that leave a context, so that their handles bring them back. */
import { handleOf } from '../messages/handle.ts';
import { isOwnMark, searchTextOf } from '../messages/search-text.ts';
import type { Message, MessageView } from '../messages/types.ts';
import type { MemoryStore } from '../ports/memory.ts';
import type { ArchivedTurn } from '../ports/turns.ts';

/** A message on its way out, as the compaction has read and priced it. */
export interface LeavingTurn {
  readonly message: Message;
  readonly view: MessageView;
  readonly tokens: number;
  /** It is in the context no more. */
  readonly left?: boolean;
}

interface Whose {
  readonly session: string | undefined;
  readonly project: string | undefined;
}

export interface ArchiveOptions extends Whose {
  readonly deadlineMs: number;
}

/** Turns as the archive keeps them; chitta's own marks, and what says nothing, are left out. Secrets are masked by the store. */
export function archivedTurns(turns: readonly LeavingTurn[], { session, project }: Whose): ArchivedTurn[] {
  return turns.flatMap(({ message, view, tokens, left = false }): ArchivedTurn[] => {
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
        ...(left ? { left } : {}),
      },
    ];
  });
}

/** Archives turns. Rejects as the store does. */
export async function archiveTurns(
  leaving: readonly LeavingTurn[],
  store: Pick<MemoryStore, 'archive'>,
  { session, project, deadlineMs }: ArchiveOptions,
): Promise<void> {
  const turns = archivedTurns(leaving, { session, project });
  if (turns.length > 0) await store.archive(turns, deadlineMs);
}
