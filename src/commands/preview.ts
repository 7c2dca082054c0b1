/** One line that stands for a message where people look at many. */
import type { MessageView } from '../messages/types.ts';
import { sanitizeLine } from '../terminal/sanitize.ts';

/** More is never shown on a line; what follows is not looked at. */
const MAX_LENGTH = 400;

function start(text: string): string {
  return text.slice(0, MAX_LENGTH);
}

function inputOf(input: unknown): string {
  if (typeof input === 'string') return start(input);
  if (typeof input !== 'object' || input === null) return '';
  const told = Object.values(input).find((value) => typeof value === 'string');
  return typeof told === 'string' ? start(told) : '';
}

/** Text, else calls with their first text input, else results, else what else there is. Safe for a terminal. */
export function previewOf(view: MessageView): string {
  const { text, calls, results, thinking, mediaCount } = view;
  const parts: string[] = [];
  if (text.trim() !== '') parts.push(start(text.trimStart()));
  for (const { name, input } of calls.slice(0, 5)) parts.push(`→ ${start(name)} ${inputOf(input)}`);
  for (const result of results.slice(0, 5))
    parts.push(`← ${result.isError ? 'error: ' : ''}${start(result.text.trimStart())}`);
  if (parts.length === 0 && thinking !== '') parts.push('(thinking)');
  if (mediaCount > 0) parts.push(mediaCount === 1 ? '(1 image or document)' : `(${mediaCount} images or documents)`);
  return sanitizeLine(parts.join(' ').toWellFormed()).trim();
}
