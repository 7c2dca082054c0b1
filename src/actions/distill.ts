/**
 * Makes memories of what is let go and stands in no memory yet: sentences that sound like a decision, a correction, a
 * preference or a fact. Off unless asked for.
 */
import { stripMarks } from '../messages/marks.ts';
import { humanText } from '../messages/typed.ts';
import type { Message, MessageView } from '../messages/types.ts';
import type { NovelStore } from '../ports/memory.ts';
import { areDuplicates, noveltyOf, withoutProvenance, withProvenance } from '../scoring/novelty.ts';
import { quote } from '../session/quote.ts';

/** A shorter turn ("Yes, do that.") says nothing without what stands before it. */
const MIN_CHARS = 40;
const MAX_CHARS = 600;
/** What is covered as much is in a memory already. */
const NOVEL_BELOW = 0.5;
/** Of one compaction; the newest. */
const MAX_TURNS = 60;
/** Memories of the same words that are compared with a turn. */
const LOOKED_AT = 5;

/** A turn on its way out. */
export interface NovelTurn {
  readonly message: Message;
  readonly view: MessageView;
  /** What a memory made from it names as its source. */
  readonly sourceId: string;
  /** 0..1; 0 when unknown. */
  readonly coverage: number;
}

export interface DistillOptions {
  readonly session: string | undefined;
  readonly project: string | undefined;
  readonly deadlineMs: number;
  /** Milliseconds. */
  readonly now: () => number;
}

interface Novel {
  readonly sourceId: string;
  readonly text: string;
  readonly memory: string;
}

/** What people and the model said; what tools printed is bulk, and can be had again. */
function proseOf({ message, view }: NovelTurn): string {
  if (view.role === 'user') return humanText(message);
  return view.role === 'assistant' ? stripMarks(view.text) : '';
}

function novelsOf(turns: readonly NovelTurn[]): Novel[] {
  return turns.flatMap((turn): Novel[] => {
    if (turn.coverage >= NOVEL_BELOW) return [];
    const prose = proseOf(turn).trim();
    if (prose.length < MIN_CHARS) return [];
    // Masked before it is cut: half a secret is not known as one.
    const text = quote(prose, MAX_CHARS);
    const novelty = noveltyOf(text);
    if (novelty === undefined) return [];
    return [{ sourceId: turn.sourceId, text, memory: withProvenance(text, novelty, turn.view.role) }];
  });
}

/**
 * Stores what is new of turns that were dropped, each turn once, and returns how many memories there are more. Stops at the
 * deadline; rejects as the store does.
 */
export async function distillNovel(
  turns: readonly NovelTurn[],
  store: NovelStore,
  { session, project, deadlineMs, now }: DistillOptions,
): Promise<number> {
  const until = now() + deadlineMs;
  const novels = novelsOf(turns).slice(-MAX_TURNS);
  if (novels.length === 0) return 0;
  const made = await store.madeFrom(
    novels.map(({ sourceId }) => sourceId),
    deadlineMs,
  );
  let added = 0;
  for (const { sourceId, text, memory } of novels) {
    if ((made.get(sourceId)?.length ?? 0) > 0) continue;
    const leftMs = until - now();
    if (leftMs <= 0) break;
    const { memories } = await store.searchText(text, project, LOOKED_AT, leftMs);
    if (memories.some((known) => areDuplicates(text, withoutProvenance(known.text)))) continue;
    const remembered = await store.remember(
      { text: memory, kind: 'novel', project, session, origin: 'auto', sourceIds: [sourceId] },
      Math.max(1, until - now()),
    );
    if (remembered.added) added += 1;
  }
  return added;
}
