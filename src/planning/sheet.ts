/** A conversation laid out for planning: what each message costs, what must stay, where it may be cut. Pure; linear. */
import { protectedReasons } from '../compaction/protect.ts';
import { callsByResult, pairUp } from '../messages/pairs.ts';
import { isOwnMark } from '../messages/search-text.ts';
import { isSummary, isTypedPrompt } from '../messages/typed.ts';
import type { Message, MessageView, ToolCall } from '../messages/types.ts';
import { tornPlaces, unitsOf } from '../messages/units.ts';
import { viewOf } from '../messages/view.ts';

export type Count = (message: Message) => number;

/** Tokens of them all. */
export function countAll(messages: readonly Message[], count: Count): number {
  return messages.reduce((sum, message) => sum + count(message), 0);
}

export interface Sheet {
  readonly messages: readonly Message[];
  readonly views: readonly MessageView[];
  readonly tokens: readonly number[];
  /** Index of the first message of the unit of each. */
  readonly units: readonly number[];
  /** Whether the message may be neither pruned nor summarised. */
  readonly stays: readonly boolean[];
  /** Whether the message is what a tool has shown: media alone, behind a result that can hold none itself. */
  readonly shown: readonly boolean[];
  /** Whether a tool round trip goes across the place in front of the message. */
  readonly torn: readonly boolean[];
  /** Where turns begin: a person's prompt with none directly before it. */
  readonly turns: readonly number[];
  /** The call that a result in that message answers. */
  readonly callOf: (message: number, id: string) => ToolCall | undefined;
}

/** OpenAI's results are texts: what a tool has shown comes behind them, in a user's message of nothing else. */
function shownByTools(views: readonly MessageView[]): boolean[] {
  const shown: boolean[] = [];
  for (const [at, { role, text, results, mediaCount }] of views.entries()) {
    const isMedia = role === 'user' && mediaCount > 0 && text === '' && results.length === 0;
    shown.push(isMedia && (shown[at - 1] === true || (views[at - 1]?.results.length ?? 0) > 0));
  }
  return shown;
}

/** Without any typed prompt, whatever a user's message says begins a turn: some harnesses write the only one themselves. */
function turnStarts(messages: readonly Message[], views: readonly MessageView[]): number[] {
  const isPrompt = messages.map(isTypedPrompt);
  if (!isPrompt.includes(true)) {
    messages.forEach((message, at) => {
      const view = views[at]!;
      isPrompt[at] = view.role === 'user' && view.results.length === 0 && !isSummary(message) && !isOwnMark(view);
    });
  }
  return isPrompt.flatMap((begins, at) => (begins && isPrompt[at - 1] !== true ? [at] : []));
}

/** Lays out a conversation. */
export function layOut(messages: readonly Message[], count: Count, pinned?: (message: Message) => boolean): Sheet {
  const views = messages.map(viewOf);
  const pairing = pairUp(views);
  const units = unitsOf(messages.length, pairing);
  const reasons = protectedReasons(messages, views, units, pairing, pinned);
  const shown = shownByTools(views);
  return {
    messages,
    views,
    tokens: messages.map(count),
    units,
    stays: reasons.map((reason) => reason !== undefined),
    shown,
    torn: tornPlaces(units).map((isTorn, at) => isTorn || shown[at] === true),
    turns: turnStarts(messages, views),
    callOf: callsByResult(views, pairing),
  };
}

/** Sum of the tokens of the messages that a test picks. */
export function tokensWhere({ tokens }: Sheet, picks: (message: number) => boolean): number {
  return tokens.reduce((sum, own, at) => (picks(at) ? sum + own : sum), 0);
}

/** The place at or before `at` where nothing is torn. */
export function untornBefore({ torn }: Sheet, at: number): number {
  let place = at;
  while (place > 0 && torn[place] === true) place -= 1;
  return place;
}
