/**
 * PreCompact: the host is about to have its context summarised, and hands our standard output to the summariser as
 * additional instructions. Plain text only: a JSON object would be shown as it is, or make the hook fail.
 */
import { resolve } from 'node:path';
import type { Message } from '../messages/types.ts';
import type { CompactParams } from '../protocol/compact-params.ts';
import type { Episode } from '../ports/episodes.ts';
import type { CompactResult, CompactStats } from '../protocol/compact-result.ts';
import { sizeOf } from './file.ts';
import type { HookInput } from './input.ts';

/** The host cuts longer output. */
const MAX_AUTO_CHARS = 10_000;
/** After `/compact` the same text is repeated in the context and stays there. */
const MAX_MANUAL_CHARS = 1_500;

/** For vectors and the archive, each; the rest of the hook's time is for reading and writing. */
const WORK_MS = 1_500;
const EPISODE_MS = 300;

/** What this hook needs of the application. */
export interface GuideApp {
  readonly settings: { readonly lastTurns: number; readonly maxReadBytes: number; readonly targetRatio: number };
  readTranscript(
    path: string,
    options: { last: number; maxBytes: number },
  ): Promise<{ readonly messages: readonly Message[] }>;
  compact(
    params: CompactParams,
    options: { readonly session: string | undefined; readonly deadlineMs: number },
  ): Promise<CompactResult>;
  recordEpisode(episode: Omit<Episode, 'project'>, deadlineMs: number): Promise<void>;
  log(line: string): void;
}

/** As proposed: the host may still not compact. Without this line of history nothing is lost, so a failure is only logged. */
async function recordEpisode(
  stats: CompactStats,
  where: Pick<Episode, 'lastUuid' | 'transcript' | 'transcriptBytes' | 'decisions'>,
  input: HookInput,
  app: GuideApp,
): Promise<void> {
  const episode: Omit<Episode, 'project'> = {
    session: input.sessionId,
    ...where,
    state: 'proposed',
    trigger: input.trigger ?? 'unknown',
    strategy: stats.strategy,
    beforeTokens: stats.before_tokens,
    afterTokens: stats.after_tokens,
    dropped: stats.dropped,
    covered: stats.covered,
    embedding: stats.embedding,
    tookMs: stats.took_ms,
  };
  await app.recordEpisode(episode, EPISODE_MS).catch((error: unknown) => {
    app.log(`pre-compact: error: no episode was recorded: ${error instanceof Error ? error.message : String(error)}`);
  });
}

/** Instructions for the summariser, or nothing when there is no transcript to draw them from. */
export async function preCompact(input: HookInput, app: GuideApp): Promise<string> {
  const { transcriptPath } = input;
  // Asked first: what is written meanwhile may not have been seen.
  const transcriptBytes = transcriptPath === undefined ? undefined : await sizeOf(transcriptPath);
  if (transcriptPath === undefined || transcriptBytes === undefined) {
    app.log('pre-compact: no transcript to read');
    return '';
  }
  const { lastTurns: last, maxReadBytes: maxBytes, targetRatio } = app.settings;
  const { guideSummary } = await import('../actions/guide.ts');
  const { text, stats, decisions, lastUuid } = await guideSummary(
    {
      transcriptPath,
      focus: input.customInstructions,
      // A trigger that is not known may be of the kind whose text stays: the smaller cap.
      maxChars: input.trigger === 'auto' ? MAX_AUTO_CHARS : MAX_MANUAL_CHARS,
      targetRatio,
    },
    {
      readTranscript: async (path) => app.readTranscript(path, { last, maxBytes }),
      compact: async (params) => app.compact(params, { session: input.sessionId, deadlineMs: WORK_MS }),
    },
  );
  if (stats !== undefined) {
    const where = { lastUuid, transcript: resolve(transcriptPath), transcriptBytes, decisions };
    await recordEpisode(stats, where, input, app);
  }
  return text;
}
