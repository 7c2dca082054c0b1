import { execFileSync } from 'node:child_process';

/** Makes a named pipe, at which a careless reader or writer would wait for ever. Not on Windows. */
export function makePipe(path: string): void {
  execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
}
