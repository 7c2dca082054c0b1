/** Reads files that may have been put there by someone else. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The text of a small file, or why there is none: `missing`, or a sentence for people. */
export type SmallFile =
  | { readonly state: 'read'; readonly text: string }
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly reason: string };

/** The message of whatever was thrown, in one line. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

/** The `code` of a Node system error (`ENOENT`), if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Reads a regular file of at most `maxBytes` as UTF-8, without its byte order mark. Never throws, never waits for a writer. */
export function readSmallFile(path: string, maxBytes: number): SmallFile {
  let descriptor: number | undefined;
  try {
    // O_NONBLOCK: a named pipe in a checkout would otherwise hold the process for ever.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { state: 'unreadable', reason: 'it is not a regular file' };
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    while (length <= maxBytes) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (read === 0) break;
      length += read;
    }
    if (length > maxBytes) return { state: 'unreadable', reason: `it is larger than ${maxBytes} bytes` };
    return { state: 'read', text: buffer.toString('utf8', 0, length).replace(/^\uFEFF/, '') };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'missing' };
    return { state: 'unreadable', reason: reasonOf(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
