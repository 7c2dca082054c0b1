/** What a compaction answers, as it stands on the wire. Fields only ever grow. */
import type { Action, KeptLines, Reason } from '../compaction/strategy.ts';
import type { Message } from '../messages/types.ts';

export interface CompactStats {
  readonly before_tokens: number;
  readonly after_tokens: number;
  /** Messages let go. */
  readonly dropped: number;
  /** Share of the tokens let go, in percent, one decimal. */
  readonly dropped_pct: number;
  /** True only if vectors really decided, by similarity or by coverage. */
  readonly embedding: boolean;
  /** Messages with a vector, of those that have text. */
  readonly vectors: { readonly used: number; readonly total: number };
  /** What must stay is by itself larger than the budget. */
  readonly over_budget: boolean;
  readonly strategy: string;
  /** Dropped messages that the memory covers (coverage ≥ 0.75). */
  readonly covered: number;
  /** Messages kept in part. */
  readonly excerpted: number;
  /** Of `after_tokens`, what the list of what was dropped takes; 0 without one. */
  readonly pointer_tokens: number;
  /** Memories made of dropped turns; only where `distill_novel` was asked for. */
  readonly distilled?: number;
  /** Of what was let go, the summary that a language model made; only where one was asked for and there was something to summarise. */
  readonly summary?: CompactSummary;
  readonly took_ms: number;
}

/** A summary of dropped messages, which stands in front of what is kept. */
export interface CompactSummary {
  /** Provider and model. */
  readonly model: string;
  /** Dropped messages that it stands for. */
  readonly summarised: number;
  /** Of `after_tokens`, what it takes. */
  readonly tokens: number;
  readonly chunks: number;
  readonly requests: number;
  /** Names and numbers in it, and those that do not stand in what it was made of. */
  readonly checked: number;
  readonly unverified: readonly string[];
  /** `unverified` of `checked`, 0 to 1. */
  readonly unverified_rate: number;
  /** Sections that the model left out. */
  readonly missing_sections: readonly string[];
}

/** Lines of one text that are kept, and the same as `chitta show` numbers them. */
export interface ShownLines extends Omit<KeptLines, 'place'> {
  /** In the turn as it is shown, lines from 1, for `--lines`; not where marks that are not shown would shift them. */
  readonly shown?: {
    readonly lines: readonly (readonly [first: number, last: number])[];
    /** Where the whole text stands. */
    readonly text: readonly [first: number, last: number];
    /** Lines of the turn. */
    readonly of: number;
  };
}

/** Why one message was kept or dropped. */
export interface Decision {
  readonly index: number;
  readonly role: string;
  readonly tokens: number;
  readonly score: number;
  readonly recency: number;
  readonly sim: number;
  readonly coverage: number;
  readonly action: Action;
  readonly reason: Reason;
  /** Brings the message back: `chitta show` finds it by this. */
  readonly handle: string;
  /** Of a message kept in part: the texts that are shortened, and which of their lines are kept (from 0). */
  readonly kept?: readonly ShownLines[];
  /** Names it holds that are most likely needed later: kept with it, or lost with it. Best first; strategy `need` only. */
  readonly names?: readonly string[];
  /** Of a message dropped as covered: the beginning of the memory that holds most of its names, where names decided. */
  readonly covered_by?: string;
}

export interface CompactResult {
  readonly messages: readonly Message[];
  readonly stats: CompactStats;
  readonly decisions?: readonly Decision[];
}
