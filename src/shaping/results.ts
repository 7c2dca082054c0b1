/** The results of tools in a message, to be written anew one by one; all else of the message stays as it is. */
import { isBlock, isMediaBlock, type Part, partOfBlock, partsOf } from '../messages/parts.ts';
import type { Block, Message } from '../messages/types.ts';
import { isOwnResult, isWholeResult } from './halves.ts';

/**
 * The message with other contents in its results; the same object if all stay the same. `change` is given each result as a
 * part with its content, and answers the content that it is to have. Results of server tools are not offered.
 */
export function mapResults(message: Message, change: (part: Part, content: unknown) => unknown): Message {
  const { content } = message;
  if (isWholeResult(message)) {
    const after = change(partsOf(message)[0]!, content);
    // What is put there is a content, as what was there; only what was none stays none.
    return after === content ? message : { ...message, content: after as NonNullable<Message['content']> };
  }
  if (!Array.isArray(content)) return message;
  let changed = false;
  const blocks = content.map((block: Block) => {
    if (!isOwnResult(block)) return block;
    const after = change(partOfBlock(block), block['content']);
    if (after === block['content']) return block;
    changed = true;
    return { ...block, content: after };
  });
  return changed ? { ...message, content: blocks } : message;
}

/** The content of a result with other texts, in the order of the fields of its part; blocks without text left go, images stay. */
export function withTexts(content: unknown, texts: readonly string[]): unknown {
  if (!Array.isArray(content)) return texts[0] ?? content;
  const out: unknown[] = [];
  let next = 0;
  for (const item of content) {
    if (isBlock(item) && isMediaBlock(item)) {
      out.push(item);
      continue;
    }
    const text = texts[next++];
    const before: unknown = isBlock(item) ? item['text'] : item;
    if (text === undefined || text === before) out.push(item);
    else if (text.trim() !== '') out.push(isBlock(item) ? { ...item, text } : text);
  }
  return out.length === 0 ? '' : out;
}
