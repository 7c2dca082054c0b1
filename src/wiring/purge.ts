/** Joins what keeps texts, or what was made of them, to those who remove it. All imports are lazy. */
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { appendLog } from '../platform/log.ts';
import { projectRoot } from '../platform/project.ts';
import type { PurgePort, PurgeScope } from '../ports/purge.ts';

/** A person waits: another process may be in the middle of a long write. */
const PURGE_MS = 60_000;
const LOGS = ['chitta.log', 'chitta.log.1', 'daemon.log'];
/** Copies of what a tracker holds; which project each is of does not matter, since they are fetched again. */
const COPIES = ['tickets.json'];

/** Removes rows of the database; vectors of all texts, which are made again when they are needed; with everything, the logs. */
export function openPurge(home: string): PurgePort {
  const options = { home, deadlineMs: PURGE_MS, log: (line: string) => appendLog(home, line) };
  return {
    count: async (scope) => (await import('../memory/purge.ts')).countStored(scope, options),
    purge: async (scope) => {
      const { purgeStored } = await import('../memory/purge.ts');
      const purged = await purgeStored(scope, Date.now(), options);
      const vectors = await removeVectors(home);
      const tickets = scope.session === undefined ? removeFiles(home, COPIES) : [];
      const logs = hasBounds(scope) ? [] : removeFiles(home, LOGS);
      return { ...purged, removedFiles: [...purged.removedFiles, ...vectors, ...tickets, ...logs] };
    },
  };
}

/** The key of the project that a folder belongs to; it need not exist any more. */
export function projectOf(cwd: string, folder: string): string {
  return projectRoot(resolve(cwd, folder));
}

/** Removes the cached vector of a text that is gone. A cache that cannot be changed is deleted: it may be, at any time. */
export async function forgetVector(home: string, text: string): Promise<void> {
  const path = join(home, 'vectors.db');
  if (!existsSync(path)) return;
  const [{ openVectorCache }, { prepare }] = await Promise.all([
    import('../embedding/cache.ts'),
    import('../daemon/texts.ts'),
  ]);
  const cache = await openVectorCache({ path });
  const isGone = cache.remove([prepare(text).hash]);
  cache.close();
  if (!isGone) await removeVectors(home);
}

function hasBounds({ session, project, beforeMs }: PurgeScope): boolean {
  return session !== undefined || project !== undefined || beforeMs !== undefined;
}

async function removeVectors(home: string): Promise<string[]> {
  const { discardVectorFile } = await import('../embedding/vector-file.ts');
  const names = ['vectors.db', 'vectors.db-wal', 'vectors.db-shm'].filter((name) => existsSync(join(home, name)));
  if (names.length > 0) discardVectorFile(join(home, 'vectors.db'));
  return names;
}

function removeFiles(home: string, names: readonly string[]): string[] {
  const there = names.filter((name) => existsSync(join(home, name)));
  for (const name of there) rmSync(join(home, name), { force: true });
  return there;
}
