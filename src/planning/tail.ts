/**
 * Where the tail begins: the newest turns, which stay word for word. In the middle of a turn, whose steps would else fill the
 * window, it is a quarter of the budget. Never between a call and its answer. Pure; linear.
 */
import { isResultBlock } from '../messages/view.ts';
import type { Message } from '../messages/types.ts';
import { hasEnded } from './growth.ts';
import { type Sheet, untornBefore } from './sheet.ts';

/** Of the budget, what the steps of a turn that goes on may keep. */
const STEPS_SHARE = 1 / 4;
/** What a result costs once a mark stands for it. */
const STUB_TOKENS = 64;

export interface TailOptions {
  readonly turns: number;
  /** What the messages may have, in tokens. */
  readonly budget: number;
  /** What has to fit beside the tail and what must stay: system prompt and summary. */
  readonly beside: number;
  /** Undefined where none is declared: then everything fits. */
  readonly window: number | undefined;
  /** At least so many messages have to be left for a summary, if there is a way; nobody asks for nothing. */
  readonly leastBefore: number;
}

export interface Tail {
  readonly from: number;
  /** Messages before it that stay with their units, so that the last turn still begins with thinking where an API asks for that. */
  readonly holds: readonly number[];
}

function isAnswered({ views }: Sheet, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (views[at]!.role === 'assistant') return true;
  return false;
}

/** Where the newest turns begin; the prompt that is being sent is no turn yet, and comes on top. */
function turnsFrom(sheet: Sheet, turns: number): number {
  const { messages } = sheet;
  const starts = sheet.turns;
  const open = starts.length > 0 && !isAnswered(sheet, starts.at(-1)!, messages.length) ? 1 : 0;
  const wanted = turns + open;
  if (wanted === 0) return messages.length;
  return untornBefore(sheet, starts.at(-wanted) ?? 0);
}

/** Where the newest steps begin that have no more than so many tokens: one at least. Of the places, the oldest that `fits`. */
function stepsFrom(sheet: Sheet, tokens: number, isRight: (at: number) => boolean): number {
  const { messages, torn, tokens: own } = sheet;
  let sum = 0;
  let newest: number | undefined;
  let right: number | undefined;
  for (let at = messages.length - 1; at >= 0; at--) {
    sum += own[at]!;
    if (newest !== undefined && sum > tokens) break;
    if (torn[at] === true) continue;
    newest ??= at;
    if (isRight(at)) right = at;
  }
  return right ?? newest ?? 0;
}

function startsWithThinking({ content }: Message): boolean {
  const type: unknown = Array.isArray(content) ? content[0]?.type : undefined;
  return type === 'thinking' || type === 'redacted_thinking';
}

/** What opens the last turn, as the Messages API sees turns: a user's message without results; -1 if none does. */
function lastOpener({ messages }: Sheet): number {
  return messages.findLastIndex(
    ({ role, content }) => role === 'user' && !(Array.isArray(content) && content.some(isResultBlock)),
  );
}

/** The first answer of the last turn, if it begins with thinking. */
function thinkingStart(sheet: Sheet): number | undefined {
  const { messages, views } = sheet;
  const opener = lastOpener(sheet);
  const first = views.findIndex(({ role }, at) => at > opener && role === 'assistant');
  return first >= 0 && startsWithThinking(messages[first]!) ? first : undefined;
}

/** Tokens of the tail and of what must stay before it, with a mark in the place of each result that may go. */
function leastTokens({ views, tokens, stays }: Sheet, from: number): number {
  let sum = 0;
  views.forEach(({ results }, at) => {
    if (stays[at] === true || (at >= from && results.length === 0)) sum += tokens[at]!;
    else if (at >= from) sum += Math.min(tokens[at]!, STUB_TOKENS * results.length);
  });
  return sum;
}

/** Chooses the tail. */
export function tailOf(sheet: Sheet, { turns, budget, beside, window, leastBefore }: TailOptions): Tail {
  const { messages, views, stays } = sheet;
  const thinking = thinkingStart(sheet);
  const isRight = (at: number): boolean =>
    thinking === undefined || at <= thinking || startsWithThinking(messages[at]!);
  const steps = stepsFrom(sheet, budget * STEPS_SHARE, isRight);
  const turn = sheet.turns.at(-1);
  // Without any prompt there are but steps.
  const isMidTurn = turn === undefined || (!hasEnded(messages) && isAnswered(sheet, turn, messages.length));
  const ofTurns = Array.from({ length: turns }, (_, less) => turnsFrom(sheet, turns - less));
  if (turns === 0) ofTurns.push(turnsFrom(sheet, 0));
  const places = isMidTurn ? [Math.max(steps, ofTurns[0]!)] : [...ofTurns, steps];
  // What is before the tail, but must stay, leaves nothing for a summary.
  const before = (from: number): number => stays.reduce((sum, held, at) => sum + (at < from && !held ? 1 : 0), 0);
  const from =
    places.find(
      (place) =>
        before(place) >= leastBefore && leastTokens(sheet, place) + beside <= (window ?? Number.POSITIVE_INFINITY),
    ) ?? places.at(-1)!;
  const opener = thinking === undefined ? -1 : thinking;
  const firstKept = views.findIndex(
    ({ role }, at) => at >= opener && role === 'assistant' && (at >= from || stays[at]),
  );
  const holds: number[] = [];
  if (thinking === undefined) return { from, holds };
  if (firstKept > thinking && !startsWithThinking(messages[firstKept]!)) holds.push(thinking);
  // Without what opens the turn, an answer before it that must stay would be the first of it.
  const user = lastOpener(sheet);
  const hasOlder = views.some(({ role }, at) => at < user && role === 'assistant' && stays[at]);
  if (hasOlder && user < from) holds.push(user);
  return { from, holds };
}
