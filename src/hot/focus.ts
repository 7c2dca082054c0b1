/** What a session is on, as titles: the newest prompts, then the open work. */
import type { SessionSnapshot } from '../session/snapshot.ts';
import { clip } from '../session/quote.ts';
import type { FocusEntry } from './assemble.ts';

const MAX_PROMPTS = 3;
const MAX_TODOS = 10;
const MAX_TITLE_LENGTH = 160;

/** `#12 a title`, `12. a title`, `12: a title`. */
const NUMBERED = /^(?:#(\d{1,9})[.:)]?|(\d{1,9})[.:)])\s+(\S.*)$/;

/** The first line that says anything: the rest of a prompt is its body. */
function titleOf(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return clip(line.trim(), MAX_TITLE_LENGTH);
}

/** Titles of a session as its snapshot shows it; masked as the snapshot is. */
export function focusOfSession({ goals, todos }: Pick<SessionSnapshot, 'goals' | 'todos'>): FocusEntry[] {
  return [
    ...goals.slice(0, MAX_PROMPTS).map((goal) => ({ title: titleOf(goal) })),
    ...todos.slice(0, MAX_TODOS).map(({ text, state }) => ({
      title: state === 'in_progress' ? `${titleOf(text)} (in progress)` : titleOf(text),
    })),
  ];
}

/** `#12`, `ticket:12`: a number by itself. */
const NUMBER_ALONE = /^(?:#|ticket:#?)(\d{1,9})$/i;

/** What a person names: one title a line, with a number where one stands before it; a number by itself has an empty title. */
export function focusOfText(text: string): FocusEntry[] {
  return text.split('\n').flatMap((raw): FocusEntry[] => {
    const line = raw.trim();
    if (line === '') return [];
    const alone = NUMBER_ALONE.exec(line)?.[1];
    if (alone !== undefined) return [{ number: Number(alone), title: '' }];
    const [, hash, plain, title] = NUMBERED.exec(line) ?? [];
    return title === undefined ? [{ title: line }] : [{ number: Number(hash ?? plain), title }];
  });
}
