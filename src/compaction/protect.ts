/** What must stay, whatever the budget. */
import type { Pairing } from '../messages/pairs.ts';
import { isTypedPrompt } from '../messages/typed.ts';
import type { Message, MessageView } from '../messages/types.ts';
import type { ProtectedReason } from './strategy.ts';

/**
 * Messages with calls that still wait for an answer: those of the newest assistant messages that stand together (parallel
 * calls may come one by one), with no typed prompt behind them. A call before that was given up or its answer lost.
 */
function waiting(views: readonly MessageView[], { orphans }: Pairing, prompt: number): number[] {
  const open = new Set(orphans.filter(({ half }) => half === 'call').map(({ message }) => message));
  const found: number[] = [];
  let hasSpoken = false;
  for (let index = views.length - 1; index > prompt; index--) {
    const role = views[index]?.role;
    if (role === 'assistant') {
      hasSpoken = true;
      if (open.has(index)) found.push(index);
    } else if (hasSpoken && role !== 'system') break;
  }
  return found;
}

/**
 * Why each message is protected, if it is: system messages, the last typed prompt, calls still waiting for an answer, and
 * what `pinned` says. What shares a unit with one of these is protected as `pair`.
 */
export function protectedReasons(
  messages: readonly Message[],
  views: readonly MessageView[],
  units: readonly number[],
  pairing: Pairing,
  pinned: ((message: Message) => boolean) | undefined,
): (ProtectedReason | undefined)[] {
  const reasons: (ProtectedReason | undefined)[] = views.map((view) => (view.role === 'system' ? 'system' : undefined));
  const prompt = messages.findLastIndex(isTypedPrompt);
  for (const index of waiting(views, pairing, prompt)) reasons[index] = 'waiting-call';
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
