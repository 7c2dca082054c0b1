/** What a caller carries from step to step, and what a plan says. */
import type { Message, WireMessage } from '../messages/types.ts';
import type { Limits } from './limits.ts';

/** What a provider counted. */
export interface Measured {
  /** Tokens of its last request with the answer to it, cached ones included: system prompt, tools and messages. */
  readonly tokens: number;
  /** How many of the messages, from the first on, that was. */
  readonly messages: number;
}

/** What is said of a plan once, not at every step. */
export type NoticeCode = 'no-window' | 'irreducible' | 'over-window' | 'too-little';

/** A sentence for whoever watches the harness. */
export interface Notice {
  readonly code: NoticeCode;
  readonly text: string;
}

/** What planning itself has to remember; plain JSON, to be handed back as it is. */
export interface PlanMemory {
  /** Tokens of the largest tool result of this turn. */
  readonly growth: number;
  /** Messages that were looked at for it. */
  readonly seen: number;
  /** A summary was asked for: the size that was planned with, and the estimate of the same messages. */
  readonly asked?: { readonly size: number; readonly estimated: number; readonly messages: number } | undefined;
  /** Size after the last compaction of this overflow. */
  readonly floor?: number | undefined;
  /** Summaries that failed one after the other, and overflows that pass until the next one is asked for. */
  readonly failed?: number | undefined;
  readonly wait?: number | undefined;
  /** How the provider counts, compared with the estimate. */
  readonly rate?: { readonly counted: number; readonly estimated: number } | undefined;
  /** What it counted last, while the messages are the same; and the plan's own size, which looks alike. */
  readonly last?: Measured | undefined;
  readonly own?: Measured | undefined;
  /** What was said already. */
  readonly told: readonly NoticeCode[];
}

/** A request that is about to be sent. `plan.state` is the next one; the caller adds messages, and what the provider counted. */
export interface PlanState<M extends WireMessage = Message> {
  readonly messages: readonly M[];
  /** Tokens of the system prompt and the tools, where they are no messages. Default 0. */
  readonly baseTokens?: number | undefined;
  /** Newer messages are estimated on top. Without it everything is estimated. */
  readonly measured?: Measured | undefined;
  readonly memory?: PlanMemory | undefined;
}

export interface PlanOptions<M extends WireMessage = Message> {
  /** Messages that stay as they are, such as a harness's plan and memory. */
  readonly pinned?: ((message: M) => boolean) | undefined;
  /** Tokens of one message; default: chitta's estimate. */
  readonly countTokens?: ((message: M) => number) | undefined;
  /** Someone asked for a compaction: also where it is switched off, where no window is declared, and below the trigger. */
  readonly manual?: boolean | undefined;
}

/** What is to be summarised: the next messages are `lead`, the summary as one message, `rest`. */
export interface SummaryRequest<M extends WireMessage = Message> {
  /** Leading system messages. */
  readonly lead: readonly M[];
  /** What the summary stands for, in order; an earlier summary is part of it. */
  readonly messages: readonly M[];
  /** What stays as it is: what is pinned, the newest prompt, the tail. */
  readonly rest: readonly M[];
  /** Index in the plan's messages from which on the tail stands; nothing from here on is summarised. */
  readonly upTo: number;
  /** The summary is best no longer than this. */
  readonly maxTokens: number;
  /** The prompt that is being worked on, where it stands before the tail: what the summary is for. */
  readonly prompt: M | undefined;
}

/** What a stage took. */
export interface PlanStage {
  /** `prune`: old tool results outside the tail; `prune-tail`: the last resort. What a summary took, its caller knows. */
  readonly name: 'prune' | 'prune-tail';
  readonly messages: number;
  readonly tokens: number;
}

export interface PlanReport {
  /** Undefined where no window is declared. */
  readonly limits: Limits | undefined;
  /** Tokens of the request as it came, and as it is now. */
  readonly before: number;
  readonly after: number;
  readonly stages: readonly PlanStage[];
  /** Larger than the window, whatever was done. */
  readonly over: boolean;
  /** What cannot become less: base, system messages, the newest prompt, what is pinned. Undefined where nothing was to be done. */
  readonly irreducible?: number | undefined;
}

/**
 * `send`: send `state.messages`. `summarise`: have `summarise.messages` summarised, put the summary in their place, and plan
 * again; if there is no summary, plan again with the messages as they are.
 */
export interface CompactionPlan<M extends WireMessage = Message> {
  readonly action: 'send' | 'summarise';
  readonly summarise?: SummaryRequest<M> | undefined;
  readonly report: PlanReport;
  /** Each is said once in a session, or once for an overflow. */
  readonly notices: readonly Notice[];
  /** The next state. Its messages are the very list that was given if nothing changed. */
  readonly state: PlanState<M>;
}
