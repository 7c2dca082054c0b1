/** Where in a request what stands: the prompt, the tail, what must not go, and where the oldest messages may be cut off. */
import { callsByResult, pairUp } from '../messages/pairs.ts';
import { isTypedPrompt } from '../messages/typed.ts';
import type { Message, MessageView, ToolCall } from '../messages/types.ts';
import { unitsOf } from '../messages/units.ts';

/** The most recent messages of the history, which stay whole as long as possible (the published rule). */
const TAIL_MESSAGES = 8;

export interface Layout {
  /** First message of the prompt: what is sent now. */
  readonly promptStart: number;
  /** First message of the tail. */
  readonly tailStart: number;
  /** From here on thinking is not to be touched: the newest typed prompt, or the newest answer before it. */
  readonly openFrom: number;
  /** By message: the first of its unit. */
  readonly units: readonly number[];
  /** By message: it is not to be changed. */
  readonly isFixed: readonly boolean[];
  /** By message: it is not to be left out. */
  readonly isHeld: readonly boolean[];
  /** Where the last turn begins with thinking: a mark must stand before it. */
  readonly opening: number | undefined;
  /** The call that a result in that message answers. */
  readonly callOf: (message: number, id: string) => ToolCall | undefined;
}

/** The last position at or before `at` that no unit reaches over. Boundaries only move backwards. */
function backToUnit(units: readonly number[], at: number): number {
  let boundary = at;
  let first = Infinity;
  for (let index = units.length - 1; index >= 0; index--) {
    first = Math.min(first, units[index]!);
    if (index > at) continue;
    if (index <= boundary && first >= index) return index;
    boundary = index;
  }
  return 0;
}

function beginsWithThinking({ content }: Message): boolean {
  const [first] = Array.isArray(content) ? content : [];
  return first?.type === 'thinking' || first?.type === 'redacted_thinking';
}

/**
 * The answer that opens the last turn, if it begins with thinking: an API that thinks asks for it there. Held even while
 * later answers think too, since those to come may not.
 */
function thinkingOpening(messages: readonly Message[], views: readonly MessageView[]): number | undefined {
  const prompt = messages.findLastIndex(({ role }, at) => role === 'user' && views[at]!.results.length === 0);
  const opening = messages.findIndex(({ role }, at) => at > prompt && role === 'assistant');
  return opening >= 0 && beginsWithThinking(messages[opening]!) ? opening : undefined;
}

/** Lays out a request whose prompt begins at `promptStart`. Linear. */
export function layoutOf(
  messages: readonly Message[],
  views: readonly MessageView[],
  promptStart: number,
  pinned: (message: Message) => boolean,
): Layout {
  const pairing = pairUp(views);
  const units = unitsOf(messages.length, pairing);
  const isFixed = messages.map((message, at) => views[at]!.role === 'system' || pinned(message));
  const typed = messages.findLastIndex((message) => isTypedPrompt(message));
  const head = messages.findIndex(({ role }) => role === 'user');
  const opening = thinkingOpening(messages, views);
  const newest = messages.findLastIndex(({ role }, at) => role === 'assistant' && at < promptStart);
  // Answers that follow each other are one to the API, which wants the thinking of the newest as it was.
  const newestFrom = messages.findLastIndex(({ role }, at) => role !== 'assistant' && at < newest) + 1;
  const heldUnits = new Set<number>();
  messages.forEach((_, at) => {
    const isHead = at === head && views[at]!.results.length === 0;
    const isNewest = at >= newestFrom && at <= newest;
    if (at >= promptStart || isFixed[at]! || isHead || isNewest || at === typed || at === opening) {
      heldUnits.add(units[at]!);
    }
  });
  if (typed >= 0) isFixed[typed] = true;
  return {
    promptStart,
    tailStart: backToUnit(units, Math.max(0, promptStart - TAIL_MESSAGES)),
    openFrom: Math.max(0, Math.min(typed, newestFrom)),
    units,
    isFixed,
    isHeld: units.map((unit) => heldUnits.has(unit)),
    opening,
    callOf: callsByResult(views, pairing),
  };
}
