/** What the commands about memory need of the application. */
import type { FindInTranscript } from '../actions/show.ts';
import type { FindSimilar } from '../actions/recall.ts';
import type { App } from '../app.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { CommandContext } from './context.ts';

/** A person waits; a hook would not. */
export const COMMAND_MS = 5_000;

export interface MemoryApp extends App {
  /** The database of the home; nothing is opened before its first call. */
  openMemory(): Promise<MemoryDatabase>;
  /** Memories by meaning, where the daemon is up. */
  findSimilar?: FindSimilar;
  /** Looks through `file`, else through the newest transcript of the project. */
  findInTranscript?(file: string | undefined): FindInTranscript;
}

/** The context with an application that has a memory. */
export interface MemoryContext extends CommandContext {
  openApp(): Promise<MemoryApp>;
}

/** Opens the memory, lets `work` use it, and closes it again. */
export async function withMemory<T>(
  ctx: MemoryContext,
  work: (memory: MemoryDatabase, app: MemoryApp) => Promise<T>,
): Promise<T> {
  const app = await ctx.openApp();
  const memory = await app.openMemory();
  try {
    return await work(memory, app);
  } finally {
    memory.close();
  }
}
