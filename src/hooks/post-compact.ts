/**
 * PostCompact: the host has its summary. What it lost of the names and constraints in use is noted with the episode, for
 * `chitta why` and for the next prompt. Nothing is printed: after `/compact` it would stay in the context.
 */
import type { HookApp } from './app.ts';
import { problemWith, sizeOf } from './file.ts';
import type { HookInput } from './input.ts';

const STORE_MS = 500;
/** An episode that was done longer ago is of an older compaction. */
const JUST_NOW_MS = 120_000;

export async function postCompact(input: HookInput, app: HookApp): Promise<string> {
  const { sessionId: session, transcriptPath: path, compactSummary: summary } = input;
  const problem = session === undefined ? 'no session was named' : await problemWith(path);
  if (problem !== undefined) app.log(`post-compact: ${problem}`);
  if (session === undefined || app.settings.private) return '';
  await app.withMemory(async (memory) => {
    await memory.finishEpisode(session, STORE_MS);
    const [newest] = await memory.episodes({ session, limit: 1 }, STORE_MS);
    if (newest?.doneMs === undefined || Date.now() - newest.doneMs > JUST_NOW_MS) return;
    // Without a summary the compaction was a replacement: nothing was put into other words.
    if (summary === undefined || path === undefined || (await sizeOf(path)) === undefined) return;
    const { auditTranscript } = await import('../actions/audit.ts');
    const { messages } = await app.readTranscript(path, { maxBytes: app.settings.maxReadBytes });
    await memory.noteEpisode(session, { audit: auditTranscript(messages, summary) }, STORE_MS);
  });
  return '';
}
