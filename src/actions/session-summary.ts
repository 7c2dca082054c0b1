/** Summaries of a session that is remembered: they go on from each other, and what they stand for is archived. */
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { SummaryStore } from '../ports/memory.ts';
import type { SummaryResult } from '../summarize/report.ts';
import { estimateViewTokens } from '../tokens/message.ts';
import { archiveTurns } from './archive.ts';
import { summarize, type SummarizeOptions } from './summarize.ts';

export interface SessionSummaryOptions extends SummarizeOptions {
  /** Undefined: nothing is remembered. */
  readonly store: SummaryStore | undefined;
  readonly session: string | undefined;
  readonly project: string | undefined;
  readonly deadlineMs: number;
  /** Told in one line what had to be done without. */
  readonly log: (line: string) => void;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Keeps a new summary, and the turns that it stands for. */
async function keep(
  history: readonly Message[],
  result: SummaryResult,
  { store, session, project, deadlineMs, log }: SessionSummaryOptions,
): Promise<void> {
  const { link, report, messages } = result;
  if (store === undefined || report.reused) return;
  try {
    const stays = new Set(messages);
    const leaving = history
      .filter((message) => !stays.has(message))
      .map((message) => ({ message, view: viewOf(message) }))
      .map(({ message, view }) => ({ message, view, tokens: estimateViewTokens(view) }));
    await archiveTurns(leaving, store, { session, project, deadlineMs });
    if (link === undefined || session === undefined) return;
    const { model, summaryTokens: tokens } = report;
    await store.addSummary({ ...link, session, project, tokens, model }, deadlineMs);
  } catch (error) {
    // The summary is there all the same; only the next one will be made from the beginning.
    log(`error: a summary was not stored: ${reasonOf(error)}`);
  }
}

async function chainOf({ store, session, deadlineMs, log }: SessionSummaryOptions): Promise<SummarizeOptions['chain']> {
  if (store === undefined || session === undefined) return [];
  try {
    return await store.summaries(session, deadlineMs);
  } catch (error) {
    log(`error: earlier summaries were not read: ${reasonOf(error)}`);
    return [];
  }
}

/** As `summarize`, going on from the stored summaries of the session. Only a summary that was made is stored. */
export async function summarizeSession(
  history: readonly Message[],
  options: SessionSummaryOptions,
): Promise<SummaryResult> {
  const chain = await chainOf(options);
  const result = await summarize(history, { ...options, chain });
  await keep(history, result, options);
  return result;
}
