/** Whose compaction an event is about, where the host does not say. */
import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ContextEnd } from '../session/context-end.ts';
import type { HookInput } from './input.ts';

/** Enough for the newest answer and its results; the host keeps longer results in files of their own. */
const END_BYTES = 524_288;
/** A summary may take minutes, during which the transcript stands still; one that has stood for longer was left by a crash. */
const AT_WORK_MS = 900_000;
const MAX_AGENTS = 12;

async function endOf(path: string, isAgent: boolean): Promise<ContextEnd | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - END_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const { contextEndOf } = await import('../session/context-end.ts');
    return contextEndOf(buffer.toString('utf8', 0, bytesRead).split('\n'), isAgent);
  } finally {
    await file.close();
  }
}

/** Transcripts of sub-agents that were written lately, newest first. */
async function agentsOf(transcript: string): Promise<string[]> {
  const folder = join(dirname(transcript), basename(transcript, '.jsonl'), 'subagents');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const info = await stat(path);
      return { path, isFile: info.isFile(), at: info.mtimeMs };
    }),
  );
  const oldest = Date.now() - AT_WORK_MS;
  return files
    .filter(({ isFile, at }) => isFile && at >= oldest)
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_AGENTS)
    .map(({ path }) => path);
}

/**
 * Whether the compaction that an event is about is a sub-agent's, as far as the transcripts show it; `/compact` is always the main
 * conversation's. False where nothing can be read. Never rejects.
 */
export async function isAgentsCompaction({ trigger, transcriptPath }: HookInput): Promise<boolean> {
  if (trigger === 'manual' || transcriptPath === undefined) return false;
  try {
    // Most sessions have none, and pay for no more than this.
    const agents = await agentsOf(transcriptPath);
    if (agents.length === 0 || !(await stat(transcriptPath)).isFile()) return false;
    const { isCompactionOfAgent, mayBeSilentAboutAgents } = await import('../session/context-end.ts');
    const main = await endOf(transcriptPath, false);
    if (main === undefined || !mayBeSilentAboutAgents(main)) return false;
    const ends = await Promise.all(agents.map((path) => endOf(path, true)));
    return isCompactionOfAgent(
      main,
      ends.filter((end) => end !== undefined),
    );
  } catch {
    // No folder of sub-agents, most often.
    return false;
  }
}
