/** Reads messages as the benchmark does: the texts of a block, their lines, and the identifiers of each line, each read once. */
import type { Block, Message } from '../messages/types.ts';
import { type Identifier, identifiersOf } from './identifiers.ts';

/** Lines remembered; beyond it the memory starts anew. */
const MAX_REMEMBERED = 300_000;

/** Line numbers in front of what a file reader prints. */
const LINE_NUMBER = /^\s*\d+[→\t]/;

/** The blocks of a message; text alone is one block. */
export function blocksOf(message: Message): readonly Block[] {
  const { content } = message;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a tool result; what is no text in it shows as its type. */
export function resultText(block: Block): string {
  const { content } = block;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content
    .map((part: unknown) => {
      if (!isObject(part)) return JSON.stringify(part) ?? '';
      if (part['type'] === 'text') return String(part['text']);
      return part['type'] === 'image' ? '[image]' : JSON.stringify(part);
    })
    .join('\n');
}

function collectStrings(value: unknown, into: string[]): void {
  if (typeof value === 'string') into.push(value);
  else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) collectStrings(child, into);
  }
}

/** The texts of a block as a model reads them; of a call its string arguments only: the rest is form. */
export function stringsOf(block: Block): readonly string[] {
  switch (block.type) {
    case 'text':
      return typeof block['text'] === 'string' ? [block['text']] : [];
    case 'tool_result':
      return [resultText(block)];
    case 'tool_use': {
      const strings: string[] = [];
      collectStrings(block['input'], strings);
      return strings;
    }
    default:
      return [];
  }
}

/** A line without its number and its margins: by this it is known again. */
export function lineOf(text: string): string {
  return text.replace(LINE_NUMBER, '').trim();
}

function linesOf(block: Block): string[] {
  return stringsOf(block).flatMap((text) =>
    text
      .split('\n')
      .map(lineOf)
      .filter((line) => line !== ''),
  );
}

/** Words of an error line by which it is known again: its identifiers and its longer words. */
function wordsOf(line: string, identifiers: readonly Identifier[]): readonly string[] {
  const words = new Set(identifiers.map(({ key }) => key));
  for (const [word] of line.matchAll(/\p{L}{6,}/gu)) words.add(word.toLowerCase());
  return [...words];
}

/** What was read of one transcript, kept as long as it is worked on. */
export class Reading {
  readonly #lines = new WeakMap<Block, readonly string[]>();
  readonly #identifiers = new Map<string, readonly Identifier[]>();
  readonly #words = new Map<string, readonly string[]>();

  /** The lines of a block that are not empty. */
  lines(block: Block): readonly string[] {
    const known = this.#lines.get(block);
    if (known !== undefined) return known;
    const lines = linesOf(block);
    this.#lines.set(block, lines);
    return lines;
  }

  identifiers(line: string): readonly Identifier[] {
    return remembered(this.#identifiers, line, identifiersOf);
  }

  words(line: string): readonly string[] {
    return remembered(this.#words, line, () => wordsOf(line, this.identifiers(line)));
  }
}

function remembered<T>(memory: Map<string, T>, line: string, make: (line: string) => T): T {
  const known = memory.get(line);
  if (known !== undefined) return known;
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  const made = make(line);
  memory.set(line, made);
  return made;
}
