/** What must stay, whatever the budget. */
import type { Pairing } from '../messages/pairs.ts';
import { isTypedPrompt } from '../messages/typed.ts';
import type { Message, MessageView } from '../messages/types.ts';
import type { ProtectedReason } from './strategy.ts';

function lastIndex<T>(list: readonly T[], test: (element: T) => boolean): number {
  for (let i = list.length - 1; i >= 0; i--) {
    const element = list[i];
    if (element !== undefined && test(element)) return i;
  }
  return -1;
}

/**
 * Why each message is protected, if it is: system messages, the last typed prompt, calls still waiting for an answer
 * (those of the newest assistant message, no typed prompt behind it), and what `pinned` says. What shares a unit with
 * one of these is protected as `pair`.
 */
export function protectedReasons(
  messages: readonly Message[],
  views: readonly MessageView[],
  units: readonly number[],
  pairing: Pairing,
  pinned: ((message: Message) => boolean) | undefined,
): (ProtectedReason | undefined)[] {
  const reasons: (ProtectedReason | undefined)[] = views.map((view) => (view.role === 'system' ? 'system' : undefined));
  const prompt = lastIndex(messages, isTypedPrompt);
  const speaking = lastIndex(views, (view) => view.role === 'assistant');
  if (speaking > prompt) {
    const waits = pairing.orphans.some(({ half, message }) => half === 'call' && message === speaking);
    if (waits) reasons[speaking] = 'waiting-call';
  }
  if (prompt >= 0) reasons[prompt] = 'last-prompt';
  messages.forEach((message, index) => {
    if (pinned?.(message) === true) reasons[index] ??= 'pinned';
  });
  const held = new Set(units.filter((_, index) => reasons[index] !== undefined));
  units.forEach((unit, index) => {
    if (held.has(unit)) reasons[index] ??= 'pair';
  });
  return reasons;
}
