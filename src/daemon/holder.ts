/** Who holds the lock, for a person: a daemon that is there and does not answer has to be woken or ended by hand. */
import { readFileSync, statSync } from 'node:fs';
import { takeLock } from './lock.ts';

/** Locks on files as Linux lists them: `1: POSIX  ADVISORY  WRITE 4711 fe:00:131073 0 EOF`. */
const HELD = /^\d+: POSIX +ADVISORY +WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /gm;

/** The process with a lock on a file, by the kernel's word; undefined where it does not say, or says more than one. */
function processOf(path: string): string | undefined {
  try {
    const { ino } = statSync(path);
    const held = [...readFileSync('/proc/locks', 'utf8').matchAll(HELD)].filter(([, , inode]) => inode === String(ino));
    const pids = new Set(held.map(([, pid]) => pid));
    const [pid] = pids;
    // 0: a process of another container.
    return pids.size === 1 && pid !== '0' ? pid : undefined;
  } catch {
    // Not Linux, or the file is gone.
    return undefined;
  }
}

/** What is known of whoever holds a lock and does not answer, with what can be done; undefined if the lock is free. Never throws. */
export async function silentHolder(path: string): Promise<string | undefined> {
  const lock = await takeLock(path);
  if (lock.state === 'held') lock.release();
  if (lock.state !== 'busy') return undefined;
  const pid = processOf(path);
  if (pid === undefined) return `another daemon holds the lock and does not answer (its process: lsof -t '${path}')`;
  const help = `kill -CONT ${pid} wakes it if it was stopped, kill -KILL ${pid} ends it`;
  return `another daemon, process ${pid}, holds the lock and does not answer (${help})`;
}
