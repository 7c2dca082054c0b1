/** Tokens as the benchmark charges them: the text by a given tokenizer, and flat charges for framing, ids and names. */
import type { Block, Message } from '../messages/types.ts';
import { blocksOf, resultText } from './reading.ts';

/** Flat charges: for a message, and on top for each of its blocks. */
const CHARGES = { message: 4, text: 1, call: 10, result: 8 } as const;

const SHORT_TEXT = 400;
const MAX_REMEMBERED = 200_000;

/** Counts messages; what was counted is remembered by the object. */
export interface TokenCounter {
  readonly text: (text: string) => number;
  readonly message: (message: Message) => number;
  readonly messages: (messages: readonly Message[]) => number;
}

/** A counter for one tokenizer. `countText` gets texts that are not empty. */
export function tokenCounter(countText: (text: string) => number): TokenCounter {
  const short = new Map<string, number>();
  const blocks = new WeakMap<Block, number>();
  const known = new WeakMap<Message, number>();

  const text = (value: string): number => {
    if (value === '') return 0;
    if (value.length > SHORT_TEXT) return countText(value);
    const before = short.get(value);
    if (before !== undefined) return before;
    if (short.size >= MAX_REMEMBERED) short.clear();
    const count = countText(value);
    short.set(value, count);
    return count;
  };

  const charge = (block: Block): number => {
    switch (block.type) {
      case 'text':
        return CHARGES.text + text(String(block['text']));
      case 'tool_use':
        return CHARGES.call + text(String(block['name'])) + text(JSON.stringify(block['input'] ?? {}));
      case 'tool_result':
        return CHARGES.result + text(resultText(block));
      default:
        return CHARGES.text + text(JSON.stringify(block));
    }
  };

  const ofBlock = (block: Block): number => {
    let count = blocks.get(block);
    if (count === undefined) {
      count = charge(block);
      blocks.set(block, count);
    }
    return count;
  };

  const message = (one: Message): number => {
    let count = known.get(one);
    if (count === undefined) {
      count = CHARGES.message;
      for (const block of blocksOf(one)) count += ofBlock(block);
      known.set(one, count);
    }
    return count;
  };

  return { text, message, messages: (list) => list.reduce((sum, one) => sum + message(one), 0) };
}
