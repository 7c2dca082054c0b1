/** Which tool result answers which tool call. Ids may be reused later, repeated, or stand before their call. */
import type { MessageView, ToolCall } from './types.ts';

/** A call and its answer, by the index of the messages they stand in. */
export interface Pair {
  readonly id: string;
  readonly call: number;
  readonly result: number;
}

/** Half a pair. */
export interface Orphan {
  readonly id: string;
  readonly message: number;
  readonly half: 'call' | 'result';
}

export interface Pairing {
  readonly pairs: readonly Pair[];
  readonly orphans: readonly Orphan[];
}

/** Message indices waiting for the other half, oldest first; `next` moves instead of shifting, which keeps this linear. */
interface Queue {
  readonly waiting: number[];
  next: number;
}

function take(queues: Map<string, Queue>, id: string): number | undefined {
  const queue = queues.get(id);
  if (queue === undefined || queue.next >= queue.waiting.length) return undefined;
  return queue.waiting[queue.next++];
}

function put(queues: Map<string, Queue>, id: string, message: number): void {
  const queue = queues.get(id);
  if (queue === undefined) queues.set(id, { waiting: [message], next: 0 });
  else queue.waiting.push(message);
}

function leftovers(queues: Map<string, Queue>, half: Orphan['half']): Orphan[] {
  const orphans: Orphan[] = [];
  for (const [id, queue] of queues) {
    for (let i = queue.next; i < queue.waiting.length; i++) {
      const message = queue.waiting[i];
      if (message !== undefined) orphans.push({ id, message, half });
    }
  }
  return orphans;
}

/** Pairs calls with results by id and in order: the first open call of an id takes its first free result. Linear. */
export function pairUp(views: readonly MessageView[]): Pairing {
  const pairs: Pair[] = [];
  const openCalls = new Map<string, Queue>();
  const earlyResults = new Map<string, Queue>();
  views.forEach((view, message) => {
    for (const { id } of view.calls) {
      const result = take(earlyResults, id);
      if (result === undefined) put(openCalls, id, message);
      else pairs.push({ id, call: message, result });
    }
    for (const { callId: id } of view.results) {
      const call = take(openCalls, id);
      if (call === undefined) put(earlyResults, id, message);
      else pairs.push({ id, call, result: message });
    }
  });
  const orphans = [...leftovers(openCalls, 'call'), ...leftovers(earlyResults, 'result')];
  return { pairs, orphans: orphans.sort((a, b) => a.message - b.message) };
}

/**
 * For a message and the id that a result in it names: the call that it answers, of several the first in its message. Linear,
 * however many calls one message makes.
 */
export function callsByResult(
  views: readonly MessageView[],
  { pairs }: Pairing,
): (message: number, id: string) => ToolCall | undefined {
  const callers = new Map<string, number>();
  for (const { id, call, result } of pairs) callers.set(`${result} ${id}`, call);
  const read = new Map<number, ReadonlyMap<string, ToolCall>>();
  return (message, id) => {
    const caller = callers.get(`${message} ${id}`);
    if (caller === undefined) return undefined;
    let calls = read.get(caller);
    if (calls === undefined) {
      calls = new Map(views[caller]!.calls.toReversed().map((call) => [call.id, call]));
      read.set(caller, calls);
    }
    return calls.get(id);
  };
}
