/** Opens the memory for one command. */
import type { App } from '../app.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { CommandContext } from './context.ts';

/** A person waits; a hook would not. */
export const COMMAND_MS = 5_000;

/** Opens the memory, lets `work` use it, and closes it again. */
export async function withMemory<T>(
  ctx: CommandContext,
  work: (memory: MemoryDatabase, app: App) => Promise<T>,
): Promise<T> {
  const app = await ctx.openApp();
  const memory = await app.openMemory();
  try {
    return await work(memory, app);
  } finally {
    memory.close();
  }
}
