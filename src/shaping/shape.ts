/**
 * The guard of the window: a request goes out as it came if it fits, and else with the cheapest things left out, in
 * stages, until it does. Pure; mutates nothing; what it hands back is never malformed where the request was not.
 *
 * Rule: docs/guard.md. Whole results of tools go first, then what stands in calls, then the oldest exchanges, then parts
 * of the tail. The prompt is what is sent now: its typed text is never touched.
 */
import { parseMessages } from '../messages/parse.ts';
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import { checkedCounter } from '../tokens/counter.ts';
import { estimateMessageTokens, estimateViewTokens } from '../tokens/message.ts';
import { divideWindow, type Window } from './budget.ts';
import { LEAST_RESULT_TOKENS, resultCap } from './cap.ts';
import { Draft, type StageTaken } from './draft.ts';
import { layoutOf } from './layout.ts';
import { promptStart } from './prompt.ts';
import { repairRoundTrips, type RoundTripReport } from './round-trips.ts';
import { handlesOf, NO_STATE, parseShapeState, type ShapeState } from './state.ts';

export type { StageTaken } from './draft.ts';
export type { ShapeState } from './state.ts';

export interface ShapeOptions {
  /** Tokens that the model takes, answer included; default 32,768. */
  readonly window?: number | undefined;
  /** Tokens kept for the answer; default: what the request asks for, else 4,096. */
  readonly responseTokens?: number | undefined;
  /** What `measureBase` said of an earlier request of the same agent. */
  readonly baseTokens?: number | undefined;
  /** How many messages at the end are the prompt; default: those behind the last answer of the model. */
  readonly promptMessages?: number | undefined;
  /** The model's own counter, for one message; default: an estimate. */
  readonly countTokens?: ((message: Message) => number) | undefined;
  /** What must neither be changed nor left out: a harness's plan and memory. */
  readonly pinned?: ((message: Message) => boolean) | undefined;
  /** What becomes of results without a call; default `keep`. */
  readonly orphans?: 'keep' | 'drop' | undefined;
  /**
   * What the call before this one in the same conversation handed back, `{}` to begin with: decisions taken stay taken. It may
   * have been stored as JSON; what is no state counts as none.
   */
  readonly state?: unknown;
}

/** All numbers are tokens, unless they count messages. `window` = headroom + response + base + prompt + budget. */
export interface ShapeReport {
  readonly window: number;
  readonly headroom: number;
  readonly response: number;
  readonly base: number;
  /** The prompt as it is sent. */
  readonly prompt: number;
  /** What the history may have; below zero if not even the prompt fits. */
  readonly budget: number;
  /** The history as it came, and as it goes out. */
  readonly before: number;
  readonly after: number;
  /** How many messages came, and how many go out. */
  readonly messages: { readonly before: number; readonly after: number };
  /** What each stage took, decisions of earlier requests included; those that took nothing are not listed. */
  readonly stages: readonly StageTaken[];
  /** Whether something was decided for the first time: what a prompt cache holds is then of use only up to there. */
  readonly decided: boolean;
  /** It does not fit. */
  readonly over: boolean;
  readonly warning?: string;
  readonly roundTrips: RoundTripReport;
}

export interface Shaped<T> {
  readonly request: T;
  readonly report: ShapeReport;
  /** For the next request of the conversation. */
  readonly state: ShapeState;
}

/**
 * Of the history's budget, so much is freed beyond what is needed where a state is carried along, so that the next requests
 * need no decision and find their prefix in the cache (measured: bench/guard).
 */
export const HYSTERESIS = 0.3;

/** Takes the stages for the history and the tail, one after the other, until the draft fits. */
function shapeHistory(draft: Draft, room: number, target: number): void {
  const { tailStart, promptStart: end, openFrom, isFixed } = draft.layout;
  const each = (from: number, to: number, most: number, act: (at: number) => void): void => {
    for (let at = from; at < to && draft.total > most; at++) if (!isFixed[at]! && !draft.isSnipped(at)) act(at);
  };
  each(0, tailStart, target, (at) => draft.change(at, { results: 'stub' }, 'stub-results'));
  each(0, tailStart, target, (at) =>
    draft.change(at, { calls: true, ...(at < openFrom && { thinking: true }) }, 'shorten-calls'),
  );
  if (draft.total > room) draft.snip(tailStart, target, 'snip');
  const cap = resultCap(room);
  const tail = (change: Parameters<Draft['change']>[1], from = tailStart): void =>
    each(from, end, room, (at) => draft.change(at, change, 'shorten-tail'));
  tail({ results: cap });
  tail({ results: LEAST_RESULT_TOKENS });
  tail({ results: 'stub' });
  tail({ calls: true });
  // From the head on: what is left of it and of what is held.
  tail({ texts: cap }, 0);
  if (draft.total > room) draft.snip(end, room, 'shorten-tail');
  tail({ texts: LEAST_RESULT_TOKENS }, 0);
}

/** Results that are sent now, cut to so many tokens each. */
function capPrompt(draft: Draft, tokens: number): void {
  const { promptStart: from, isFixed } = draft.layout;
  for (let at = from; at < draft.messages.length; at++) {
    if (!isFixed[at]!) draft.change(at, { results: tokens }, 'cap-prompt');
  }
}

function warningOf({ window, headroom, response, base, room }: Window, total: number, prompt: number): string {
  const needs = total + base + response;
  const why =
    room <= 0
      ? `system prompt and tools (${base}) and the answer (${response}) leave nothing for messages`
      : prompt > room
        ? `the prompt alone has ${prompt}, and ${room} are left for messages`
        : `what must stay has ${total}, and ${room} are left for messages`;
  const fate = needs <= window ? `only the headroom of ${headroom} is used` : 'it is sent as it is';
  return `over the window of ${window} tokens: ${why}; ${fate}`;
}

/** The draft that fits at the least loss, else the smallest that was tried. */
function fitting(
  make: () => Draft,
  room: number,
  hysteresis: number,
): { readonly draft: Draft; readonly fits: boolean; readonly decided: boolean } {
  let draft = make();
  if (draft.total <= room) return { draft, fits: true, decided: false };
  for (const cap of [undefined, resultCap(room), LEAST_RESULT_TOKENS]) {
    if (cap !== undefined) {
      draft = make();
      capPrompt(draft, cap);
    }
    const prompt = draft.promptTokens;
    // Where the prompt alone is too much, nothing that the history loses would help.
    if (prompt < room) shapeHistory(draft, room, prompt + (room - prompt) * (1 - hysteresis));
    if (draft.total <= room) return { draft, fits: true, decided: true };
  }
  return { draft, fits: false, decided: true };
}

/**
 * The request as it can go out: the same object if it fits and no round trip is broken, else a copy with other messages.
 *
 * The window is divided into headroom (a tenth), the answer, the base (system prompt, tools), the prompt and what is left
 * for the history. If that is too little, stages are taken in order until it fits (`ShapeReport.stages`). A request that
 * cannot fit is sent as it is, with a warning. Round trips are checked in any case (`enforceToolRoundTrips`).
 *
 * Both wire formats. Throws E_PARAM_INVALID or E_MESSAGE_INVALID for what is no request. Linear.
 */
export function shapeRequest<T extends object>(request: T, options: ShapeOptions = {}): Shaped<T> {
  // A request has messages, or parseMessages says that it has none.
  const given = parseMessages((request as { readonly messages?: unknown } | null | undefined)?.messages);
  const window = divideWindow(request, options);
  const { orphans = 'keep', countTokens, pinned = () => false } = options;
  const state = parseShapeState(options.state) ?? NO_STATE;
  const { messages, origins, report: roundTrips } = repairRoundTrips(given, { orphans });
  const start = promptStart(given, options.promptMessages);
  const begin = origins === undefined ? start : origins.findIndex((origin) => origin >= start);
  const views = messages.map(viewOf);
  const price = countTokens === undefined ? estimateMessageTokens : checkedCounter(countTokens);
  const costs = messages.map((message, at) =>
    countTokens === undefined ? estimateViewTokens(views[at]!) : price(message),
  );
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  const from = begin < 0 ? messages.length : begin;
  const prompt = costs.slice(from).reduce((sum, cost) => sum + cost, 0);

  const repaired = messages === given ? request : { ...request, messages };
  const reportOf = (as: Draft | undefined, over: boolean, decided: boolean, warning?: string): ShapeReport => {
    const sent = as === undefined ? prompt : as.promptTokens;
    return {
      window: window.window,
      headroom: window.headroom,
      response: window.response,
      base: window.base,
      prompt: sent,
      budget: window.room - sent,
      before: total - prompt,
      after: (as?.total ?? total) - sent,
      messages: { before: given.length, after: (as?.result ?? messages).length },
      stages: as?.stages ?? [],
      decided,
      over,
      ...(warning !== undefined && { warning }),
      roundTrips,
    };
  };
  const asItIs = (warning?: string): Shaped<T> => {
    return { request: repaired, state, report: reportOf(undefined, warning !== undefined, false, warning) };
  };
  const hasDecisions = state.snip !== undefined || Object.keys(state.messages).length > 0;
  if (!hasDecisions && total <= window.room) return asItIs();
  if (window.room <= 0) return asItIs(warningOf(window, total, prompt));

  const layout = layoutOf(messages, views, from, pinned);
  const handles = handlesOf(messages);
  const make = (): Draft => {
    const draft = new Draft(messages, costs, layout, handles, price);
    if (hasDecisions) draft.resume(state);
    return draft;
  };
  const { draft, fits, decided } = fitting(make, window.room, options.state === undefined ? 0 : HYSTERESIS);
  const warning = fits ? undefined : warningOf(window, draft.total, draft.promptTokens);
  // Within the headroom it is worth a try; beyond, the losses would buy nothing.
  if (!draft.isChanged || (!fits && draft.total > window.room + window.headroom)) return asItIs(warning);
  return {
    request: { ...request, messages: draft.result },
    state: decided ? draft.state : state,
    report: reportOf(draft, !fits, decided, warning),
  };
}
