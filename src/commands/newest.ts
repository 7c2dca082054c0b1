/** The newest turns of a conversation that is no transcript, by the same rule as the transcript reader's. */
import { pairUp } from '../messages/pairs.ts';
import { isTypedPrompt } from '../messages/typed.ts';
import type { Message } from '../messages/types.ts';
import { unitsOf } from '../messages/units.ts';
import { viewOf } from '../messages/view.ts';

/**
 * The newest `turns` user and assistant messages, with everything between them, extended back to the newest typed prompt
 * and to where a unit begins. System messages stay, wherever they stand. The same objects, in order.
 */
export function newestTurns(messages: readonly Message[], turns: number): Message[] {
  const views = messages.map(viewOf);
  let start = messages.length;
  for (let left = turns; left > 0 && start > 0;) {
    start -= 1;
    const role = views[start]?.role;
    if (role === 'user' || role === 'assistant') left -= 1;
  }
  const prompt = messages.findLastIndex(isTypedPrompt);
  if (prompt >= 0) start = Math.min(start, prompt);
  const units = unitsOf(messages.length, pairUp(views));
  for (let index = messages.length - 1; index >= start; index--) start = Math.min(start, units[index] ?? index);
  return messages.filter((_, index) => index >= start || views[index]?.role === 'system');
}
