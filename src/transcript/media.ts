/** Which messages of a transcript hold images or documents: asked where a host hands over its context without them. */
import { open, stat } from 'node:fs/promises';
import { viewOf } from '../messages/view.ts';
import { contentOf } from './content.ts';
import { linesForward } from './lines.ts';

/** What a row with an image or a document has in it, whatever else. */
const SIGNS = ['"type":"image"', '"type":"document"'];

interface Row {
  readonly type?: unknown;
  readonly uuid?: unknown;
  readonly message?: { readonly content?: unknown } | null;
}

/** Uuid and count of media of a line that is a message of the user; undefined for every other. */
function mediaOf(line: Buffer): readonly [uuid: string, count: number] | undefined {
  // Copies of requests repeat every image, and are no messages.
  if (!line.includes('"type":"user"') || !SIGNS.some((sign) => line.includes(sign))) return undefined;
  try {
    // Whatever it is, every field that is read of it is checked.
    const row = JSON.parse(line.toString('utf8')) as Row | null;
    const content = row?.type === 'user' ? contentOf(row.message?.content)?.content : undefined;
    if (content === undefined || typeof row?.uuid !== 'string') return undefined;
    const { mediaCount } = viewOf({ role: 'user', content });
    return mediaCount === 0 ? undefined : [row.uuid, mediaCount];
  } catch {
    // Half a line, or one that is nested without end.
    return undefined;
  }
}

/** How many images and documents each message of the user holds, by uuid, in the last `maxBytes`. Rejects as the file system does. */
export async function mediaInTranscript(path: string, maxBytes: number): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  if (!(await stat(path)).isFile()) return found;
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - maxBytes);
    for await (const line of linesForward(
      file.createReadStream({ start, autoClose: false, highWaterMark: 1_048_576 }),
    )) {
      const media = mediaOf(line);
      if (media !== undefined) found.set(...media);
    }
    return found;
  } finally {
    await file.close();
  }
}
