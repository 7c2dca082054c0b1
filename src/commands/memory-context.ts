/** The memory for one command. */
import type { RecallRequest, RecallResult } from '../actions/recall.ts';
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

/** Finds in the project what a person asks for, and notes that it was of use. */
export async function recallNoted(
  ctx: CommandContext,
  request: Pick<RecallRequest, 'query' | 'limit' | 'memoriesOnly'>,
): Promise<RecallResult> {
  const [{ recall }, { noteFound }] = await Promise.all([
    import('../actions/recall.ts'),
    import('../actions/memory.ts'),
  ]);
  return withMemory(ctx, async (store, { project, findSimilar, findSimilarTurns, settings }) => {
    const asked = { ...request, project, deadlineMs: COMMAND_MS };
    const recalled = await recall(store, asked, findSimilar, findSimilarTurns);
    if (!settings.private) await noteFound(store, recalled);
    return recalled;
  });
}
