/**
 * The hot context: the little that an agent should always have before its eyes. What is worked on, then the rules that hold,
 * then as much of the project's charter as there is room for. The budget is a promise: every candidate is measured as the
 * whole text it would make, with headings, separators and the mark of a cut.
 */
import { toWellFormed } from '../messages/wellformed.ts';
import { clip } from '../session/quote.ts';
import { estimateTokens } from '../tokens/text.ts';
import { activeDirectives, type Directive } from './directives.ts';
import { longestFitting } from './longest.ts';

/** Tokens. */
export const HOT_BUDGET = 2_000;

/** Directives together take at most this share of the budget. */
const DIRECTIVES_SHARE = 2 / 3;

/** Characters of an entry, with the dash before it: less than this says nothing. */
const LEAST_CUT = 12;

/** Stands, as a line or at the end of one, for what was cut. */
const CUT = '…';

/** Something that is worked on: what it is called, never what it says. */
export interface FocusEntry {
  /** Of the issue or ticket, where it has one. */
  readonly number?: number | undefined;
  readonly title: string;
}

export interface HotInputs {
  /** Most important first. */
  readonly focus: readonly FocusEntry[];
  /** The ledger, in any order. */
  readonly directives: readonly Directive[];
  /** Text of the project's charter; empty if the host has it in its context already. */
  readonly charter: string;
}

export interface HotContext {
  /** Empty if there is nothing to say, or no room for anything. Well-formed. */
  readonly text: string;
  /** Of `text`, estimated from above; never more than the budget. */
  readonly tokens: number;
  readonly budget: number;
  /** `cut`: it did not fit by itself. `shown` counts entries, one that was cut short too. */
  readonly focus: { readonly given: number; readonly shown: number; readonly cut: boolean };
  /** How many hold, and the ids of those in the text, newest first. */
  readonly directives: { readonly active: number; readonly shown: readonly number[] };
  /** Lines of the charter, and how many of them are in the text. */
  readonly charter: { readonly lines: number; readonly shown: number };
}

/** A section as text, or nothing for nothing. */
function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n${lines.join('\n')}`;
}

function joined(...sections: readonly string[]): string {
  return sections.filter((text) => text !== '').join('\n\n');
}

/** One line, whatever was given. */
function titleLine({ number, title }: FocusEntry): string {
  const line = toWellFormed(title).text.trim().replaceAll(/\s+/g, ' ');
  return number === undefined ? line : `#${number} ${line}`.trim();
}

/** An entry of a list; its further lines are indented, so that it is clear where the next one begins. */
function listItem(text: string): string {
  return `- ${toWellFormed(text)
    .text.trim()
    .replaceAll(/\r?\n|\r/g, '\n  ')}`;
}

type Fits = (text: string) => boolean;

/** All of it, else whole entries and a line that marks the cut, else the beginning of the first entry. */
function packFocus(items: readonly string[], fits: Fits): { text: string; shown: number } {
  const whole = section('Focus', items);
  if (fits(whole)) return { text: whole, shown: items.length };
  const some = (count: number): string => section('Focus', [...items.slice(0, count), CUT]);
  const shown = longestFitting(items.length - 1, (count) => fits(some(count)));
  if (shown > 0) return { text: some(shown), shown };
  const first = items[0] ?? '';
  const start = (length: number): string => section('Focus', [clip(first, length)]);
  const length = longestFitting(first.length - 1, (count) => fits(start(count)));
  return length < LEAST_CUT ? { text: '', shown: 0 } : { text: start(length), shown: 1 };
}

/** The newest ones, up to the first that does not fit. One that is too large by itself keeps no other out. */
function packDirectives(active: readonly Directive[], room: number, fits: Fits): { text: string; shown: number[] } {
  const candidates = active
    .map(({ id, text }) => ({ id, item: listItem(text) }))
    .filter(({ item }) => estimateTokens(section('Directives', [item])) <= room);
  const some = (count: number): string =>
    section(
      'Directives',
      candidates.slice(0, count).map(({ item }) => item),
    );
  const count = longestFitting(candidates.length, (more) => estimateTokens(some(more)) <= room && fits(some(more)));
  return { text: some(count), shown: candidates.slice(0, count).map(({ id }) => id) };
}

/** All of it, else whole lines from the top and a line that marks the cut. */
function packCharter(lines: readonly string[], fits: Fits): { text: string; shown: number } {
  const whole = section('Charter', lines);
  if (fits(whole)) return { text: whole, shown: lines.length };
  const some = (count: number): string => `${section('Charter', lines.slice(0, count)).trimEnd()}\n${CUT}`;
  const shown = longestFitting(lines.length - 1, (count) => fits(some(count)));
  return shown === 0 ? { text: '', shown } : { text: some(shown), shown };
}

/**
 * Packs by priority: the focus always; then the most recent active directives, while they together fit two thirds of the
 * budget; the charter gets what is left, cut behind a line. `estimateTokens(text)` is at most `budget`, whatever the
 * inputs: a focus larger than that is itself cut, which `focus.cut` reports. Pure; never throws.
 */
export function assembleHotContext(inputs: HotInputs, budget: number = HOT_BUDGET): HotContext {
  const fits = (text: string): boolean => estimateTokens(text) <= budget;
  const titles = inputs.focus.map(titleLine).filter((title) => title !== '');
  const focus = packFocus(
    titles.map((title) => `- ${title}`),
    fits,
  );
  const active = activeDirectives(inputs.directives).filter(({ text }) => text.trim() !== '');
  const directives = packDirectives(active, Math.floor(budget * DIRECTIVES_SHARE), (text) =>
    fits(joined(focus.text, text)),
  );
  const body = toWellFormed(inputs.charter).text.replaceAll('\r\n', '\n').trim();
  const lines = body === '' ? [] : body.split('\n');
  const charter = packCharter(lines, (text) => fits(joined(focus.text, directives.text, text)));
  const text = joined(focus.text, directives.text, charter.text);
  return {
    text,
    tokens: estimateTokens(text),
    budget,
    focus: {
      given: titles.length,
      shown: focus.shown,
      cut:
        focus.text !==
        section(
          'Focus',
          titles.map((title) => `- ${title}`),
        ),
    },
    directives: { active: active.length, shown: directives.shown },
    charter: { lines: lines.length, shown: charter.shown },
  };
}
