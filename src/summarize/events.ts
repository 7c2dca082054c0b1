/** What a front end is told while a summary is made. */

/** `chunk`: a part of the conversation is summarised; `combine`: summaries of parts are; `verify`: the result is checked. */
export type SummaryStage = 'chunk' | 'combine' | 'verify';

export type CompactionEvent =
  | {
      readonly type: 'started';
      readonly model: string;
      /** Messages to be summarised, what they weigh, and in how many parts they are asked about. */
      readonly messages: number;
      readonly tokens: number;
      readonly chunks: number;
    }
  /** `done` of `total` requests of this stage are answered. */
  | { readonly type: 'stage'; readonly stage: SummaryStage; readonly done: number; readonly total: number }
  /** `freed`: tokens. `reused`: a stored summary still fits, and no model was asked. */
  | { readonly type: 'done'; readonly messages: number; readonly freed: number; readonly reused: boolean }
  /** Nothing was changed. */
  | { readonly type: 'failed'; readonly reason: string; readonly cancelled: boolean };
