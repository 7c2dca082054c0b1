/**
 * SessionStart: the daemon begins to follow the transcript, and what is printed goes into the context: directives and charter when
 * a session begins, what a summary is likely to have lost when it goes on after a compaction.
 */
import { resolve } from 'node:path';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { HookApp } from './app.ts';
import { capture } from './capture.ts';
import { within } from './deadline.ts';
import { sizeOf } from './file.ts';
import type { HookInput } from './input.ts';

/** The host saves longer output to a file and shows its first 2 KB. */
const MAX_CHARS = 10_000;
/** Tokens, less what the marks around it and the host's words before it take. */
const HOT_TOKENS = 1_960;
const STORE_MS = 400;
/** After a compaction: for what was not archived yet, and for the notes afterwards. */
const CAPTURE_MS = 1_500;
const NOTES_MS = 800;
/** A compaction that was noted as done so short a time ago is the one that is going on: a replacement, which lost nothing. */
const JUST_NOW_MS = 120_000;

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The hot context within the host's limit of characters, which bites where tokens are long. */
async function hotText(memory: MemoryDatabase, app: HookApp): Promise<string> {
  const [{ hotContext }, { writeBlock }] = await Promise.all([
    import('../actions/hot.ts'),
    import('../messages/marks.ts'),
  ]);
  for (let budget = HOT_TOKENS; budget >= 1; budget = Math.floor(budget * 0.8)) {
    const { text, problems } = await hotContext(
      { focus: '', budget },
      {
        readSession: async () => [],
        readDirectives: () => memory.directives(app.project, STORE_MS),
        readCharter: () => app.readUnloadedCharter(),
      },
    );
    for (const problem of problems) app.log(`session-start: ${problem}`);
    if (text === '') return '';
    const block = writeBlock('hot', text);
    if (block.length <= MAX_CHARS) return block;
  }
  return '';
}

async function begin(session: string, path: string | undefined, app: HookApp, isResumed: boolean): Promise<string> {
  return app.withMemory(async (memory) => {
    // A session that goes on has been told before; what has changed since comes with its next prompt.
    if (isResumed && (await memory.session(session, STORE_MS).catch(() => undefined)) !== undefined) return '';
    const text = await hotText(memory, app);
    if (app.settings.private) return text;
    try {
      const ledger = await memory.directives(app.project, STORE_MS);
      const begun = { project: app.project, transcript: path, toldDirective: ledger.at(-1)?.id ?? 0 };
      await memory.beginSession(session, begun, STORE_MS);
    } catch (error) {
      app.log(`session-start: error: the session was not noted: ${reason(error)}`);
    }
    return text;
  });
}

async function restore(session: string, path: string, input: HookInput, app: HookApp): Promise<string> {
  if ((await sizeOf(path)) === undefined) {
    app.log('session-start: no transcript to restore from');
    return '';
  }
  const captured = capture(input, app, { path, deadlineMs: CAPTURE_MS }).catch((error: unknown) =>
    app.log(`session-start: error: not archived: ${reason(error)}`),
  );
  return app.withMemory(async (memory) => {
    const [newest] = await memory.episodes({ session, limit: 1 }, STORE_MS).catch(() => []);
    if (newest?.doneMs !== undefined && Date.now() - newest.doneMs < JUST_NOW_MS) return '';
    const { restoreContext } = await import('../actions/restore.ts');
    const [{ messages }, charter] = await Promise.all([
      app.readTranscript(path, { maxBytes: app.settings.maxReadBytes }),
      app.readUnloadedCharter().catch(() => undefined),
    ]);
    const { text, stillThere } = await restoreContext(
      {
        messages,
        session,
        project: app.project,
        charterFile: charter?.file,
        maxChars: MAX_CHARS,
        deadlineMs: STORE_MS,
      },
      memory,
    );
    if (app.settings.private) return text;
    const note = async (): Promise<void> => {
      await captured;
      // Without a proposal, as where PreCompact was late, the newest episode is of an older compaction.
      if (newest?.state === 'proposed') {
        await memory.finishEpisode(session, STORE_MS);
        await memory.noteEpisode(session, { restored: text }, STORE_MS);
      }
      await memory.leaveContext(session, stillThere, STORE_MS);
      const ledger = await memory.directives(app.project, STORE_MS);
      const begun = { project: app.project, transcript: path, toldDirective: ledger.at(-1)?.id ?? 0 };
      await memory.beginSession(session, begun, STORE_MS);
    };
    const noted = note().catch((error: unknown) => app.log(`session-start: error: not noted: ${reason(error)}`));
    await within(NOTES_MS, noted);
    return text;
  });
}

export async function sessionStart(input: HookInput, app: HookApp): Promise<string> {
  app.keepPluginOptions();
  const { sessionId: session, transcriptPath, source } = input;
  if (session === undefined) return '';
  const path = transcriptPath === undefined ? undefined : resolve(transcriptPath);
  const following = path === undefined || app.settings.private ? undefined : app.follow(path, session);
  const text =
    source === 'compact' && path !== undefined
      ? await restore(session, path, input, app)
      : await begin(session, path, app, source === 'resume');
  await following;
  return text;
}
