/** A request while it is shaped: its messages, what becomes of each, and what that costs. Never mutates a message. */
import { writeMark } from '../messages/marks.ts';
import type { Message } from '../messages/types.ts';
import { cutResults } from './cap.ts';
import type { Layout } from './layout.ts';
import { shortenCalls, shortenTexts, withoutThinking } from './shorten.ts';
import { type Change, keysOf, type ShapeState } from './state.ts';
import { stubResults } from './stub.ts';

/** Stages, cheapest loss first. `cap-prompt` is the last resort. */
const STAGES = ['stub-results', 'shorten-calls', 'snip', 'shorten-tail', 'cap-prompt'] as const;
export type StageName = (typeof STAGES)[number];

/** What the mark in place of the oldest messages costs, at most. */
const MARK_TOKENS = 48;

/** Messages and tokens that a stage took. */
export interface StageTaken {
  readonly name: StageName;
  readonly messages: number;
  readonly tokens: number;
}

export class Draft {
  readonly messages: readonly Message[];
  readonly layout: Layout;
  readonly keys: readonly string[];
  readonly #handles: readonly string[];
  readonly #price: (message: Message) => number;
  readonly #costs: readonly number[];
  readonly #changes = new Map<number, Change>();
  readonly #changed = new Map<number, { readonly message: Message; readonly tokens: number }>();
  readonly #snipped = new Set<number>();
  #mark: { readonly message: Message; readonly tokens: number } | undefined;
  /** The message before which the mark stands, and the last one left out. */
  #markAt = -1;
  #through = -1;
  #lasts: Map<number, number> | undefined;
  /** Tokens of all messages as they are now, the mark included. */
  total: number;
  readonly #taken = new Map<StageName, { readonly messages: Set<number>; tokens: number }>();

  constructor(
    messages: readonly Message[],
    costs: readonly number[],
    layout: Layout,
    handles: readonly string[],
    price: (message: Message) => number,
  ) {
    this.messages = messages;
    this.layout = layout;
    this.#costs = costs;
    this.#price = price;
    this.#handles = handles;
    this.keys = keysOf(handles);
    this.total = costs.reduce((sum, cost) => sum + cost, 0);
  }

  #take(stage: StageName, message: number | undefined, tokens: number): void {
    const taken = this.#taken.get(stage) ?? { messages: new Set(), tokens: 0 };
    // A stage may come back to a message to take more of it.
    if (message !== undefined) taken.messages.add(message);
    taken.tokens += tokens;
    this.#taken.set(stage, taken);
  }

  /** What each stage took; those that took nothing are not listed. */
  get stages(): readonly StageTaken[] {
    return STAGES.flatMap((name) => {
      const { messages, tokens } = this.#taken.get(name) ?? {};
      return messages === undefined || tokens === undefined ? [] : [{ name, messages: messages.size, tokens }];
    });
  }

  /** Tokens of the prompt as it is now. */
  get promptTokens(): number {
    let sum = 0;
    for (let at = this.layout.promptStart; at < this.messages.length; at++) sum += this.costAt(at);
    return sum;
  }

  get isChanged(): boolean {
    return this.#changed.size > 0 || this.#snipped.size > 0;
  }

  costAt(at: number): number {
    return this.#changed.get(at)?.tokens ?? this.#costs[at]!;
  }

  isSnipped(at: number): boolean {
    return this.#snipped.has(at);
  }

  #written(at: number, { results, calls, thinking, texts }: Change): Message {
    const handle = this.#handles[at]!;
    let message = this.messages[at]!;
    if (results === 'stub') message = stubResults(message, (id) => this.layout.callOf(at, id), { handle });
    else if (results !== undefined) message = cutResults(message, results, handle);
    if (calls) message = shortenCalls(message, handle);
    if (thinking) message = withoutThinking(message);
    return texts === undefined ? message : shortenTexts(message, texts, handle);
  }

  /** Changes a message if that makes it cheaper. What was decided of it before stays, where the new decision says nothing. */
  change(at: number, wanted: Change, stage: StageName): void {
    if (this.#snipped.has(at)) return;
    const change = { ...this.#changes.get(at), ...wanted };
    const message = this.#written(at, change);
    const before = this.costAt(at);
    if (message === (this.#changed.get(at)?.message ?? this.messages[at])) return;
    const tokens = this.#price(message);
    if (tokens >= before) return;
    this.#changes.set(at, change);
    this.#changed.set(at, { message, tokens });
    this.total -= before - tokens;
    this.#take(stage, at, before - tokens);
  }

  #writeMark(stage: StageName): void {
    const old = this.#mark?.tokens ?? 0;
    let tokens = 0;
    let first = Infinity;
    for (const at of this.#snipped) {
      tokens += this.#costs[at]!;
      first = Math.min(first, at);
    }
    const count = this.#snipped.size;
    const note = `${count} message${count === 1 ? '' : 's'}, ${tokens} tokens left out`;
    const message: Message = { role: 'user', content: writeMark('gap', [this.#handles[first]!], note) };
    this.#mark = { message, tokens: this.#price(message) };
    this.total += this.#mark.tokens - old;
    this.#take(stage, undefined, old - this.#mark.tokens);
  }

  /**
   * Leaves out the oldest units up to `end`, whole, until the total is at most `target`; stops only where no unit is split.
   * What is held stays where it is, and so does what weighs no more than the mark that would stand for it.
   */
  snip(end: number, target: number, stage: StageName): void {
    const { isHeld, units, opening } = this.layout;
    const going: number[] = [];
    let freed = 0;
    let reach = -1;
    for (let at = 0; at < end; at++) {
      if (reach < at && this.total - freed <= target - MARK_TOKENS) break;
      if (isHeld[at]! || this.#snipped.has(at)) continue;
      const last = this.#lastOfUnit(units[at]!);
      // What is answered behind the end is not old.
      if (last >= end) continue;
      reach = Math.max(reach, last);
      going.push(at);
      freed += this.costAt(at);
    }
    // The first mark costs something itself.
    if (going.length === 0 || (this.#snipped.size === 0 && freed <= MARK_TOKENS)) return;
    for (const at of going) this.#leaveOut(at, stage);
    const first = this.messages.findIndex((_, at) => this.#snipped.has(at));
    this.#markAt = Math.min(first, opening ?? first);
    this.#writeMark(stage);
  }

  #lastOfUnit(unit: number): number {
    if (this.#lasts === undefined) {
      this.#lasts = new Map();
      for (const [at, one] of this.layout.units.entries()) this.#lasts.set(one, at);
    }
    return this.#lasts.get(unit)!;
  }

  #leaveOut(at: number, stage: StageName): void {
    const tokens = this.costAt(at);
    this.total -= tokens;
    this.#take(stage, at, tokens);
    this.#snipped.add(at);
    this.#changed.delete(at);
    this.#changes.delete(at);
    this.#through = Math.max(this.#through, at);
  }

  /** Leaves out again what was left out before: whole units only, and nothing that is held now, whatever the state says. */
  #resumeSnip({ through, kept, mark }: NonNullable<ShapeState['snip']>): void {
    const { promptStart, isHeld, units } = this.layout;
    const end = this.keys.lastIndexOf(through);
    const markAt = this.keys.indexOf(mark);
    if (end < 0 || end >= promptStart || markAt < 0) return;
    const named = new Set(kept);
    const stays = new Set<number>();
    for (let at = 0; at <= end; at++) {
      const unit = units[at]!;
      if (isHeld[at]! || named.has(this.keys[at]!) || this.#lastOfUnit(unit) > end) stays.add(unit);
    }
    for (let at = 0; at <= end; at++) if (!stays.has(units[at]!)) this.#leaveOut(at, 'snip');
    if (this.#snipped.size === 0) return;
    const first = this.messages.findIndex((_, at) => this.#snipped.has(at));
    const isTorn = units.slice(0, markAt).some((unit) => this.#lastOfUnit(unit) >= markAt);
    this.#markAt = isTorn ? first : Math.min(first, markAt);
    this.#writeMark('snip');
  }

  /** Does again what was decided before, as far as its messages are still there. */
  resume(state: ShapeState): void {
    const { promptStart, tailStart, openFrom, isFixed } = this.layout;
    if (state.snip !== undefined) this.#resumeSnip(state.snip);
    this.keys.forEach((key, at) => {
      const change = Object.hasOwn(state.messages, key) ? state.messages[key] : undefined;
      if (change === undefined || isFixed[at]!) return;
      const { results, calls, thinking, texts } = change;
      const inTail = at >= promptStart ? 'cap-prompt' : 'shorten-tail';
      if (results !== undefined) {
        this.change(at, { results }, results === 'stub' && at < tailStart ? 'stub-results' : inTail);
      }
      // After a rewind an exchange that was closed may be open again.
      const closed = thinking && at < openFrom ? { thinking } : undefined;
      if (calls || closed) {
        const own = { ...(calls && { calls }), ...closed };
        this.change(at, own, at < tailStart ? 'shorten-calls' : inTail);
      }
      if (texts !== undefined) this.change(at, { texts }, inTail);
    });
  }

  /** All decisions in effect. */
  get state(): ShapeState {
    const messages: Record<string, Change> = {};
    for (const [at, change] of [...this.#changes].sort(([a], [b]) => a - b)) messages[this.keys[at]!] = change;
    if (this.#snipped.size === 0) return { version: 1, messages };
    const kept: string[] = [];
    for (let at = 0; at < this.#through; at++) if (!this.#snipped.has(at)) kept.push(this.keys[at]!);
    return { version: 1, messages, snip: { through: this.keys[this.#through]!, mark: this.keys[this.#markAt]!, kept } };
  }

  /** The messages as they are now; the mark stands where the first one was left out. */
  get result(): readonly Message[] {
    if (!this.isChanged) return this.messages;
    const out: Message[] = [];
    this.messages.forEach((message, at) => {
      if (at === this.#markAt && this.#mark !== undefined) out.push(this.#mark.message);
      if (!this.#snipped.has(at)) out.push(this.#changed.get(at)?.message ?? message);
    });
    return out;
  }
}
