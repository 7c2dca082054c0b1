/** What goes back into a context that has just been compacted. */
import { activeDirectives } from '../hot/directives.ts';
import type { Message } from '../messages/types.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import { namesInUse } from '../session/names-in-use.ts';
import { filePointers, newestGroup, nextStepOf, rankPassages, type Source, sourcesOf } from '../session/passages.ts';
import { writeRestoration } from '../session/restoration.ts';
import { snapshotOf } from '../session/snapshot.ts';

export interface RestoreRequest {
  /** The whole context as it was before, oldest first. */
  readonly messages: readonly Message[];
  readonly session: string;
  readonly project: string;
  readonly charterFile: string | undefined;
  readonly maxChars: number;
  readonly deadlineMs: number;
  /** Whether there is no time left for what can be done without; asked before each larger step. */
  readonly isLate?: () => boolean;
}

export interface Restored {
  /** A block of chitta's own; empty if there is nothing to say. */
  readonly text: string;
  /** Uuids of the messages that the host has most likely kept. */
  readonly stillThere: readonly string[];
}

const MAX_NAMES = 30;
const MAX_POINTERS = 30;
const MAX_PASSAGES = 30;
const ARCHIVED_TURNS = 20;

type Store = Pick<MemoryDatabase, 'searchLeft' | 'directives'>;

/** Turns of this session that had left the context before. */
async function archivedSources(
  store: Store,
  { session, deadlineMs }: RestoreRequest,
  query: string,
  handles: ReadonlySet<string>,
): Promise<Source[]> {
  const turns = await store.searchLeft(query, session, ARCHIVED_TURNS, deadlineMs);
  return turns
    .filter((turn) => !handles.has(turn.handle))
    .map(({ handle, role, text }) => ({ handle, label: `${role}, from before`, file: '', text }));
}

/**
 * Says what a summary is likely to have lost. The boundary is not written yet when this is asked: the newest group of messages,
 * which a host keeps as it is, is left out of what is quoted. A store that cannot answer is done without.
 */
export async function restoreContext(request: RestoreRequest, store: Store | undefined): Promise<Restored> {
  const { messages, project, charterFile, maxChars, deadlineMs, isLate = () => false } = request;
  if (isLate()) return { text: '', stillThere: [] };
  const kept = newestGroup(messages);
  const dropped = messages.slice(0, kept);
  const query = nextStepOf(messages);
  const sources = sourcesOf(dropped);
  const everywhere = new Set(sourcesOf(messages).map(({ handle }) => handle));
  const [older, ledger] = await Promise.all([
    store === undefined ? [] : archivedSources(store, request, query, everywhere).catch(() => []),
    store === undefined ? [] : store.directives(project, deadlineMs).catch(() => []),
  ]);
  const snapshot = snapshotOf(messages);
  const [shown] = snapshot.goals;
  const passages = isLate() ? [] : rankPassages([...older, ...sources], query, MAX_PASSAGES);
  const text = writeRestoration(
    {
      snapshot,
      directives: activeDirectives(ledger).map((directive) => directive.text),
      names: namesInUse(messages, MAX_NAMES),
      pointers: filePointers(dropped, MAX_POINTERS),
      passages: passages.filter((one) => one.text.trim() !== shown),
      charterFile,
    },
    maxChars,
  );
  const stillThere = messages.slice(kept).flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : []));
  return { text, stillThere };
}
