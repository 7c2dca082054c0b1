/** What a transcript holds of a context that a host hands over without it: images and documents, thinking, the model. */
import { open, stat } from 'node:fs/promises';
import { viewOf } from '../messages/view.ts';
import type { Withheld } from '../ports/withheld.ts';
import { contentOf } from './content.ts';
import { linesForward } from './lines.ts';

/** What a row with an image or a document has in it, whatever else. */
const SIGNS = ['"type":"image"', '"type":"document"'];

const MODEL = /"model":"([^"\\]{1,100})"/;
/** The model is named at the beginning of a row, or behind its content: no other text of it is looked at. */
const MODEL_CHARS = 1_000;

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

/** The model that wrote an assistant's row, if it can be told without reading all of it. */
function modelOf(line: Buffer): string | undefined {
  const ends = [line.subarray(0, MODEL_CHARS), line.subarray(-MODEL_CHARS)];
  const [, model] = ends.flatMap((end) => MODEL.exec(end.toString('latin1')) ?? []);
  // What the host itself writes in the model's place.
  return model === '<synthetic>' ? undefined : model;
}

/** What the last `maxBytes` of a transcript tell. Rejects as the file system does. */
export async function withheldIn(path: string, maxBytes: number): Promise<Withheld> {
  const media = new Map<string, number>();
  let [thinks, model]: [boolean, string | undefined] = [false, undefined];
  if (!(await stat(path)).isFile()) return { media, thinks, model };
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - maxBytes);
    for await (const line of linesForward(
      file.createReadStream({ start, autoClose: false, highWaterMark: 1_048_576 }),
    )) {
      const found = mediaOf(line);
      if (found !== undefined) media.set(...found);
      if (!line.includes('"type":"assistant"')) continue;
      thinks ||= line.includes('"type":"thinking"');
      model = modelOf(line) ?? model;
    }
    return { media, thinks, model };
  } finally {
    await file.close();
  }
}
