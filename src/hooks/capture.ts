/**
 * Stop, SubagentStop, SessionEnd: what was said since the last time is archived, and nothing is printed. What one of them does not
 * get done, the next does.
 */
import { resolve } from 'node:path';
import type { HookApp } from './app.ts';
import { problemWith, sizeOf } from './file.ts';
import type { HookInput } from './input.ts';

/**
 * Stop and SubagentStop run beside the session; another process may hold the database for a while. Less than what the store takes for
 * the time of somebody who waits for any repair: of a large database that takes minutes.
 */
const WRITE_MS = 4_900;
/** How long such an event takes up another part of what the transcript has gained. */
const PARTS_MS = 12_000;
/** For deleting what is beyond the limits of the archive; what is left of it, the next event deletes. */
const TRIM_MS = 2_000;
const DAY_MS = 86_400_000;
/** At the end of a session there are 1.5 s in all, so that the database is only asked how far its transcript was read. */
const SPOOL_MS = 300;
/** More than this is not read, masked and written in that time, on a busy machine. */
const SPOOLED_BYTES = 524_288;

interface Captured {
  readonly path: string;
  readonly agent?: string;
  readonly deadlineMs: number;
  readonly when?: 'now' | 'later';
  /** No more than so much of the end is read; what stands before it is left to the next event. */
  readonly maxBytes?: number;
  /** Asked before each further part. */
  readonly isLate?: () => boolean;
}

function lateAfter(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() > until;
}

/** Archives a transcript of the session; answers whether that was all. A private session is not archived. Rejects as the store does. */
export async function capture({ sessionId: session }: HookInput, app: HookApp, captured: Captured): Promise<boolean> {
  if (session === undefined || app.settings.private) return true;
  const { captureTranscript } = await import('../actions/capture.ts');
  const { path, ...rest } = captured;
  return app.withMemory((store) =>
    captureTranscript(
      { transcriptPath: resolve(path), session, project: app.project, learn: app.settings.learn, ...rest },
      { store, readPart: (file, from, limits) => app.readTranscriptPart(file, from, limits) },
    ),
  );
}

/** Whether an event names what is needed; if not, the log says so. */
async function isCapturable(
  name: string,
  { sessionId }: HookInput,
  path: string | undefined,
  app: HookApp,
): Promise<boolean> {
  const problem = sessionId === undefined ? 'no session was named' : await problemWith(path);
  if (problem !== undefined) app.log(`${name}: ${problem}`);
  return problem === undefined;
}

export async function stop(input: HookInput, app: HookApp): Promise<string> {
  const { transcriptPath: path } = input;
  if ((await isCapturable('stop', input, path, app)) && path !== undefined)
    await capture(input, app, { path, deadlineMs: WRITE_MS, isLate: lateAfter(PARTS_MS) });
  await keepToLimits(app);
  return '';
}

/** Deletes archived turns beyond the limits that a person set; there are none by default. */
async function keepToLimits(app: HookApp): Promise<void> {
  const { archiveMaxDays: days, archiveMaxMb: megabytes } = app.settings;
  if (days === 0 && megabytes === 0) return;
  const limits = {
    beforeMs: days === 0 ? undefined : Date.now() - days * DAY_MS,
    maxBytes: megabytes === 0 ? undefined : megabytes * 1_000_000,
  };
  await app.withMemory((memory) => memory.trimArchive(limits, TRIM_MS));
}

/** A sub-agent has a transcript of its own; its turns are kept under the session's id and its own. */
export async function subagentStop(input: HookInput, app: HookApp): Promise<string> {
  const { agentTranscriptPath: path, agentId: agent } = input;
  if (!(await isCapturable('subagent-stop', input, path, app))) return '';
  if (path !== undefined && agent !== undefined)
    await capture(input, app, { path, agent, deadlineMs: WRITE_MS, isLate: lateAfter(PARTS_MS) });
  return '';
}

/** Whether a session's transcript has gained more than can be spooled in time. Nothing is asked of the database for a small one. */
async function hasGainedMuch(path: string, session: string, app: HookApp): Promise<boolean> {
  const size = (await sizeOf(path)) ?? 0;
  if (size <= SPOOLED_BYTES) return false;
  const known = await app.withMemory((memory) => memory.session(session, SPOOL_MS)).catch(() => undefined);
  return size - (known?.transcript === path ? known.archivedBytes : 0) > SPOOLED_BYTES;
}

export async function sessionEnd(input: HookInput, app: HookApp): Promise<string> {
  const { transcriptPath, sessionId: session } = input;
  if (!(await isCapturable('session-end', input, transcriptPath, app))) return '';
  if (transcriptPath === undefined || session === undefined || app.settings.private) return '';
  const path = resolve(transcriptPath);
  const isSpooled =
    !(await hasGainedMuch(path, session, app)) &&
    (await capture(input, app, { path, deadlineMs: SPOOL_MS, when: 'later' }));
  // There may be no next event.
  if (!isSpooled) await app.captureBeside(path, session);
  await app.follow(path, session, true);
  return '';
}
