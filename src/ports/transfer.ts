/** What is taken over from another store, one thing at a time. */
import type { PortedMemory } from './memories.ts';
import type { ArchivedTurn } from './turns.ts';

export interface ImportEntry {
  /** Where it stands, for people: `line 3`, `observation 12`. */
  readonly at: string;
  readonly memory?: PortedMemory;
  /** Number by which other entries name this memory, and the number of the one that took its place. */
  readonly number?: number | undefined;
  readonly supersededBy?: number | undefined;
  readonly turns?: readonly ArchivedTurn[];
  /** Why it cannot be read. */
  readonly problem?: string;
  /** It belongs to another project, and is left where it is. */
  readonly elsewhere?: true;
}

export const FOREIGN_SOURCES = ['claude-mem', 'episodic-memory', 'markdown', 'claude-md'] as const;
export type ForeignSource = (typeof FOREIGN_SOURCES)[number];
