/** The versions of Claude Code that are driven, as `npm run test:e2e` found or installed them. */
import { describe } from 'vitest';

export interface Host {
  readonly version: string;
  readonly path: string;
  /** The newest of those that are driven: the one that most scenarios are told with on every build. */
  readonly isNewest: boolean;
}

interface Listed {
  readonly version: string;
  readonly path?: string;
  /** Why it is not there. */
  readonly missing?: string;
}

function listed(): Listed[] {
  const list = process.env['CHITTA_E2E_HOSTS'];
  if (list === undefined) return [{ version: '', missing: 'start with `npm run test:e2e`' }];
  // Written by scripts/test-e2e.mjs.
  return JSON.parse(list) as Listed[];
}

const network = process.env['CHITTA_E2E_NETWORK'] ?? 'not cut off';

/** Vitest tags of a scenario that is told on every build: with every version, or only with the newest. */
export function onBuilds(host: Host, versions: 'all' | 'newest' = 'newest'): { tags: string[] } {
  return { tags: versions === 'all' || host.isNewest ? ['ci'] : [] };
}

/**
 * For scenarios in which chitta must keep a deadline to be seen: on a machine that is too busy it gives way, as it should,
 * and they are told again. Replacing a context must be decided within 4 seconds.
 */
export const WITH_TIME: { readonly retry: number } = { retry: 3 };

/** The same scenarios with each version; with a reason in their name where one is not there. */
export function withEachHost(scenarios: (host: Host) => void): void {
  listed().forEach(({ version, path, missing }, index) => {
    const name = `Claude Code ${version}, network ${network}`;
    const host: Host = { version, path: path ?? '', isNewest: index === 0 };
    const reason = path === undefined ? ` (skipped: ${missing})` : '';
    describe.skipIf(path === undefined)(`${name}${reason}`, () => {
      scenarios(host);
    });
  });
}
