/**
 * SessionStart: the daemon begins to follow the transcript, and what is printed goes into the context: directives and charter when
 * a session begins, what a summary is likely to have lost when it goes on after a compaction.
 */
import { resolve } from 'node:path';
import type { Restored } from '../actions/restore.ts';
import type { EpisodeState } from '../ports/episodes.ts';
import type { StoredDirective } from '../ports/ledger.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import type { SessionState } from '../ports/sessions.ts';
import type { HookApp } from './app.ts';
import { capture } from './capture.ts';
import { within } from './deadline.ts';
import { sizeOf } from './file.ts';
import type { HookInput } from './input.ts';
import { isAgentsCompaction } from './whose.ts';

/** The host saves longer output to a file and shows its first 2 KB. */
const MAX_CHARS = 10_000;
/** Tokens, less what the marks around it and the host's words before it take. */
const HOT_TOKENS = 1_960;
const STORE_MS = 400;
/** After a compaction, from its beginning: when the whole context must have been read, and when what follows is left undone. */
const WHOLE_BY_MS = 2_400;
const NOTED_BY_MS = 3_400;
/** For writing what was not archived yet, and how much of it is read. */
const CAPTURE_MS = 800;
const CAPTURED_BYTES = 4_194_304;
/** More text than this a context does not hold; what is read beyond it would come too late. */
const WHOLE_BYTES = 16_777_216;
/** The end of a context: read at once, whatever the size of the rest. */
const END_BYTES = 4_194_304;
/** The longest that a host takes for a summary. */
const SUMMARY_MS = 900_000;
/** A compaction that was noted as done so short a time ago is the one that is going on: a replacement, which lost nothing. */
const JUST_NOW_MS = 120_000;

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** That rules found in prompts wait for the user; empty if there are none. */
function waitingLine(count: number): string {
  if (count === 0) return '';
  return `\n\n${count === 1 ? 'One proposed directive waits' : `${count} proposed directives wait`} for the user: chitta directives list`;
}

/**
 * The hot context within the host's limit of characters, which bites where tokens are long. What is only proposed is counted in a line
 * behind it, if there is room and something to stand behind.
 */
async function hotText(memory: MemoryDatabase, app: HookApp): Promise<string> {
  const [{ hotContext }, { writeBlock }, { openProposals }, { estimateTokens }] = await Promise.all([
    import('../actions/hot.ts'),
    import('../messages/marks.ts'),
    import('../hot/directives.ts'),
    import('../tokens/text.ts'),
  ]);
  let waiting = '';
  const readDirectives = async (): Promise<readonly StoredDirective[]> => {
    const ledger = await memory.directives(app.project, STORE_MS);
    waiting = waitingLine(openProposals(ledger).length);
    return ledger;
  };
  for (let budget = HOT_TOKENS; budget >= 1; budget = Math.floor(budget * 0.8)) {
    const { text, problems } = await hotContext(
      { focus: '', budget },
      {
        readSession: async () => [],
        readDirectives,
        readCharter: () => app.readUnloadedCharter(),
      },
    );
    for (const problem of problems) app.log(`session-start: ${problem}`);
    if (text === '') return '';
    const block = writeBlock('hot', text);
    if (block.length > MAX_CHARS) continue;
    const hasRoom = estimateTokens(text + waiting) <= HOT_TOKENS && block.length + waiting.length <= MAX_CHARS;
    return hasRoom ? writeBlock('hot', text + waiting) : block;
  }
  return '';
}

/**
 * How far a session was told before it began: one that goes on is the same, a fork has the context of another, most likely the newest
 * of the project. Older hosts call a fork resumed, but its file is not there yet. undefined: it knows nothing.
 */
async function knownBefore(
  session: string,
  path: string | undefined,
  source: string | undefined,
  memory: MemoryDatabase,
  app: HookApp,
): Promise<SessionState | undefined> {
  if (source !== 'resume' && source !== 'fork') return undefined;
  const known = await memory.session(session, STORE_MS);
  if (known !== undefined) return known;
  const isFork = source === 'fork' || path === undefined || (await sizeOf(path)) === undefined;
  return isFork ? memory.newestSession(app.project, session, STORE_MS) : undefined;
}

async function begin(
  session: string,
  path: string | undefined,
  source: string | undefined,
  app: HookApp,
): Promise<string> {
  return app.withMemory(async (memory) => {
    // What it was told stands in its context; what has changed since comes with its next prompt.
    const known = await knownBefore(session, path, source, memory, app).catch(() => undefined);
    const text = known === undefined ? await hotText(memory, app) : '';
    if (app.settings.private) return text;
    try {
      const told = known?.toldDirective ?? (await memory.directives(app.project, STORE_MS)).at(-1)?.id ?? 0;
      await memory.beginSession(session, { project: app.project, transcript: path, toldDirective: told }, STORE_MS);
    } catch (error) {
      app.log(`session-start: error: the session was not noted: ${reason(error)}`);
    }
    return text;
  });
}

/** What of a context is to be given back, and which messages are still in it. */
async function restorationOf(
  path: string,
  session: string,
  app: HookApp,
  {
    memory,
    isLate,
    ...read
  }: {
    readonly last?: number;
    readonly maxBytes: number;
    readonly memory?: MemoryDatabase;
    readonly isLate: () => boolean;
  },
): Promise<Restored> {
  const [{ restoreContext }, { messages }, charter] = await Promise.all([
    import('../actions/restore.ts'),
    app.readTranscript(path, read),
    app.readUnloadedCharter().catch(() => undefined),
  ]);
  const where = { session, project: app.project, charterFile: charter?.file };
  return restoreContext({ messages, ...where, maxChars: MAX_CHARS, deadlineMs: STORE_MS, isLate }, memory);
}

/** The compaction is a sub-agent's, or a replacement that lost nothing. One that PreCompact has guided is neither. */
async function isNothingLost(input: HookInput, newest: EpisodeState | undefined): Promise<boolean> {
  const now = Date.now();
  if (newest?.doneMs !== undefined && now - newest.doneMs < JUST_NOW_MS) return true;
  if (newest?.state === 'proposed' && now - newest.createdMs < SUMMARY_MS) return false;
  return isAgentsCompaction(input);
}

async function restore(session: string, path: string, input: HookInput, app: HookApp): Promise<string> {
  const startedAt = performance.now();
  const leftMs = (until: number): number => until - (performance.now() - startedAt);
  if ((await sizeOf(path)) === undefined) {
    app.log('session-start: no transcript to restore from');
    return '';
  }
  if (app.takeReplaced(session)) return '';
  return app.withMemory(async (memory) => {
    const newest = await memory.newestEpisode(session, STORE_MS).catch(() => undefined);
    if (await isNothingLost(input, newest)) return '';
    const { lastTurns, maxReadBytes } = app.settings;
    // Of a context that is too large for the time, the end is better than nothing.
    const ofEnd = await restorationOf(path, session, app, {
      last: lastTurns,
      maxBytes: Math.min(END_BYTES, maxReadBytes),
      isLate: () => false,
    });
    const maxBytes = Math.min(WHOLE_BYTES, maxReadBytes);
    const isLate = (): boolean => leftMs(WHOLE_BY_MS) <= 0;
    const ofAll = await within(
      leftMs(WHOLE_BY_MS),
      restorationOf(path, session, app, { maxBytes, memory, isLate }).catch((error: unknown) => {
        app.log(`session-start: error: only the end was read: ${reason(error)}`);
        return undefined;
      }),
    );
    const { text, stillThere } = ofAll === undefined || ofAll.text === '' ? ofEnd : ofAll;
    if (app.settings.private) return text;
    const note = async (): Promise<void> => {
      // Before they are noted as gone. What there is no time for, the next event does.
      if (!isLate())
        await capture(input, app, { path, deadlineMs: CAPTURE_MS, maxBytes: CAPTURED_BYTES, isLate }).catch(
          (error: unknown) => app.log(`session-start: error: not archived: ${reason(error)}`),
        );
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
    await within(leftMs(NOTED_BY_MS), noted);
    return text;
  });
}

export async function sessionStart(input: HookInput, app: HookApp): Promise<string> {
  app.keepPluginOptions();
  const { sessionId: session, transcriptPath, source } = input;
  if (session === undefined) return '';
  const path = transcriptPath === undefined ? undefined : resolve(transcriptPath);
  const following = path === undefined || app.settings.private ? undefined : app.follow(path, session);
  if (source === 'compact' && path === undefined) app.log('session-start: no transcript was named');
  const text =
    source === 'compact' && path !== undefined
      ? await restore(session, path, input, app)
      : await begin(session, path, source, app);
  await following;
  return text;
}
