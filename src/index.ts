/** The library: compaction as a function. Importing it starts nothing, reads nothing and loads no native module. */
export { compactContext, type CompactDeps } from './actions/compact.ts';
export { ChittaError, type ErrorCode } from './errors.ts';
export { assembleHotContext, type FocusEntry, type HotContext, type HotInputs } from './hot/assemble.ts';
export { activeDirectives, type Directive, type DirectiveStatus } from './hot/directives.ts';
export type { Block, Message } from './messages/types.ts';
export type { ArchivedTurn, Episode, MemoryStore } from './ports/memory.ts';
export type { Scorer, ScoreRequest, VectorScores } from './ports/scores.ts';
export type { CompactResult, CompactStats, Decision } from './protocol/compact-result.ts';
export { estimateMessageTokens } from './tokens/message.ts';
export { estimateTokens } from './tokens/text.ts';
export {
  readTranscript,
  type ReadOptions,
  type Transcript,
  type TranscriptMessage,
  type TranscriptStats,
} from './transcript/index.ts';
