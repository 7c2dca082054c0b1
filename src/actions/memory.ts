/** Looks at single memories, notes their use, and forgets them. */
import { ChittaError } from '../errors.ts';
import type { Forgotten, Memory } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { RecallResult } from './recall.ts';

function unknownId(id: number): ChittaError {
  return new ChittaError('E_NOT_FOUND', `there is no memory ${id}`, { hint: 'chitta memory list' });
}

/** A memory by its number, whatever its status or project. Rejects with E_NOT_FOUND, or as the store does. */
export async function memoryById(store: MemoryDatabase, id: number, deadlineMs: number): Promise<Memory> {
  const [memory] = await store.memoriesById([id], deadlineMs);
  if (memory === undefined) throw unknownId(id);
  return memory;
}

/** Such a count is not worth an answer: someone else may have the database for longer. */
const NOTE_MS = 200;

/** Notes that someone asked and was given these; of what chitta learned by itself, the least used is archived first. Never rejects. */
export async function noteFound(
  store: Pick<MemoryDatabase, 'noteUsed'>,
  { found }: Pick<RecallResult, 'found'>,
): Promise<void> {
  const ids = found.flatMap((one) => (one.kind === 'memory' ? [one.memory.id] : []));
  if (ids.length > 0) await store.noteUsed(ids, NOTE_MS).catch(() => undefined);
}

/** Removes a memory and its bytes. Rejects with E_NOT_FOUND, or as the store does. */
export async function forgetMemory(store: MemoryDatabase, id: number, deadlineMs: number): Promise<Forgotten> {
  const forgotten = await store.forget(id, deadlineMs);
  if (!forgotten.found) throw unknownId(id);
  return forgotten;
}
