/** Claude Code transcripts to messages. */
export type { TranscriptMessage } from './names.ts';
export { foreignFormat, HEAD_BYTES, type InputKind, sniff } from './format.ts';
export { type PartLimits, readTranscriptPart, type TranscriptPart } from './part.ts';
export { parseTranscript, type ReadOptions, readTranscript, type Transcript } from './read.ts';
export type { TranscriptStats } from './stats.ts';
