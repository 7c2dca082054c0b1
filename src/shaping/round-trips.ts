/**
 * Makes sure that every tool call has its answer and every answer its call, where the APIs want them. What is intact is
 * handed back untouched; nothing but whole results is ever added, moved or, on request, dropped.
 */
import { ChittaError } from '../errors.ts';
import { writeMark } from '../messages/marks.ts';
import { parseMessages } from '../messages/parse.ts';
import type { Block, Message, WireMessage } from '../messages/types.ts';
import type { Half, ServerHalf } from './halves.ts';
import { looseServerHalves, serverAnswer } from './server-tools.ts';
import { matchRoundTrips, type Place } from './zones.ts';

/** One half of a round trip: its id, and the index of its message in the history that was given. */
export interface RoundTripNote {
  readonly id: string;
  readonly message: number;
}

/** What was found and done. */
export interface RoundTripReport {
  /** Nothing was found: every call has its one answer, where it belongs. */
  readonly intact: boolean;
  /** Calls without an answer, which got one that says so. */
  readonly answered: readonly RoundTripNote[];
  /** Results that stood later than directly behind their call, and were put there. */
  readonly moved: readonly RoundTripNote[];
  /** Results without a call that stand where they stood. */
  readonly orphans: readonly RoundTripNote[];
  /** Results without a call that went, on request. */
  readonly dropped: readonly RoundTripNote[];
  /** Calls left as they are: a second call of one id in the same turn, or one of a server tool that nobody can answer for it. */
  readonly left: readonly RoundTripNote[];
}

export interface RoundTripOptions {
  /** Ids of calls that a prompt answers which is no part of the history. */
  readonly answeredByPrompt?: readonly string[] | ReadonlySet<string> | undefined;
  /** What becomes of results without a call; default `keep`. */
  readonly orphans?: 'keep' | 'drop' | undefined;
}

/** Messages after the repair, each with the index it had before; an added one has that of the message it stands behind. */
export interface Repaired {
  readonly messages: readonly Message[];
  readonly origins: readonly number[] | undefined;
  readonly report: RoundTripReport;
}

const NO_RESULT = writeMark('stub', [], 'no result: this call was never answered');

/** An answer to be put somewhere: a block, or a message of its own. */
type Answer = { readonly block: Block } | { readonly whole: Message };

function answerTo({ id, shape, name }: Half): Answer {
  if (shape === 'block') {
    return { block: { type: 'tool_result', tool_use_id: id, content: NO_RESULT, is_error: true } };
  }
  if (shape === 'tool') return { whole: { role: 'tool', tool_call_id: id, content: NO_RESULT } };
  return { whole: { role: 'function', name, content: NO_RESULT } };
}

/** Puts one more into the list of a key. */
function pushTo<T>(lists: Map<number, T[]>, key: number, one: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [one]);
  else list.push(one);
}

/** What is to be done, by message. */
class Edits {
  readonly #dropped = new Map<number, Set<number>>();
  readonly #inside = new Map<number, Map<number, Block[]>>();
  readonly #blocksBehind = new Map<number, Block[]>();
  readonly #messagesBehind = new Map<number, Message[]>();
  isEmpty = true;

  drop({ message, block }: { readonly message: number; readonly block: number }): void {
    this.isEmpty = false;
    const blocks = this.#dropped.get(message);
    if (blocks === undefined) this.#dropped.set(message, new Set([block]));
    else blocks.add(block);
  }

  add({ message, block }: Place, answer: Answer): void {
    this.isEmpty = false;
    if ('whole' in answer) pushTo(this.#messagesBehind, message, answer.whole);
    else if (block === undefined) pushTo(this.#blocksBehind, message, answer.block);
    else {
      const blocks = this.#inside.get(message) ?? new Map<number, Block[]>();
      this.#inside.set(message, blocks);
      pushTo(blocks, block, answer.block);
    }
  }

  #edited(message: Message, at: number): Message | undefined {
    const dropped = this.#dropped.get(at);
    const inside = this.#inside.get(at);
    if (dropped === undefined && inside === undefined) return message;
    const { content } = message;
    if (dropped?.has(-1) || !Array.isArray(content)) return undefined;
    const blocks: Block[] = [];
    content.forEach((block: Block, index) => {
      if (dropped?.has(index) !== true) blocks.push(block);
      for (const added of inside?.get(index) ?? []) blocks.push(added);
    });
    return blocks.length === 0 ? undefined : { ...message, content: blocks };
  }

  apply(messages: readonly Message[]): { messages: Message[]; origins: number[] } {
    const out: Message[] = [];
    const origins: number[] = [];
    const put = (message: Message, origin: number): void => {
      out.push(message);
      origins.push(origin);
    };
    messages.forEach((message, at) => {
      const edited = this.#edited(message, at);
      if (edited !== undefined) put(edited, at);
      const blocks = this.#blocksBehind.get(at);
      if (blocks !== undefined) put({ role: 'user', content: blocks }, at);
      for (const one of this.#messagesBehind.get(at) ?? []) put(one, at);
    });
    return { messages: out, origins };
  }
}

const noteOf = ({ id, message }: Half | ServerHalf): RoundTripNote => ({ id, message });

/** Of the calls that are open, those that the prompt answers: the newest of each id. */
function withoutPrompts<T extends { readonly call: Half }>(open: readonly T[], ids: ReadonlySet<string>): readonly T[] {
  if (ids.size === 0) return open;
  const left = new Set(ids);
  return open
    .toReversed()
    .filter(({ call }) => !left.delete(call.id))
    .reverse();
}

function dropsOrphans({ orphans = 'keep' }: RoundTripOptions): boolean {
  if (orphans === 'keep' || orphans === 'drop') return orphans === 'drop';
  throw new ChittaError('E_PARAM_INVALID', `orphans is ${String(orphans)}, neither keep nor drop`, {
    field: 'orphans',
  });
}

/** As `enforceToolRoundTrips`, for those who need to know which message came from which. */
export function repairRoundTrips(history: readonly Message[], options: RoundTripOptions = {}): Repaired {
  const drops = dropsOrphans(options);
  const { halves, open, late, orphans } = matchRoundTrips(history);
  const server = looseServerHalves(halves, history);
  const report: { -readonly [K in Exclude<keyof RoundTripReport, 'intact'>]: RoundTripNote[] } = {
    answered: [],
    moved: [],
    orphans: [],
    dropped: [],
    left: [],
  };
  const edits = new Edits();
  for (const { result, place, isSameShape } of late) {
    // An answer in the other wire shape is one that neither API would read anywhere.
    if (!isSameShape) continue;
    const message = history[result.message]!;
    const { content } = message;
    const block: Block | undefined = Array.isArray(content) ? content[result.block] : undefined;
    edits.drop(result);
    edits.add(place, block === undefined ? { whole: message } : { block });
    report.moved.push(noteOf(result));
  }
  for (const { call, place, isDuplicate } of withoutPrompts(open, new Set(options.answeredByPrompt))) {
    if (isDuplicate) report.left.push(noteOf(call));
    else {
      edits.add(place, answerTo(call));
      report.answered.push(noteOf(call));
    }
  }
  for (const call of server.calls) {
    const answer = serverAnswer(call);
    if (answer === undefined) report.left.push(noteOf(call));
    else {
      edits.add(call, { block: answer });
      report.answered.push(noteOf(call));
    }
  }
  for (const result of [...orphans, ...server.results]) {
    if (drops) edits.drop(result);
    report[drops ? 'dropped' : 'orphans'].push(noteOf(result));
  }
  const intact = Object.values(report).every((list) => list.length === 0);
  if (edits.isEmpty) return { messages: history, origins: undefined, report: { intact, ...report } };
  return { ...edits.apply(history), report: { intact, ...report } };
}

/**
 * The history with every tool round trip whole, in either wire shape; the same array if it was.
 *
 * A call without an answer gets one that says so, directly behind its message (in the message that answers its siblings,
 * where results are blocks), unless `answeredByPrompt` names it. A result that stands later than there is moved there. A
 * result without a call stays and is reported, or goes with `orphans: 'drop'`. Ids that are used again pair in order.
 * Throws E_MESSAGE_INVALID for what is no message, E_PARAM_INVALID for another word than `keep` or `drop`. Linear; mutates
 * nothing.
 */
export function enforceToolRoundTrips<M extends WireMessage>(
  history: readonly M[],
  options: RoundTripOptions = {},
): { readonly messages: readonly M[]; readonly report: RoundTripReport } {
  const { messages, origins, report } = repairRoundTrips(parseMessages(history), options);
  if (origins === undefined) return { messages: history, report };
  // The caller's own messages, copies of them, and answers in the same wire shape.
  return { messages: messages as readonly unknown[] as readonly M[], report };
}
