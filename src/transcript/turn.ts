/** What the newest answer in a transcript says of the turn: which model gave it, and how full the context was. */
import { open, stat } from 'node:fs/promises';
import { contextEndOf } from '../session/context-end.ts';

/** Enough for the newest answer and its results; the host keeps longer results in files of their own. */
const END_BYTES = 2_097_152;
/** Rows are JSON; the model is looked for in the newest that an assistant wrote. */
const MODEL = /"model":"([^"\\<]{1,128})"/;

export interface NewestTurn {
  readonly model: string | undefined;
  /** As the provider counted them, the answer included; undefined if it did not. */
  readonly usedTokens: number | undefined;
}

function modelIn(lines: readonly string[]): string | undefined {
  for (const line of lines.toReversed()) {
    if (!line.includes('"type":"assistant"') || line.includes('"isSidechain":true')) continue;
    const model = MODEL.exec(line)?.[1];
    if (model !== undefined) return model;
  }
  return undefined;
}

/** Reads the end of a transcript. Nothing is known of what is no regular file. Rejects as the file system does. */
export async function readNewestTurn(path: string): Promise<NewestTurn> {
  if (!(await stat(path)).isFile()) return { model: undefined, usedTokens: undefined };
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - END_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    const used = contextEndOf(lines, false)?.usedTokens ?? 0;
    return { model: modelIn(lines), usedTokens: used > 0 ? used : undefined };
  } finally {
    await file.close();
  }
}
