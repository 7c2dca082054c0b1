/** The library: what fits into a context, as functions. Importing it starts nothing, reads nothing and loads no native module. */
export { type AutoSummaryOptions, summarizeIfCritical } from './actions/auto-summary.ts';
export { compactContext, type CompactDeps } from './actions/compact.ts';
export { summarize, type SummarizeOptions } from './actions/summarize.ts';
export { ChittaError, type ErrorCode } from './errors.ts';
export { assembleHotContext, type FocusEntry, type HotContext, type HotInputs } from './hot/assemble.ts';
export { activeDirectives, type Directive, type DirectiveStatus } from './hot/directives.ts';
export type { Block, Message } from './messages/types.ts';
export type { ModelConfig } from './planning/model.ts';
export { planCompaction } from './planning/plan.ts';
export type {
  CompactionPlan,
  Measured,
  Notice,
  PlanMemory,
  PlanOptions,
  PlanReport,
  PlanState,
  SummaryRequest,
} from './planning/state.ts';
export type { ChatAnswer, ChatModel, ChatRequest } from './ports/chat-model.ts';
export type { Episode } from './ports/episodes.ts';
export type { MemoryStore } from './ports/memory.ts';
export type { ArchivedTurn } from './ports/turns.ts';
export type { Scorer, ScoreRequest, VectorScores } from './ports/scores.ts';
export type { CompactResult, CompactStats, Decision } from './protocol/compact-result.ts';
export { measureBase } from './shaping/budget.ts';
export { capToolResult, type CapOptions } from './shaping/cap.ts';
export { enforceToolRoundTrips, type RoundTripOptions, type RoundTripReport } from './shaping/round-trips.ts';
export { type Shaped, shapeRequest, type ShapeOptions, type ShapeReport, type ShapeState } from './shaping/shape.ts';
export type { CompactionEvent } from './summarize/events.ts';
export type { SummaryReport, SummaryResult } from './summarize/report.ts';
export { estimateMessageTokens } from './tokens/message.ts';
export { estimateTokens } from './tokens/text.ts';
export {
  readTranscript,
  type ReadOptions,
  type Transcript,
  type TranscriptMessage,
  type TranscriptStats,
} from './transcript/index.ts';
