/** Reads on in a transcript that grows, from where it was left. */
import { open, stat } from 'node:fs/promises';
import type { TranscriptMessage } from './names.ts';
import { parseTranscript } from './read.ts';
import { isTypedPrompt } from '../messages/typed.ts';

const NEWLINE = 0x0a;

export interface TranscriptPart {
  /** Oldest first; all that stand in the part, whatever compactions are between them. */
  readonly messages: readonly TranscriptMessage[];
  /** Where the part begins: later than asked if there was more than `maxBytes`, earlier if the file became shorter. */
  readonly from: number;
  /** Where to read on: the row of the newest typed prompt, since what is behind it may not have been complete. */
  readonly resumeAt: number;
}

/** Offset of the line that holds the row of that name, or undefined. */
function lineOf(bytes: Buffer, uuid: string): number | undefined {
  const at = bytes.lastIndexOf(`"uuid":${JSON.stringify(uuid)}`);
  return at < 0 ? undefined : bytes.lastIndexOf(NEWLINE, at) + 1;
}

/** Where a part of at most `maxBytes` begins; a file that became shorter is another one, and read from its beginning. */
function startOf(from: number, size: number, maxBytes: number): number {
  const known = from > size ? 0 : from;
  return size - known > maxBytes ? size - maxBytes : known;
}

/**
 * The messages from byte `from` on, of the last `maxBytes` at most; undefined if there is no such regular file. Rejects with
 * E_INPUT_FORMAT for another agent's format, never on content.
 */
export async function readTranscriptPart(
  path: string,
  from: number,
  maxBytes: number,
): Promise<TranscriptPart | undefined> {
  // Nothing is lost: a session may name a file that is never written. Asked before it is opened, which would wait at a pipe.
  const there = await stat(path).catch(() => undefined);
  if (there?.isFile() !== true) return undefined;
  const file = await open(path, 'r');
  try {
    const info = await file.stat();
    const start = startOf(from, info.size, maxBytes);
    const buffer = Buffer.allocUnsafe(info.size - start);
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const bytes = buffer.subarray(0, filled);
    // In the middle of a line that is not its own.
    const skipped = start > 0 && start !== from ? bytes.indexOf(NEWLINE) + 1 : 0;
    const { messages } = await parseTranscript(bytes.subarray(skipped), { all: true });
    const prompt = messages.findLast(isTypedPrompt);
    const line = prompt && lineOf(bytes, prompt.uuid);
    return { messages, from: start, resumeAt: start + (line ?? skipped) };
  } finally {
    await file.close();
  }
}
