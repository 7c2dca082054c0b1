/** The text by which a message is searched, embedded and archived. */
import { hasMarks, stripMarks } from './marks.ts';
import type { MessageView } from './types.ts';

/** A call's input as one text: JSON, or the string it is. */
export function inputText(input: unknown): string {
  if (typeof input === 'string') return input;
  try {
    return JSON.stringify(input) ?? '';
  } catch {
    // A cycle, a BigInt or bottomless nesting: it cannot be sent, so it says and costs nothing.
    return '';
  }
}

/**
 * What a message says: its prose, the names and inputs of its tool calls, and the results it carries, a line break
 * between them. No thinking (it is never searched), no media, nothing of chitta's own.
 */
export function searchTextOf(view: MessageView): string {
  const parts: string[] = [];
  if (view.text !== '') parts.push(view.text);
  for (const { name, input } of view.calls) parts.push(`${name} ${inputText(input)}`);
  for (const { text } of view.results) parts.push(text);
  return stripMarks(parts.join('\n'));
}

/** Whether `searchTextOf` would say anything, without making the text: a message of media alone, or of marks, does not. */
export function hasSearchText(view: MessageView): boolean {
  if (view.calls.length > 0) return true;
  return [view.text, ...view.results.map((result) => result.text)].some((text) => stripMarks(text).trim() !== '');
}

/** Whether a message holds nothing but chitta's own marks and blocks. */
export function isOwnMark(view: MessageView): boolean {
  if (!hasMarks(view.text) || view.calls.length > 0 || view.results.length > 0 || view.mediaCount > 0) return false;
  return stripMarks(view.text).trim() === '';
}
