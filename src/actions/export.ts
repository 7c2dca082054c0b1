/** Memories as lines for a file: a header, then one JSON object each, oldest first. The same memories give the same bytes. */
import type { Memory, MemoryQuery } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';

/** What the first line says; the version grows when a reader of an older one would read something wrong. */
export const EXPORT_FORMAT = 'chitta-memories';
export const EXPORT_VERSION = 1;

type Json = Record<string, unknown>;

/** The latest moment that a date can hold. */
const LATEST_MS = 8.64e15;

function isoOf(ms: number): string {
  return new Date(Math.min(ms, LATEST_MS)).toISOString();
}

/** Ids differ from store to store: a memory goes by its place in the file. What superseded it may be out of scope. */
function rowOf(memory: Memory, number: number, places: ReadonlyMap<number, number>): Json {
  const { supersededBy, quote, topic, confidence, uses, usedMs, imported } = memory;
  return {
    n: number,
    kind: memory.kind,
    text: memory.text,
    project: memory.project ?? null,
    session: memory.session ?? null,
    origin: memory.origin,
    source_ids: memory.sourceIds,
    status: memory.status,
    superseded_by: (supersededBy === undefined ? undefined : places.get(supersededBy)) ?? null,
    created: isoOf(memory.createdMs),
    quote: quote ?? null,
    topic: topic ?? null,
    confidence: confidence ?? null,
    uses: uses ?? 0,
    used: usedMs === undefined ? null : isoOf(usedMs),
    imported: imported ?? null,
  };
}

/** The header and every memory in scope, whatever its status. Rejects as the store does. */
export async function exportMemories(
  store: Pick<MemoryDatabase, 'allMemories'>,
  project: MemoryQuery['project'],
  deadlineMs: number,
): Promise<Json[]> {
  const memories = await store.allMemories(project, deadlineMs);
  const places = new Map(memories.map(({ id }, index) => [id, index + 1]));
  return [
    { format: EXPORT_FORMAT, version: EXPORT_VERSION },
    ...memories.map((memory, index) => rowOf(memory, index + 1, places)),
  ];
}
