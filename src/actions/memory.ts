/** Looks at single memories, and forgets them. */
import { ChittaError } from '../errors.ts';
import type { Forgotten, Memory } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';

function unknownId(id: number): ChittaError {
  return new ChittaError('E_NOT_FOUND', `there is no memory ${id}`, { hint: 'chitta memory list' });
}

/** A memory by its number, whatever its status or project. Rejects with E_NOT_FOUND, or as the store does. */
export async function memoryById(store: MemoryDatabase, id: number, deadlineMs: number): Promise<Memory> {
  const [memory] = await store.memoriesById([id], deadlineMs);
  if (memory === undefined) throw unknownId(id);
  return memory;
}

/** Removes a memory and its bytes. Rejects with E_NOT_FOUND, or as the store does. */
export async function forgetMemory(store: MemoryDatabase, id: number, deadlineMs: number): Promise<Forgotten> {
  const forgotten = await store.forget(id, deadlineMs);
  if (!forgotten.found) throw unknownId(id);
  return forgotten;
}
