/** What daemons have left whose home or model is gone: a lock, a mark of an attempt, a socket after a kill. Nobody else would remove it. */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from './lock.ts';
import type { Endpoint } from './places.ts';

/** Every start touches the lock; one that was not for so long belongs to a home that nobody uses. */
const OLD_MS = 30 * 24 * 3_600_000;
/** Of one folder at one start. */
const MOST = 32;
/** Names as `endpointOf` and those who begin with them make them. */
const OURS = /^(d\d+-[0-9a-f]{8}-[0-9a-f]{8}(?:-[0-9a-f]{8})?)\.(?:sock|new|start-\d+|lock(?:-\d+|-journal)?)$/;

/** Removes the files of other daemons that were not started for a month and do not run. Never throws. */
export async function sweepOld({ folder, name: own }: Endpoint, nowMs: number): Promise<void> {
  try {
    const files = new Map<string, string[]>();
    for (const file of readdirSync(folder)) {
      const name = OURS.exec(file)?.[1];
      if (name !== undefined && name !== own) files.set(name, [...(files.get(name) ?? []), file]);
    }
    const isOld = (file: string): boolean => nowMs - lstatSync(join(folder, file)).mtimeMs > OLD_MS;
    const old = [...files].filter(([, names]) => names.every(isOld)).slice(0, MOST);
    for (const [name, names] of old) {
      // Also the only way to see that none of them runs.
      const lock = await takeLock(join(folder, `${name}.lock`));
      if (lock.state !== 'held') continue;
      for (const file of names) rmSync(join(folder, file), { force: true });
      rmSync(join(folder, `${name}.lock`), { force: true });
      lock.release();
    }
  } catch {
    // Another one sweeps too, or the folder is not what it should be; there will be another start.
  }
}
