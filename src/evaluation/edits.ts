/** Code that a later edit replaced: to write its `old_string` the agent had to have these lines before it. */
import type { Block } from '../messages/types.ts';
import { lineOf } from './reading.ts';

/** Shorter lines (`}`, `return;`) stand everywhere. */
const MIN_LINE = 12;

function oldStringsOf(call: Block): string[] {
  const { input } = call;
  if (typeof input !== 'object' || input === null) return [];
  const found: unknown[] = 'old_string' in input ? [input.old_string] : [];
  if ('edits' in input && Array.isArray(input.edits)) {
    for (const edit of input.edits) {
      if (typeof edit === 'object' && edit !== null && 'old_string' in edit) found.push(edit.old_string);
    }
  }
  return found.filter((text) => typeof text === 'string');
}

/** For each text that the call replaces, its lines that say something. */
export function replacedLinesOf(call: Block): string[][] {
  return oldStringsOf(call).map((text) =>
    text
      .split('\n')
      .map(lineOf)
      .filter((line) => line.length >= MIN_LINE && /\w/.test(line)),
  );
}
