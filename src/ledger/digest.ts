/**
 * What happened in a project since a moment: directives, memories, compactions, sessions, each in the order in which it happened. The same
 * entries make the same text, whenever it is asked for. Everything in it is masked and on one line; bounded. Pure.
 */
import type { StoredDirective } from '../ports/ledger.ts';
import { quoteLine } from '../session/quote.ts';

export type DigestTopic = 'directives' | 'memories' | 'compactions' | 'sessions';

/** One thing that happened. */
export interface Happening {
  readonly atMs: number;
  /** Orders what happened in the same millisecond. */
  readonly order: number | string;
  /** What it is about: a number, or the id of a session. */
  readonly about: number | string;
  /** What happened to it, in a word or two. */
  readonly what: string;
  readonly text: string;
}

export interface DigestSection {
  readonly topic: DigestTopic;
  /** All there were; `entries` are the newest of them, oldest first. */
  readonly total: number;
  readonly entries: readonly Happening[];
}

/** In a section; the newest. */
const MAX_ENTRIES = 40;
const MAX_TEXT_CHARS = 160;
const MAX_WORD_CHARS = 60;

const TITLES: Readonly<Record<DigestTopic, string>> = {
  directives: 'Directives',
  memories: 'Memories',
  compactions: 'Compactions',
  sessions: 'Sessions',
};

function inOrder(a: Happening, b: Happening): number {
  if (a.atMs !== b.atMs) return a.atMs - b.atMs;
  // Not by the language of the machine.
  return a.order < b.order ? -1 : a.order > b.order ? 1 : 0;
}

/** A section of the newest happenings, oldest first. */
export function sectionOf(topic: DigestTopic, happenings: readonly Happening[]): DigestSection {
  const sorted = [...happenings].sort(inOrder);
  const entries = sorted.slice(-MAX_ENTRIES).map((one) => ({
    ...one,
    what: quoteLine(one.what, MAX_WORD_CHARS),
    about: typeof one.about === 'number' ? one.about : quoteLine(one.about, MAX_WORD_CHARS),
    text: quoteLine(one.text, MAX_TEXT_CHARS),
  }));
  return { topic, total: happenings.length, entries };
}

/** The entries of the ledger since then. */
export function directiveHappenings(ledger: readonly StoredDirective[], sinceMs: number): Happening[] {
  return ledger
    .filter(({ createdMs }) => createdMs >= sinceMs)
    .map(({ id, status, replaces, successor, who, text, createdMs }) => {
      const older = replaces === undefined ? '' : ` ${replaces}`;
      const by = successor === undefined ? `by ${who === 'model' ? 'the' : 'a'} ${who}` : `by ${successor}`;
      return { atMs: createdMs, order: id, about: id, what: `${status}${older}, ${by}`, text };
    });
}

/** Minutes, UTC. */
function minute(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

/** As Markdown. Sections without entries are left out; empty if all are. */
export function digestText(sections: readonly DigestSection[], sinceMs: number): string {
  const parts = sections
    .filter(({ total }) => total > 0)
    .map(({ topic, total, entries }) => {
      const hidden = total - entries.length;
      const lines = entries.map(({ atMs, about, what, text }) =>
        `- ${minute(atMs)}  ${about} ${what}${text === '' ? '' : `: ${text}`}`.trimEnd(),
      );
      return [
        `## ${TITLES[topic]} (${total})`,
        ...(hidden > 0 ? [`- … and ${hidden} before these`] : []),
        ...lines,
      ].join('\n');
    });
  return parts.length === 0 ? '' : [`# Since ${minute(sinceMs)} UTC`, ...parts].join('\n\n');
}
