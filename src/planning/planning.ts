/** What is known of one request while it is planned: its size, what was done to it, and what has to be remembered. */
import { parseMessages } from '../messages/parse.ts';
import type { Message } from '../messages/types.ts';
import { checkedCounter } from '../tokens/counter.ts';
import { estimateMessageTokens } from '../tokens/message.ts';
import { checkedState } from './check.ts';
import { growthOf, hasEnded } from './growth.ts';
import { type Limits, limitsOf } from './limits.ts';
import { type ModelConfig, resolveModel, type ResolvedModel } from './model.ts';
import type { Pruned } from './prune.ts';
import { learn, scaleOf } from './rate.ts';
import { type Count, countAll } from './sheet.ts';
import type {
  CompactionPlan,
  Notice,
  NoticeCode,
  PlanMemory,
  PlanOptions,
  PlanStage,
  PlanState,
  SummaryRequest,
} from './state.ts';

const START: PlanMemory = { growth: 0, seen: 0, told: [] };
/** A summary that frees less has failed. */
export const LEAST_SUMMARY_TOKENS = 256;
/** After a summary that failed, so many overflows pass before the next one is asked for: 1, 2, 4, … */
const MOST_WAIT = 64;

/** Tokens of the request that is about to be sent: as counted, with what came since on top. */
function sizeOf({ messages, baseTokens = 0, measured, memory }: PlanState, count: Count): number {
  const asked = memory?.asked;
  // After a summary nothing has been counted yet: what changed is estimated.
  if (asked !== undefined && measured?.tokens === asked.size && measured.messages === asked.messages) {
    // A count may be lower than the estimate of what is gone since.
    return Math.max(0, asked.size - asked.estimated + countAll(messages, count));
  }
  if (measured !== undefined && measured.messages <= messages.length) {
    return measured.tokens + countAll(messages.slice(measured.messages), count);
  }
  return baseTokens + countAll(messages, count);
}

/** What is known once and used by all stages. */
export class Planning {
  readonly state: PlanState;
  readonly options: PlanOptions;
  readonly model: ResolvedModel;
  readonly count: Count;
  readonly memory: PlanMemory;
  readonly limits: Limits | undefined;
  readonly before: number;
  readonly stages: PlanStage[] = [];
  readonly notices: Notice[] = [];
  readonly told: Set<NoticeCode>;
  messages: readonly Message[];
  size: number;
  floor: number | undefined;
  failed: number;
  wait: number;
  irreducible: number | undefined;

  constructor(given: PlanState, config: ModelConfig | undefined, options: PlanOptions) {
    const state = checkedState(given);
    const memory = state.memory ?? START;
    this.state = state;
    this.options = options;
    this.model = resolveModel(config ?? {});
    const { rate, last } = learn(state, memory);
    const scale = scaleOf(rate);
    // A caller's own counter knows how the model counts.
    this.count =
      options.countTokens === undefined
        ? (message) => Math.ceil(estimateMessageTokens(message) * scale)
        : checkedCounter(options.countTokens);
    this.messages = state.messages;
    // After a compaction there are fewer messages, but the turn goes on. Fewer for another reason: all are looked at again.
    const known = state.messages.length >= memory.seen || memory.asked !== undefined;
    const seen = known ? Math.min(memory.seen, state.messages.length) : 0;
    parseMessages(state.messages, seen);
    const growth = growthOf(state.messages, { largest: known ? memory.growth : 0, seen }, this.count);
    this.memory = { ...memory, growth: growth.largest, rate, last };
    this.limits = limitsOf(this.model, hasEnded(state.messages) ? 0 : growth.largest);
    this.before = sizeOf(state, this.count);
    this.size = this.before;
    this.floor = memory.floor;
    this.failed = memory.failed ?? 0;
    this.wait = memory.wait ?? 0;
    this.told = new Set(memory.told);
  }

  tell(code: NoticeCode, text: string): void {
    if (!this.told.has(code)) this.notices.push({ code, text });
    this.told.add(code);
  }

  /** Looks at what came of the summary that was asked for. */
  settle({ size }: NonNullable<PlanMemory['asked']>): void {
    this.floor = this.size;
    const hasFailed = size - this.size < LEAST_SUMMARY_TOKENS;
    this.failed = hasFailed ? this.failed + 1 : 0;
    this.wait = hasFailed ? Math.min(2 ** (this.failed - 1), MOST_WAIT) : 0;
  }

  take(name: PlanStage['name'], { messages, changed, freed }: Pruned): void {
    if (changed === 0) return;
    this.messages = messages;
    // As above.
    this.size = Math.max(0, this.size - freed);
    this.stages.push({ name, messages: changed, tokens: freed });
  }

  /** The plan: what is to be summarised, or nothing. */
  done(summarise?: SummaryRequest): CompactionPlan {
    const { limits, before, size, stages, notices, messages, state, memory } = this;
    const { length } = messages;
    const asked =
      summarise === undefined ? undefined : { size, estimated: countAll(messages, this.count), messages: length };
    return {
      action: summarise === undefined ? 'send' : 'summarise',
      summarise,
      report: {
        limits,
        before,
        after: size,
        stages,
        over: limits !== undefined && size > limits.window,
        irreducible: this.irreducible,
      },
      notices,
      state: {
        ...state,
        messages,
        measured: { tokens: size, messages: length },
        memory: {
          growth: memory.growth,
          seen: length,
          rate: memory.rate,
          // What a provider counted of messages that are others now says nothing about those that come.
          last: messages === state.messages && summarise === undefined ? memory.last : undefined,
          own: { tokens: size, messages: length },
          asked,
          floor: this.floor,
          failed: this.failed,
          wait: this.wait,
          told: [...this.told],
        },
      },
    };
  }
}
