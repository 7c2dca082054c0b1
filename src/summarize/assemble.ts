/** The context after a summary: system messages, one message with the summary, and the rest as it was. Pure. */
import type { Message, MessageView } from '../messages/types.ts';
import type { Cut } from './cut.ts';
import type { Verification } from './verify.ts';

/** Names that do not stand in the source are told to whoever reads the summary; of more than these, how many there are. */
const MAX_TOLD = 20;
const MAX_TOLD_CHARS = 80;

/** Opens the line that tells them. */
const DOUBT = 'Not found word for word in the conversation, so check before use: ';

const HEADER = /^\s*\[CONVERSATION SUMMARY — ([0-9]{1,9}) messages? compressed\]/;

/** How many messages an earlier summary stands for; 0 if the text is none of ours. */
export function summarisedIn(text: string): number {
  return Number(HEADER.exec(text)?.[1] ?? 0);
}

/** The text of the message that holds a summary. `messages`: how many it stands for, those of earlier summaries included. */
export function summaryText(summary: string, messages: number, { unverified }: Verification): string {
  const header = `[CONVERSATION SUMMARY — ${messages} messages compressed]`;
  if (unverified.length === 0) return `${header}\n\n${summary}`;
  const told = unverified.slice(0, MAX_TOLD).map((name) => name.slice(0, MAX_TOLD_CHARS).toWellFormed());
  const more = unverified.length > MAX_TOLD ? `, and ${unverified.length - MAX_TOLD} more` : '';
  return `${header}\n\n${summary}\n\n${DOUBT}${told.join(', ')}${more}`;
}

/** An earlier summary by itself, and the names in it that were doubted then. */
export function readSummary(text: string): { readonly body: string; readonly doubted: readonly string[] } {
  const inner = text.replace(HEADER, '').trim();
  const at = inner.lastIndexOf(`\n${DOUBT}`);
  if (at < 0) return { body: inner, doubted: [] };
  return { body: inner.slice(0, at).trimEnd(), doubted: inner.slice(at + 1 + DOUBT.length).split(', ') };
}

/** The user message with a summary; the same in both wire shapes. */
export function summaryMessage(text: string): Message {
  return { role: 'user', content: text };
}

/**
 * The conversation with the summary in place of what is summarised: leading system messages, the summary, what else stays of
 * the part before the cut, and everything behind it. All but the summary are the caller's own objects.
 */
export function assemble(
  messages: readonly Message[],
  views: readonly MessageView[],
  { at, kept }: Cut,
  text: string,
): Message[] {
  const firstOther = views.findIndex(({ role }) => role !== 'system');
  const leads = (index: number): boolean => index < firstOther;
  const pick = (indices: readonly number[]): Message[] => indices.flatMap((index) => messages[index] ?? []);
  return [
    ...pick(kept.filter(leads)),
    summaryMessage(text),
    ...pick(kept.filter((index) => !leads(index))),
    ...messages.slice(at),
  ];
}
