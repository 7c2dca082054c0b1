/** Where the newest messages of a transcript begin, and when enough has been read to know. */
import { isTypedPrompt } from '../messages/typed.ts';
import { type Entry, REACH_ROWS } from './fold.ts';

/** Index of the first of the last `last` messages, without extension over a tool call and its results. */
function unitStart(entries: readonly Entry[], last: number): number {
  const start = Math.max(0, entries.length - Math.max(1, Math.floor(last)));
  return entries[start]?.isAnswer === true ? start - 1 : start;
}

function newestPrompt(entries: readonly Entry[]): number {
  return entries.findLastIndex(({ message }) => isTypedPrompt(message));
}

/**
 * The newest `last` messages, extended back so that no tool result stands without its call, and to the newest typed
 * prompt (if there is one).
 */
export function newestOf(entries: readonly Entry[], last: number): readonly Entry[] {
  const prompt = newestPrompt(entries);
  const start = unitStart(entries, last);
  return entries.slice(prompt < 0 ? start : Math.min(start, prompt));
}

/**
 * Whether rows before the `read` newest ones cannot change what `newestOf` gives: enough messages, a typed prompt among
 * them, no result whose call is still to come, and REACH_ROWS rows read beyond the oldest of them.
 */
export function isSettled(entries: readonly Entry[], last: number, read: number): boolean {
  const prompt = newestPrompt(entries);
  if (prompt < 0 || entries.length < last) return false;
  const start = Math.min(unitStart(entries, last), prompt);
  const kept = entries.slice(start);
  return kept.every(({ place, isOrphan }) => !isOrphan && place + REACH_ROWS < read);
}
