/** Summaries that nobody asks for: made where a context is nearly full after a turn, if that is wanted. */
import { parseMessages } from '../messages/parse.ts';
import type { Message, WireMessage } from '../messages/types.ts';
import { hasCounted, type PressureInput, pressureOf } from '../summarize/pressure.ts';
import type { SummaryResult } from '../summarize/report.ts';
import { estimateMessageTokens } from '../tokens/message.ts';
import { summarize, type SummarizeOptions } from './summarize.ts';

/** How full the context of the turn's model is. */
export type TurnPressure = Omit<PressureInput, 'estimatedTokens'>;

export interface AutoSummaryOptions extends SummarizeOptions {
  /** Whether it is wanted; it is off unless a user has switched it on. */
  readonly autoSummarize: boolean;
  readonly pressure: TurnPressure;
}

/** Whether a conversation is at critical pressure after a turn: nine tenths of the window without the response. */
export function isAtCriticalPressure(history: readonly Message[], pressure: TurnPressure): boolean {
  // Where the provider counted, nothing has to be estimated.
  const estimatedTokens = hasCounted(pressure.usedTokens)
    ? 0
    : history.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  return pressureOf({ ...pressure, estimatedTokens }).isCritical;
}

/**
 * For a front end, after each turn: the summary if it is wanted and the context is at critical pressure, else undefined. A
 * failure does not fail the turn: it is an event, and undefined. Rejects with E_MESSAGE_INVALID for what are no messages.
 */
export async function summarizeIfCritical<M extends WireMessage = Message>(
  history: readonly M[],
  options: AutoSummaryOptions,
): Promise<SummaryResult<M> | undefined> {
  if (!options.autoSummarize || !isAtCriticalPressure(parseMessages(history), options.pressure)) return undefined;
  try {
    return await summarize(history, options);
  } catch {
    // Told by the event.
    return undefined;
  }
}
