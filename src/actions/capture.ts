/**
 * Archives what a transcript has gained since it was last read, so that it can be found before and after it leaves a context; rules
 * that were said in its prompts are proposed as directives.
 */
import { proposalsIn } from '../ledger/proposals.ts';
import { handleOf } from '../messages/handle.ts';
import { humanText, isSummary } from '../messages/typed.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { MemoryDatabase, ProposedDirective } from '../ports/memory.ts';
import { estimateMessageTokens } from '../tokens/message.ts';
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
  /** Most bytes that are read, of the end; what was not read before them stays to be read. */
  readonly maxBytes?: number;
}

export interface CaptureDeps {
  readonly store: Pick<MemoryDatabase, 'session' | 'capture'>;
  /** undefined if there is no transcript. */
  readPart(
    path: string,
    from: number,
    maxBytes: number | undefined,
  ): Promise<{ readonly messages: readonly Message[]; readonly from: number; readonly resumeAt: number } | undefined>;
}

/** How turns of a sub-agent name their session. */
function sessionOf({ session, agent }: CaptureRequest): string {
  return agent === undefined ? session : `${session}/${agent}`;
}

/** Whether somebody said or did it: no summary of a host, and nothing that a harness alone wrote. */
function isTurn(message: Message, view: MessageView): boolean {
  if (isSummary(message)) return false;
  return view.role !== 'user' || view.results.length > 0 || humanText(message) !== '';
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

/** Archives what is new; answers how many turns were read. Rejects as the store and the reader do. */
export async function captureTranscript(request: CaptureRequest, { store, readPart }: CaptureDeps): Promise<number> {
  const { transcriptPath, project, deadlineMs, when, maxBytes } = request;
  const session = sessionOf(request);
  // Where it is not known how far it was read, it is read again: a turn is kept once.
  const known = await store.session(session, deadlineMs).catch(() => undefined);
  const from = known !== undefined && known.transcript === transcriptPath ? known.archivedBytes : 0;
  const part = await readPart(transcriptPath, from, maxBytes);
  if (part === undefined || part.messages.length === 0) return 0;
  const read = part.messages
    .map((message) => ({ message, view: viewOf(message) }))
    .filter(({ message, view }) => isTurn(message, view))
    .map((turn) => ({ ...turn, tokens: estimateMessageTokens(turn.message) }));
  const turns = archivedTurns(read, { session, project });
  const hasGap = maxBytes !== undefined && part.from > from;
  const progress = { session, project, transcript: transcriptPath, archivedBytes: hasGap ? from : part.resumeAt };
  const proposals = proposalsOf(part.messages, request);
  await store.capture({ ...progress, turns, proposals }, deadlineMs, when);
  return turns.length;
}
