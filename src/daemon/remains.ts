/** What a daemon leaves behind when it has ended: a lock, marks of attempts to start it. */
import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Removes the files of the daemon with that socket, and their folder if nothing else is in it. Never throws. */
export function removeRemains(socket: string): void {
  const folder = dirname(socket);
  const name = basename(socket, '.sock');
  try {
    for (const file of readdirSync(folder).filter((one) => one === name || one.startsWith(`${name}.`))) {
      rmSync(join(folder, file), { force: true });
    }
    rmdirSync(folder);
  } catch {
    // No such folder, or one that serves others as well.
  }
}
