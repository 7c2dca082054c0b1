/** Gets a dropped turn back by its handle: from the archive, else from the transcript it came from. */
import { ChittaError } from '../errors.ts';
import { shownText } from '../messages/shown.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { StoredTurn } from '../ports/turns.ts';
import { isAbout, type Passages, passagesOf } from './passages.ts';

/** A turn to show. From a transcript it is as it was said; from the archive, with secrets masked. */
export interface ShownTurn {
  readonly handle: string;
  readonly session: string | undefined;
  readonly role: string;
  readonly text: string;
  readonly tokens: number;
}

/** A turn with those around it, in order. */
export interface FoundTurn {
  readonly turn: ShownTurn;
  readonly before: readonly ShownTurn[];
  readonly after: readonly ShownTurn[];
}

/**
 * Looks for a handle in the transcripts at hand, or in `transcript`, unless it is one of those; `context` is how many turns
 * before and after are wanted.
 */
export type FindInTranscript = (handle: string, context: number, transcript?: string) => Promise<FoundTurn | undefined>;

export interface ShowRequest {
  /** With or without its `#`. */
  readonly handle: string;
  readonly project: string | undefined;
  /**
   * Only the lines around this phrase, or around any of these words; not more than is quickly read. Where a turn has none of
   * them but the other half of a call has, which stands beside it, that one is shown.
   */
  readonly about?: string | undefined;
  /** Only these lines, first and last, from 1. */
  readonly lines?: readonly [first: number, last: number] | undefined;
  /** Turns before and after. */
  readonly context?: number | undefined;
  readonly deadlineMs: number;
}

export interface ShowResult extends FoundTurn, Passages {
  readonly source: 'archive' | 'transcript';
  readonly totalLines: number;
}

/** A handle as it is stored. Throws E_PARAM_INVALID if it is none. */
export function readHandle(text: string): string {
  const handle = `#${text.trim().toLowerCase().replace(/^#/, '')}`;
  if (/^#[a-z2-7]{7}$/.test(handle)) return handle;
  throw new ChittaError('E_PARAM_INVALID', `${text} is not a handle`, {
    field: 'handle',
    hint: 'a handle is # and 7 letters or digits, as in a mark that chitta left; the # may be left out',
  });
}

async function fromArchive(
  store: MemoryDatabase,
  handle: string,
  request: ShowRequest,
): Promise<FoundTurn | undefined> {
  const turns = await store.turns(handle, request.deadlineMs);
  // Two turns of one handle are a coincidence; this project's is meant.
  const turn: StoredTurn | undefined = turns.find(({ project }) => project === request.project) ?? turns.at(-1);
  if (turn === undefined) return undefined;
  const count = request.context ?? 0;
  const around = count > 0 ? await store.neighbours(turn, count, request.deadlineMs) : { before: [], after: [] };
  return { turn, ...around };
}

/** Past compactions whose transcripts are looked through, newest first, and how many different ones. */
const MAX_EPISODES = 500;
const MAX_TRANSCRIPTS = 20;

/** The transcripts at hand, then those that compactions of the project noted: not every turn that left was archived. */
async function fromTranscripts(
  store: MemoryDatabase,
  handle: string,
  { project, context = 0, deadlineMs }: ShowRequest,
  find: FindInTranscript,
): Promise<FoundTurn | undefined> {
  const atHand = await find(handle, context);
  if (atHand !== undefined || project === undefined) return atHand;
  // Without the database there is no more to look at.
  const episodes = await store.episodes({ project, limit: MAX_EPISODES }, deadlineMs).catch(() => []);
  const transcripts = new Set(episodes.flatMap(({ transcript }) => transcript ?? []));
  for (const transcript of [...transcripts].slice(0, MAX_TRANSCRIPTS)) {
    // One that is gone or cannot be read says nothing about the others.
    const found = await find(handle, context, transcript).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

function asShown(turn: ShownTurn): ShownTurn {
  return { ...turn, text: shownText(turn.text, turn.role) };
}

/** The turn that was found, or the one beside it that holds the other half of a call, if only that is about the words. */
function halfAbout(found: FoundTurn, about: string): ShownTurn {
  if (isAbout(found.turn.text, about)) return found.turn;
  const other = found.turn.role === 'assistant' ? found.after[0] : found.before.at(-1);
  return other !== undefined && isAbout(other.text, about) ? other : found.turn;
}

/** Shows a turn. Rejects with E_PARAM_INVALID, E_NOT_FOUND, or as the store does when a transcript does not help. */
export async function show(
  store: MemoryDatabase,
  request: ShowRequest,
  findInTranscript?: FindInTranscript,
): Promise<ShowResult> {
  const handle = readHandle(request.handle);
  const { about, context = 0 } = request;
  // The other half of a call may be what is looked for.
  const wanted = { ...request, context: about === undefined ? context : Math.max(1, context) };
  let failure: unknown;
  const archived = await fromArchive(store, handle, wanted).catch((error: unknown) => {
    // The transcript may still have it.
    failure = error;
    return undefined;
  });
  const found = archived ?? (findInTranscript && (await fromTranscripts(store, handle, wanted, findInTranscript)));
  if (found === undefined) {
    if (failure !== undefined) throw failure;
    throw new ChittaError('E_NOT_FOUND', `${handle} is neither archived nor in a transcript that was looked at`, {
      hint: 'name the transcript with --file, or find the turn by its words: chitta recall QUERY',
    });
  }
  const [before, after] = [found.before.map(asShown), found.after.map(asShown)];
  const all = { turn: asShown(found.turn), before, after };
  const turn = about === undefined || request.lines !== undefined ? all.turn : halfAbout(all, about);
  return {
    turn,
    before: context > 0 ? before : [],
    after: context > 0 ? after : [],
    source: archived === undefined ? 'transcript' : 'archive',
    totalLines: turn.text.split('\n').length,
    ...passagesOf(turn.text, request),
  };
}
