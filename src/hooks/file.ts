/** Files that an event names. */
import { stat } from 'node:fs/promises';

/**
 * Bytes of a file; undefined if there is none. Regular files only: a pipe or a device would be read for ever, and some hosts name a
 * file that is never written.
 */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const info = await stat(path);
    return info.isFile() ? info.size : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Why nothing can be read at the path that an event names; undefined if it is a regular file. A file that is not there is no
 * problem: a session without persistence names one that is never written.
 */
export async function problemWith(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return 'no transcript was named';
  try {
    const info = await stat(path);
    return info.isFile() ? undefined : `the transcript is ${info.isDirectory() ? 'a folder' : 'no regular file'}`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : `the transcript cannot be read: ${code}`;
  }
}
