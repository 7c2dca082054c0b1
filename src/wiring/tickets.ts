/** Joins the trackers that the user named, the project's origin, the environment and the cache to those who show tickets. */
import type { Env } from '../platform/env.ts';
import type { TicketAccess } from '../ports/tickets.ts';

export interface TicketPlaces {
  readonly env: Env;
  readonly home: string;
  readonly projectRoot: string;
}

/** The project's tickets. They are off unless the user named the host that the project was cloned from. */
export async function openTickets(places: TicketPlaces, log: (line: string) => void): Promise<TicketAccess> {
  const [{ loadTrackers }, { originOf }] = await Promise.all([
    import('../config/trackers.ts'),
    import('../platform/origin.ts'),
  ]);
  const { env, home, projectRoot } = places;
  const { trackers, isOff } = loadTrackers(places);
  if (trackers.size === 0) return { state: 'off', why: 'no tracker is named in config.json' };
  if (isOff) return { state: 'off', why: "the project's .chitta.json switches them off" };
  const origin = originOf(projectRoot);
  if (origin === undefined) return { state: 'off', why: 'the project has no remote "origin" on a host' };
  const tracker = trackers.get(origin.host);
  if (tracker === undefined) return { state: 'off', why: `config.json names no tracker for ${origin.host}` };
  const [{ forgeSource }, { openTicketCache }] = await Promise.all([
    import('../tickets/forge.ts'),
    import('../tickets/cache.ts'),
  ]);
  const { kind, api, tokenNames } = tracker;
  const tokenName = tokenNames.find((name) => (env[name] ?? '') !== '') ?? tokenNames[0];
  const token = tokenName === undefined ? undefined : env[tokenName] || undefined;
  const source = forgeSource({ kind, api, ...origin, token, tokenName }, { cache: openTicketCache(home, log) });
  return { state: 'on', source };
}
