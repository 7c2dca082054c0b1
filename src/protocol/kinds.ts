/** Kinds of memory, for the command line, JSON-RPC and MCP alike. No validator in here: help loads it. */
import type { MemoryKind } from '../ports/memories.ts';

/** Kinds of memory that may be stored on purpose; the others are chitta's own. The first is the default. */
export const KINDS: readonly [MemoryKind, ...MemoryKind[]] = ['fact', 'preference', 'decision', 'correction'];
