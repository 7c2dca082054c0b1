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
