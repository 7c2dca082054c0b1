/**
 * Which result answers which call the way the APIs read it: directly behind the message of the call, results first.
 * A result that stands later than that is paired too, in order, but said to be late. Linear.
 */
import type { Message } from '../messages/types.ts';
import { type Half, type Halves, halvesOf, isOwnResult, isWholeResult } from './halves.ts';

/** Where an answer to a call belongs. */
export interface Place {
  /** Index of the message behind which, or in which, the answer stands. */
  readonly message: number;
  /** Index of the block behind which it stands; undefined where the answer is a message of its own. */
  readonly block: number | undefined;
}

export interface OpenCall {
  readonly call: Half;
  readonly place: Place;
  /** Another call of the same turn has the same id: a second answer would be one too many. */
  readonly isDuplicate: boolean;
}

export interface Matching {
  readonly halves: Halves;
  /** Calls without any answer, in order. */
  readonly open: readonly OpenCall[];
  /** Answers that do not stand where the APIs want them, with the place where they would. */
  readonly late: readonly { readonly result: Half; readonly place: Place; readonly isSameShape: boolean }[];
  /** Results without a call, in order. */
  readonly orphans: readonly Half[];
}

/** First in, first out, by id; the cursor moves instead of shifting, which keeps this linear. */
class Queues<T> {
  readonly #queues = new Map<string, { readonly waiting: T[]; next: number }>();

  put(id: string, one: T): void {
    const queue = this.#queues.get(id);
    if (queue === undefined) this.#queues.set(id, { waiting: [one], next: 0 });
    else queue.waiting.push(one);
  }

  take(id: string): T | undefined {
    const queue = this.#queues.get(id);
    return queue === undefined ? undefined : queue.waiting[queue.next++];
  }
}

function byMessage(halves: readonly Half[], count: number): readonly (readonly Half[])[] {
  const lists: Half[][] = Array.from({ length: count }, () => []);
  for (const half of halves) lists[half.message]!.push(half);
  return lists;
}

/** What stands directly behind the message `end`: the results there, and the last of either kind. */
interface Zone {
  readonly results: readonly Half[];
  readonly lastBlock: Place | undefined;
  readonly lastWhole: number;
}

function zoneBehind(end: number, messages: readonly Message[], resultsAt: readonly (readonly Half[])[]): Zone {
  const results: Half[] = [];
  let lastBlock: Place | undefined;
  let lastWhole = end;
  for (let at = end + 1; at < messages.length; at++) {
    const message = messages[at]!;
    const here = resultsAt[at]!;
    if (isWholeResult(message)) {
      results.push(here[0]!);
      lastWhole = at;
      continue;
    }
    const { role, content } = message;
    if ((role !== 'user' && role !== 'tool') || !Array.isArray(content)) break;
    const firstOther = content.findIndex((block) => !isOwnResult(block));
    const leading = firstOther < 0 ? content.length : firstOther;
    if (leading > 0) lastBlock = { message: at, block: leading - 1 };
    for (const half of here) if (half.block < leading) results.push(half);
    if (leading < content.length) break;
  }
  return { results, lastBlock, lastWhole };
}

/** Pairs all calls and results of the messages. */
export function matchRoundTrips(messages: readonly Message[]): Matching {
  const halves = halvesOf(messages);
  const callsAt = byMessage(halves.calls, messages.length);
  const resultsAt = byMessage(halves.results, messages.length);
  const paired = new Set<Half>();
  const places = new Map<Half, Place>();
  const asks = (at: number): boolean => messages[at]?.role === 'assistant' || (callsAt[at]?.length ?? 0) > 0;
  const duplicates = new Set<Half>();

  for (let start = 0; start < messages.length; start++) {
    if (!asks(start)) continue;
    let end = start;
    while (asks(end + 1)) end += 1;
    const zone = zoneBehind(end, messages, resultsAt);
    const waiting = new Queues<Half>();
    const ids = new Set<string>();
    for (let at = start; at <= end; at++) {
      for (const call of callsAt[at]!) {
        const { id, shape } = call;
        // The one API joins answers that follow each other; the other wants results right behind the message.
        const isReachable = shape === 'block' || at === end;
        if (isReachable) waiting.put(id, call);
        const key = shape === 'block' ? id : `${at} ${id}`;
        if (ids.has(key)) duplicates.add(call);
        ids.add(key);
        if (shape === 'block') places.set(call, zone.lastBlock ?? { message: end, block: undefined });
        else places.set(call, { message: isReachable ? zone.lastWhole : at, block: undefined });
      }
    }
    for (const result of zone.results) {
      const call = waiting.take(result.id);
      if (call !== undefined) paired.add(call).add(result);
    }
    start = end;
  }

  const late: { result: Half; place: Place; isSameShape: boolean }[] = [];
  const early = new Queues<Half>();
  const rest = halves.calls.filter((call) => !paired.has(call));
  let next = 0;
  for (const result of halves.results) {
    if (paired.has(result)) continue;
    for (; (rest[next]?.message ?? Infinity) < result.message; next++) early.put(rest[next]!.id, rest[next]!);
    const call = early.take(result.id);
    if (call === undefined) continue;
    paired.add(call).add(result);
    late.push({ result, place: places.get(call)!, isSameShape: call.shape === result.shape });
  }
  const open = rest
    .filter((call) => !paired.has(call))
    .map((call) => ({ call, place: places.get(call)!, isDuplicate: duplicates.has(call) }));
  return { halves, open, late, orphans: halves.results.filter((result) => !paired.has(result)) };
}
