/**
 * Plans the compaction of a conversation that an agent is in the middle of: whether the request that is about to be sent is too
 * large, and what is to be let go of. Old tool results first; then a summary, which the caller has written; in the last resort
 * results of the tail. One compaction for an overflow. Pure and deterministic: the caller carries the state, and calls models.
 */
import { parseMessages } from '../messages/parse.ts';
import type { Message, WireMessage } from '../messages/types.ts';
import type { Limits } from './limits.ts';
import type { ModelConfig } from './model.ts';
import { LEAST_SUMMARY_TOKENS, Planning } from './planning.ts';
import { pruneBefore, pruneTail } from './prune.ts';
import { countAll, layOut, type Sheet, tokensWhere } from './sheet.ts';
import type { CompactionPlan, PlanOptions, PlanState, SummaryRequest } from './state.ts';
import { tailOf, type Tail } from './tail.ts';

/** Fewer messages are not worth a summary. */
const LEAST_MESSAGES = 4;
/** Of the budget, what a summary may take, and by how much a request has to grow before the next one is worth it. */
const SUMMARY_SHARE = 1 / 8;
const MOST_SUMMARY_TOKENS = 4_096;
/** What is summarised has to be so many times as large as its summary may be. */
const LEAST_GAIN = 2;

/** How the budget is divided for one overflow. */
interface Division {
  readonly sheet: Sheet;
  readonly tail: Tail;
  /** Whether a message before the tail stays nevertheless. */
  readonly isKept: (message: number) => boolean;
  readonly budget: number;
  readonly summaryTokens: number;
}

function divide(planning: Planning): Division {
  const { state, options, model, limits, messages, count } = planning;
  const base = state.baseTokens ?? 0;
  // Those that were seen before may be others now.
  parseMessages(messages);
  const sheet = layOut(messages, count, options.pinned);
  const budget = limits === undefined ? tokensWhere(sheet, () => true) : Math.max(0, limits.trigger - base);
  const share = Math.floor(budget * SUMMARY_SHARE);
  const summaryTokens = Math.min(MOST_SUMMARY_TOKENS, Math.max(LEAST_SUMMARY_TOKENS, share));
  const tail = tailOf(sheet, {
    turns: model.tailTurns,
    budget,
    beside: base + summaryTokens,
    window: limits?.window,
    leastBefore: options.manual === true ? LEAST_MESSAGES : 0,
  });
  const held = new Set(tail.holds.map((at) => sheet.units[at]));
  const isKept = (at: number): boolean => sheet.stays[at] === true || held.has(sheet.units[at]);
  return { sheet, tail, isKept, budget, summaryTokens };
}

function requestOf(messages: readonly Message[], { sheet, tail, isKept, summaryTokens }: Division): SummaryRequest {
  const firstOther = sheet.views.findIndex(({ role }) => role !== 'system');
  const prompt = sheet.turns.at(-1);
  const pick = (test: (at: number) => boolean): Message[] => messages.filter((_, at) => test(at));
  return {
    lead: pick((at) => at < firstOther),
    messages: pick((at) => at >= firstOther && at < tail.from && !isKept(at)),
    rest: pick((at) => at >= firstOther && (at >= tail.from || isKept(at))),
    upTo: tail.from,
    maxTokens: summaryTokens,
    prompt: prompt !== undefined && prompt < tail.from ? messages[prompt] : undefined,
  };
}

/** Whether a summary is worth its call: it frees enough, or what is needed. */
function isWorthIt(planning: Planning, { budget, summaryTokens }: Division, going: readonly Message[]): boolean {
  const { size, limits, count, irreducible = 0 } = planning;
  if (limits === undefined || going.length < LEAST_MESSAGES || irreducible > limits.window) return false;
  const tokens = countAll(going, count);
  if (tokens < LEAST_GAIN * summaryTokens) return false;
  const isEnough = size - tokens + summaryTokens <= limits.trigger;
  return isEnough || size > limits.window || tokens >= budget * SUMMARY_SHARE;
}

/** Whether the request has grown since the last compaction of this overflow: else another one would be the same again. */
function hasGrown({ floor, size }: Planning, { budget }: Division): boolean {
  return floor === undefined || size >= floor + budget * SUMMARY_SHARE;
}

function planManual(planning: Planning): CompactionPlan {
  // Who asks again after a failure gets another try at once.
  if (planning.memory.asked !== undefined) return planning.done();
  const request = requestOf(planning.messages, divide(planning));
  if (request.messages.length >= LEAST_MESSAGES) return planning.done(request);
  planning.notices.push({
    code: 'too-little',
    text: `nothing to compact: fewer than ${LEAST_MESSAGES} messages stand before what stays`,
  });
  return planning.done();
}

function planOverflow(planning: Planning, limits: Limits): CompactionPlan {
  const { model, memory, count, options, state } = planning;
  const division = divide(planning);
  const { sheet, tail } = division;
  const irreducible = (state.baseTokens ?? 0) + tokensWhere(sheet, (at) => sheet.stays[at] === true);
  planning.irreducible = irreducible;
  const wasAsked = memory.asked !== undefined;
  const mustWait = !wasAsked && planning.wait > 0;
  if (mustWait) planning.wait -= 1;

  if (model.prune && !wasAsked) planning.take('prune', pruneBefore(sheet, tail.from, count));
  // Asked for once for a request, whatever came of it.
  const summary = (): SummaryRequest | undefined => {
    if (wasAsked || mustWait) return undefined;
    const request = requestOf(planning.messages, division);
    return isWorthIt(planning, division, request.messages) ? request : undefined;
  };
  if (planning.size > limits.trigger && hasGrown(planning, division)) {
    const request = summary();
    if (request !== undefined) return planning.done(request);
  }
  if (planning.size > limits.window && irreducible <= limits.window) {
    // Room for the answer as well, so that it is not the last resort at every step from here on.
    const target = limits.window - limits.reserved;
    const now = planning.messages === sheet.messages ? sheet : layOut(planning.messages, count, options.pinned);
    planning.take('prune-tail', pruneTail(now, { size: planning.size, target, window: limits.window }, count));
    if (planning.floor !== undefined) planning.floor = Math.min(planning.floor, planning.size);
    const request = planning.size > limits.window ? summary() : undefined;
    if (request !== undefined) return planning.done(request);
  }
  if (irreducible > limits.trigger) {
    planning.tell(
      'irreducible',
      `what cannot become less (system prompt, tools, the newest prompt, what is pinned) has about ${irreducible} tokens, more than the ${limits.trigger} that a request should have; compacting does not help`,
    );
  }
  if (planning.size > limits.window) {
    planning.tell(
      'over-window',
      `the request has about ${planning.size} tokens, more than the window of ${limits.window}, and nothing more can be let go of; it is sent as it is`,
    );
  }
  return planning.done();
}

function planned(state: PlanState, config: ModelConfig | undefined, options: PlanOptions): CompactionPlan {
  const planning = new Planning(state, config, options);
  const { limits, model } = planning;
  if (planning.memory.asked !== undefined && options.manual !== true) planning.settle(planning.memory.asked);
  if (options.manual === true) return planManual(planning);
  if (limits === undefined) {
    planning.tell(
      'no-window',
      'no context window is declared for this model, so nothing is compacted on its own; declare contextWindow, or ask for a compaction',
    );
    return planning.done();
  }
  if (!model.auto) return planning.done();
  if (planning.size > limits.trigger) return planOverflow(planning, limits);
  // It fits again: the next overflow is another one, and may be told of again.
  planning.floor = undefined;
  planning.told.delete('irreducible');
  planning.told.delete('over-window');
  return planning.done();
}

/**
 * What to do before a request is sent: send `state.messages`, or have a part of them summarised first and plan again.
 *
 * `config` is what is declared of the model, undefined where nothing is; without a window, or with `auto: false`, only
 * `manual` compacts. The plan's state goes into the next call, with the messages added that came since and with `measured` as
 * the provider counted; a count that is none counts as not given, a memory that is damaged as none. Throws E_CONFIG_INVALID for
 * a declaration that does not fit, E_PARAM_INVALID or E_MESSAGE_INVALID for what is no conversation. Mutates nothing. Linear in
 * what is new while the request is below the trigger, else in the whole.
 */
export function planCompaction<M extends WireMessage = Message>(
  state: PlanState<M>,
  config: ModelConfig | undefined,
  options: PlanOptions<M> = {},
): CompactionPlan<M> {
  // Messages are looked at as either wire shape has them; what comes back are the caller's own, or copies with other texts.
  return planned(
    state as unknown as PlanState,
    config,
    options as unknown as PlanOptions,
  ) as unknown as CompactionPlan<M>;
}
