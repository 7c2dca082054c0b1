/** Why each message was kept or dropped, in the words of the wire. */
import type { Compaction } from '../compaction/compact.ts';
import type { KeptLines } from '../compaction/strategy.ts';
import { handleOf } from '../messages/handle.ts';
import { partsOf } from '../messages/parts.ts';
import { shownPlaces } from '../messages/shown.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { numbersOf } from '../need/lines.ts';
import type { Decision, ShownLines } from '../protocol/compact-result.ts';
import { quoteLine } from '../session/quote.ts';

const MAX_HOLDER_CHARS = 100;

/** Runs of lines as they are shown; two pieces of one long line are one line. */
function shownRuns(
  { lines }: KeptLines,
  start: number,
  numbers: readonly number[],
): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const [first, last] of lines) {
    const [from, to] = [start + (numbers[first] ?? 0) + 1, start + (numbers[last] ?? 0) + 1];
    const before = runs.at(-1);
    if (before !== undefined && from <= before[1]) before[1] = to;
    else runs.push([from, to]);
  }
  return runs;
}

/** What is kept of a message's texts, also by the lines of the turn as `chitta show` prints it. */
function shownLinesOf(message: Message, view: MessageView, kept: readonly KeptLines[]): ShownLines[] {
  const places = shownPlaces(message, view);
  const parts = partsOf(message);
  return kept.map((one) => {
    const { place, ...lines } = one;
    const [part, field] = place;
    const start = places?.starts[part]?.[field];
    if (places === undefined || start === undefined) return lines;
    const numbers = numbersOf(parts[part]?.fields[field]?.text ?? '');
    const text = [start + 1, start + 1 + (numbers.at(-1) ?? 0)] as const;
    return { ...lines, shown: { lines: shownRuns(one, start, numbers), text, of: places.totalLines } };
  });
}

/** The memory that holds most of these names, by its beginning; undefined if none holds any. */
function holderOf(names: readonly string[], memories: readonly string[]): string | undefined {
  let most = 0;
  let holder: string | undefined;
  for (const memory of memories) {
    const held = names.filter((name) => memory.includes(name)).length;
    if (held > most) [most, holder] = [held, memory];
  }
  return holder === undefined ? undefined : quoteLine(holder, MAX_HOLDER_CHARS);
}

/** One decision for each message of the input, in order. `memories` are the texts that were looked at for it. */
export function decisionsOf(
  messages: readonly Message[],
  views: readonly MessageView[],
  { verdicts }: Compaction,
  memories: readonly string[],
): Decision[] {
  return verdicts.map(({ item, choice }) => {
    const [message, view] = [messages[item.message], views[item.message]];
    const kept = message && view && choice.kept && shownLinesOf(message, view, choice.kept);
    const names = choice.names?.();
    const holder = names && choice.reason === 'covered' ? holderOf(names, memories) : undefined;
    return {
      index: item.message,
      role: message?.role ?? item.role,
      tokens: item.tokens,
      score: choice.score,
      recency: item.recency,
      sim: item.similarity,
      coverage: item.coverage,
      action: choice.action,
      reason: choice.reason,
      handle: message === undefined ? '' : handleOf(message),
      ...(kept && { kept }),
      ...(names && { names }),
      ...(holder !== undefined && { covered_by: holder }),
    };
  });
}
