/** Removes what is stored: what that means to a person, and in which order. */
import { ChittaError } from '../errors.ts';
import type { Purged, PurgePort, PurgeScope } from '../ports/purge.ts';

export interface PurgeAsked {
  readonly all?: boolean | undefined;
  readonly session?: string | undefined;
  readonly project?: string | undefined;
  /** Milliseconds. */
  readonly olderThanMs?: number | undefined;
}

/** The scope that was asked for. Throws E_USAGE if nothing was, or an empty session. */
export function scopeOf({ all, session, project, olderThanMs }: PurgeAsked, nowMs: number): PurgeScope {
  if (session === '') throw new ChittaError('E_USAGE', 'the session has no id', { hint: 'chitta episodes --json' });
  if (all !== true && session === undefined && project === undefined && olderThanMs === undefined) {
    throw new ChittaError('E_USAGE', 'say what to remove: --session, --project, --all or --older-than', {
      hint: 'chitta purge --help',
    });
  }
  return { session, project, beforeMs: olderThanMs === undefined ? undefined : nowMs - olderThanMs };
}

/**
 * Ends the daemon, which holds the database open and keeps vectors, then removes what is in scope. A daemon that does not end is told of
 * and is no reason to keep anything. Rejects as the store does.
 */
export async function purge(
  port: PurgePort,
  scope: PurgeScope,
  { stopDaemon, onWarning }: { stopDaemon: () => Promise<void>; onWarning: (text: string) => void },
): Promise<Purged> {
  try {
    await stopDaemon();
  } catch (error) {
    onWarning(error instanceof Error ? error.message : String(error));
  }
  return port.purge(scope);
}
