/**
 * Archives what a transcript has gained since it was last read, so that it can be found before and after it leaves a context; rules
 * that were said in its prompts are proposed as directives.
 */
import { proposalsIn } from '../ledger/proposals.ts';
import { candidatesIn } from '../lifecycle/candidates.ts';
import { handleOf } from '../messages/handle.ts';
import { humanText, isSummary } from '../messages/typed.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { ProposedDirective } from '../ports/ledger.ts';
import type { NewMemory } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { ArchivedTurn } from '../ports/turns.ts';
import { estimateViewTokens } from '../tokens/message.ts';
import { archivedTurns } from './archive.ts';

export interface CaptureRequest {
  readonly transcriptPath: string;
  readonly session: string;
  /** Of a sub-agent, whose turns are kept apart from the session's. */
  readonly agent?: string | undefined;
  readonly project: string;
  readonly deadlineMs: number;
  /** `later`: the database is read but not written. */
  readonly when?: 'now' | 'later';
  /** What is worth a memory of its own is made one. */
  readonly learn?: boolean;
  /** Most bytes that are read, of the end; what was not read before them stays to be read. */
  readonly maxBytes?: number;
  /** Asked before each further part: what it has no time for, the next event does. */
  readonly isLate?: () => boolean;
}

/** A part of a transcript, as the reader gives it. */
export interface CapturedPart {
  readonly messages: readonly Message[];
  /** Uuids of messages that are in the context no more. */
  readonly left: ReadonlySet<string>;
  readonly from: number;
  readonly resumeAt: number;
  readonly next: number | undefined;
  readonly boundary: { readonly at: number; readonly preserved: ReadonlySet<string> } | undefined;
}

export interface PartLimits {
  readonly maxBytes: number;
  readonly atOnce?: number;
  readonly before?: Pick<CapturedPart, 'boundary'> | undefined;
}

export interface CaptureDeps {
  readonly store: Pick<MemoryDatabase, 'session' | 'capture'>;
  /** undefined if there is no transcript. */
  readPart(path: string, from: number, limits: PartLimits): Promise<CapturedPart | undefined>;
}

/** Read, masked and written at once: a second's work on a busy machine, during which nothing else of the process gets its turn. */
const AT_ONCE_BYTES = 2_097_152;

/** How turns of a sub-agent name their session. */
function sessionOf({ session, agent }: CaptureRequest): string {
  return agent === undefined ? session : `${session}/${agent}`;
}

/** Whether somebody said or did it: no summary of a host, and nothing that a harness alone wrote. */
function isTurn(message: Message, view: MessageView): boolean {
  if (isSummary(message)) return false;
  return view.role !== 'user' || view.results.length > 0 || humanText(message) !== '';
}

/** What a transcript's messages are in the archive. */
export function turnsOf(
  { messages, left }: Pick<CapturedPart, 'messages' | 'left'>,
  whose: { readonly session: string; readonly project: string },
): ArchivedTurn[] {
  const read = messages
    .map((message) => ({ message, view: viewOf(message), left: left.has(String(message['uuid'])) }))
    .filter(({ message, view }) => isTurn(message, view))
    .map((turn) => ({ ...turn, tokens: estimateViewTokens(turn.view) }));
  return archivedTurns(read, whose);
}

/** Rules said in prompts. A sub-agent's are written by the model. */
function proposalsOf(messages: readonly Message[], { agent, session, project }: CaptureRequest): ProposedDirective[] {
  if (agent !== undefined) return [];
  return messages.flatMap((message) =>
    isSummary(message)
      ? []
      : proposalsIn(humanText(message)).map(({ text }) => ({ text, project, session, source: handleOf(message) })),
  );
}

/** What is worth a memory. A sub-agent is told what to do by the model, and tells it what it did. */
function learnedOf(messages: readonly Message[], { agent, session, project, learn }: CaptureRequest): NewMemory[] {
  return agent !== undefined || learn !== true ? [] : candidatesIn(messages, { session, project });
}

/** Lets timers go off: reading what is there already never waits for anything. */
function giveWay(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/**
 * Archives what is new, part by part, each of which is kept before the next is read; answers whether that was all. What there was no
 * time for is read again by the next event. Processes that do so at the same time share the work. Rejects as the store and the reader do.
 */
export async function captureTranscript(request: CaptureRequest, { store, readPart }: CaptureDeps): Promise<boolean> {
  const { transcriptPath, project, deadlineMs, when, maxBytes, isLate = () => false } = request;
  const session = sessionOf(request);
  let before: CapturedPart | undefined;
  let hasGap = false;
  let isAnother = false;
  do {
    // Where it is not known how far it was read, it is read again: a turn is kept once.
    const known = await store.session(session, deadlineMs).catch(() => undefined);
    const archived = known !== undefined && known.transcript === transcriptPath ? known.archivedBytes : 0;
    const from: number = isAnother ? (before?.next ?? 0) : Math.max(archived, before?.next ?? 0);
    const limits = { maxBytes: maxBytes ?? Number.POSITIVE_INFINITY, atOnce: AT_ONCE_BYTES, before };
    const part = await readPart(transcriptPath, from, limits);
    if (part === undefined) return !hasGap;
    const turns = turnsOf(part, { session, project });
    hasGap ||= maxBytes !== undefined && part.from > from;
    // A file that became shorter is not the one that was read.
    isAnother ||= part.from < from;
    const progress = {
      session,
      project,
      transcript: transcriptPath,
      archivedBytes: hasGap ? archived : (part.next ?? part.resumeAt),
    };
    if (part.messages.length > 0 || part.next !== undefined) {
      const isWhole = await store.capture(
        {
          ...progress,
          turns,
          proposals: proposalsOf(part.messages, request),
          learned: learnedOf(part.messages, request),
        },
        deadlineMs,
        when,
      );
      // What comes behind it does not hide it.
      hasGap ||= !isWhole;
    }
    before = part;
    await giveWay();
  } while (before.next !== undefined && !isLate());
  return !hasGap && before.next === undefined;
}
