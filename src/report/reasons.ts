/** Why a message was kept or dropped, in words, and what of it is left. */
import type { Reason } from '../compaction/strategy.ts';
import type { Decision, ShownLines } from '../protocol/compact-result.ts';
import { fit } from './width.ts';

/** At most 15 columns each. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  system: 'system message',
  'last-prompt': 'last prompt',
  'waiting-call': 'awaits a result',
  pinned: 'pinned',
  pair: 'pair must stay',
  prompt: 'typed prompt',
  recent: 'among newest',
  opening: 'must come first',
  needed: 'likely needed',
  'within-budget': 'fits the budget',
  'over-budget': 'no room left',
  'kept-elsewhere': 'kept elsewhere',
  covered: 'in memory',
  'own-mark': "chitta's mark",
};

/** Columns of the longest. */
export const REASON_COLUMNS = 15;
const NAME_COLUMNS = 40;
const MEMORY_COLUMNS = 60;
const MAX_RUNS = 5;
const MAX_FIELDS = 6;

function counted(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

/**
 * `result lines 1–16, 40 of 130`: lines counted from 1, of the turn as `chitta show` prints it, so that they can be asked for;
 * of the text alone where that is not known. Where long lines were cut, how many of the pieces are left.
 */
function linesLeft({ field, of, lines, shown }: ShownLines): string {
  if (lines.length === 0) {
    const [first, last] = shown?.text ?? [0, 0];
    return `${field} left out (${shown === undefined || first === last ? counted(of) : `lines ${first}–${last}`})`;
  }
  const from1 = shown?.lines ?? lines.map(([first, last]) => [first + 1, last + 1] as const);
  const runs = from1.slice(0, MAX_RUNS).map(([first, last]) => (first === last ? String(first) : `${first}–${last}`));
  if (from1.length > MAX_RUNS) runs.push('…');
  const isOne = from1.length === 1 && from1[0]?.[0] === from1[0]?.[1];
  const left = `${field} ${isOne ? 'line' : 'lines'} ${runs.join(', ')} of ${shown?.of ?? of}`;
  if (shown === undefined || of <= shown.text[1] - shown.text[0] + 1) return left;
  const pieces = lines.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return `${left} (${pieces} of ${of} pieces)`;
}

function namesIn({ action, reason, names = [] }: Decision): string | undefined {
  if (names.length === 0) return undefined;
  const list = names.map((name) => fit(name, NAME_COLUMNS)).join(', ');
  if (action !== 'drop') return reason === 'needed' ? `for ${list}` : undefined;
  // Nothing of worth is lost with what is kept elsewhere.
  return reason === 'kept-elsewhere' ? undefined : `lost: ${list}`;
}

/** Which lines are left of a message, the memory that covers it, and the names that earned it its place or are lost with it; empty if there is no more to say. */
export function detailsOf(decision: Decision): readonly string[] {
  const { action, kept = [] } = decision;
  const names = namesIn(decision);
  const left = kept.slice(0, MAX_FIELDS).map(linesLeft);
  if (kept.length > MAX_FIELDS) left.push('…');
  if (action === 'excerpt' && left.length === 0) left.push('some of its parts left out');
  return [
    ...(left.length === 0 ? [] : [left.join('; ')]),
    ...(decision.covered_by === undefined ? [] : [`memory: ${fit(decision.covered_by, MEMORY_COLUMNS)}`]),
    ...(names === undefined ? [] : [names]),
  ];
}
