/** What is no text, in words: a summariser is told that it was there, and is not sent it. */
import { isBlock } from '../messages/parts.ts';
import type { Block, Message } from '../messages/types.ts';
import { isCallBlock, isResultBlock } from '../messages/view.ts';

const KINDS: Readonly<Record<string, string>> = {
  image: 'image',
  image_url: 'image',
  input_image: 'image',
  document: 'document',
  file: 'file',
  input_audio: 'audio recording',
  audio: 'audio recording',
  video: 'video',
};
const MAX_NAME_CHARS = 120;

function fieldOf(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const field: unknown = Object.entries(value).find(([name]) => name === key)?.[1];
  return typeof field === 'string' && field !== '' ? field : undefined;
}

/** Roughly, from the length of base64: 4 characters are 3 bytes. */
function sizeOf(data: string | undefined): string | undefined {
  return data === undefined ? undefined : `about ${Math.max(1, Math.round((data.length * 3) / 4000))} kB`;
}

function describe(block: Block): string | undefined {
  if (isCallBlock(block) || isResultBlock(block) || typeof block['text'] === 'string') return undefined;
  if (block.type === 'thinking' || block.type === 'redacted_thinking' || block.type === 'refusal') return undefined;
  const kind = KINDS[block.type];
  if (kind === undefined) return `[a block of type ${block.type.slice(0, MAX_NAME_CHARS)}]`;
  const source = block['source'] ?? block[block.type];
  const format = fieldOf(source, 'media_type') ?? fieldOf(source, 'format');
  const name = fieldOf(block, 'title') ?? fieldOf(source, 'filename');
  const details = [name?.slice(0, MAX_NAME_CHARS), format?.slice(0, MAX_NAME_CHARS), sizeOf(fieldOf(source, 'data'))];
  return `[${[kind, details.filter((one) => one !== undefined).join(', ')].filter((one) => one !== '').join(': ')}]`;
}

/** One line for each block of a message, or of a result in it, that is no text. Never throws. */
export function mediaLines({ content }: Message): string[] {
  if (!Array.isArray(content)) return [];
  const lines: string[] = [];
  for (const block of content) {
    if (!isBlock(block)) continue;
    const inner = isResultBlock(block) && Array.isArray(block['content']) ? block['content'].filter(isBlock) : [block];
    for (const one of inner) {
      const line = describe(one);
      if (line !== undefined) lines.push(line);
    }
  }
  return lines;
}
