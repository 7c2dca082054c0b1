/** Lets go of tool results: old ones whole, by a mark that brings them back, and the newest ones of their middle. Pure. */
import { handleOf } from '../messages/handle.ts';
import { partsOf } from '../messages/parts.ts';
import { rewriteMessage } from '../messages/rewrite.ts';
import type { Block, Message } from '../messages/types.ts';
import { isResultBlock } from '../messages/view.ts';
import { capToolResult } from '../shaping/cap.ts';
import { stubResults } from '../shaping/stub.ts';
import { resultTokens } from './growth.ts';
import type { Count, Sheet } from './sheet.ts';

/** What came of pruning. */
export interface Pruned {
  /** The list that was given if nothing changed. */
  readonly messages: readonly Message[];
  readonly changed: number;
  readonly freed: number;
}

/** A result of a sub-agent cost a whole run of a model. */
const SUB_AGENTS: ReadonlySet<string> = new Set(['task', 'agent']);
const SUB_AGENT_AGAIN =
  "a sub-agent's work: by its handle it costs as many tokens to read again, else the sub-agent has to run again";
/** A result that was cut names the handle of the whole. */
const CUT = /^\[chitta:cut (#[a-z2-7]{7}) /;
/** What `capToolResult` makes of a budget. */
const CAP_SHARE = 2 / 5;

/** Whether a call runs a sub-agent. */
function isSubAgent(name: string | undefined): boolean {
  return name !== undefined && SUB_AGENTS.has(name.toLowerCase());
}

/** Which results of a message a pass is for. */
type Whose = 'tools' | 'sub-agents' | 'all';

function stubbed(sheet: Sheet, at: number, message: Message, whose: Whose): Message {
  if (sheet.shown[at] === true && whose !== 'sub-agents') {
    // Media without texts: a mark for each.
    return (
      rewriteMessage(
        message,
        partsOf(message).map(({ kind }) => (kind === 'media' ? [] : 'keep')),
      ) ?? message
    );
  }
  return stubbedResults(sheet, at, message, whose);
}

function stubbedResults({ messages, views, callOf }: Sheet, at: number, message: Message, whose: Whose): Message {
  const { results } = views[at]!;
  const isMeant = (id: string): boolean =>
    whose === 'all' || isSubAgent(callOf(at, id)?.name) === (whose === 'sub-agents');
  if (!results.some(({ callId }) => isMeant(callId))) return message;
  const cut = results.map(({ text }) => CUT.exec(text)?.[1]).find((known) => known !== undefined);
  // The handle of a message without an id is that of its content, so one that was changed has lost its own.
  const handle = cut ?? (message === messages[at] ? undefined : handleOf(messages[at]!));
  const stub = stubResults(message, (id) => callOf(at, id), {
    ...(handle === undefined ? {} : { handle }),
    again: (call) => (isSubAgent(call?.name) ? SUB_AGENT_AGAIN : 'make the call again if needed'),
  });
  if (stub === message || results.every(({ callId }) => isMeant(callId))) return stub;
  const before = message.content;
  if (!Array.isArray(stub.content) || !Array.isArray(before)) return stub;
  const content = stub.content.map((block: Block, index): Block => {
    const old: Block = before[index]!;
    return isResultBlock(old) && !isMeant(String(old['tool_use_id'])) ? old : block;
  });
  return content.every((block, index) => block === before[index]) ? message : { ...message, content };
}

/** A list of messages that is changed one by one; the original until something is. */
class Draft {
  readonly #original: readonly Message[];
  readonly #count: Count;
  readonly #changed: Map<number, Message> = new Map();
  readonly #stays: readonly boolean[];
  freed = 0;

  constructor({ messages, stays }: Sheet, count: Count) {
    this.#original = messages;
    this.#stays = stays;
    this.#count = count;
  }

  at(index: number): Message {
    return this.#changed.get(index) ?? this.#original[index]!;
  }

  /** Puts another message in the place of one, if it must not stay and that makes it smaller. */
  put(index: number, after: Message): void {
    const before = this.at(index);
    if (after === before || this.#stays[index] === true) return;
    const saved = this.#count(before) - this.#count(after);
    if (saved <= 0) return;
    this.#changed.set(index, after);
    this.freed += saved;
  }

  done(): Pruned {
    const messages = this.#changed.size === 0 ? this.#original : this.#original.map((_, index) => this.at(index));
    return { messages, changed: this.#changed.size, freed: this.freed };
  }
}

/** Lets go of the tool results before the tail; those of sub-agents stay, and what is pinned. */
export function pruneBefore(sheet: Sheet, tail: number, count: Count): Pruned {
  const draft = new Draft(sheet, count);
  for (let at = 0; at < tail; at++) draft.put(at, stubbed(sheet, at, draft.at(at), 'tools'));
  return draft.done();
}

/** The most that each of these may have so that together they have no more than `room`: who needs less leaves it to the others. */
function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  const sorted = sizes.toSorted((a, b) => a - b);
  for (const [at, size] of sorted.entries()) {
    const share = left / (sorted.length - at);
    if (size > share) return Math.max(0, Math.floor(share));
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * The last resort: results anywhere, until the request has no more than `target` tokens. Oldest first, those of sub-agents
 * after all others; then the newest, which the model has not seen, lose their middle, and go only if the request would not
 * fit into the window else.
 */
export function pruneTail(
  sheet: Sheet,
  { size, target, window }: { readonly size: number; readonly target: number; readonly window: number },
  count: Count,
): Pruned {
  const { messages, views } = sheet;
  const draft = new Draft(sheet, count);
  const newest = views.findLastIndex(({ role }) => role === 'assistant') + 1;
  for (const whose of ['tools', 'sub-agents'] as const) {
    for (let at = 0; at < newest && size - draft.freed > target; at++) {
      draft.put(at, stubbed(sheet, at, draft.at(at), whose));
    }
  }
  if (size - draft.freed > target) {
    const sizes = messages.slice(newest).flatMap((message) => resultTokens(message, count));
    const others = size - draft.freed - sizes.reduce((sum, own) => sum + own, 0);
    const share = fairShare(sizes, target - others);
    for (let at = newest; at < messages.length; at++) {
      draft.put(at, capToolResult(draft.at(at), Math.ceil(share / CAP_SHARE)));
    }
  }
  for (let at = newest; at < messages.length && size - draft.freed > window; at++) {
    draft.put(at, stubbed(sheet, at, draft.at(at), 'all'));
  }
  return draft.done();
}
