/**
 * Summaries of one session, each made from the one before it and what was said since: which of them still fits a conversation.
 * Pure.
 */
import type { Message } from '../messages/types.ts';
import { summarisedIn } from './assemble.ts';

/** One summary of the chain. */
export interface SummaryLink {
  /** From 1; each is made from the one before. */
  readonly generation: number;
  /** Id (`uuid`) of the last message that it stands for. Messages without one have no chain: texts may repeat. */
  readonly upTo: string;
  /** Messages that it stands for, those of earlier links included. */
  readonly messages: number;
  /** Text of the message that holds it. */
  readonly text: string;
}

/** The id by which a link names a message; undefined if it has none. */
export function keyOf({ uuid }: Message): string | undefined {
  return typeof uuid === 'string' && uuid !== '' ? uuid : undefined;
}

/** A link, and the first message of the conversation that it does not stand for. */
export interface Attached {
  readonly link: SummaryLink;
  readonly next: number;
}

/**
 * The link that stands for most of this conversation, up to the cut at most: its last message is there. Of several for the same, the
 * last in the list, which is the newest. After a rewind that may be an older one, or none. What is stored may have been damaged or
 * taken away: a text that is no summary stands for nothing. Linear.
 */
export function attach(
  messages: readonly Message[],
  links: readonly SummaryLink[],
  cutAt: number,
): Attached | undefined {
  if (links.length === 0) return undefined;
  const places = new Map<string, number>();
  for (let index = 0; index < cutAt; index++) {
    const message = messages[index];
    const key = message === undefined ? undefined : keyOf(message);
    if (key !== undefined) places.set(key, index);
  }
  let best: Attached | undefined;
  for (const link of links) {
    const place = places.get(link.upTo);
    if (place === undefined || summarisedIn(link.text) === 0) continue;
    if (place + 1 >= (best?.next ?? 0)) best = { link, next: place + 1 };
  }
  return best;
}
