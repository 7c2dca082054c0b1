/** Turns a selection into messages: every line of the output is a line of the input, or a mark that says what is left out. */
import type { KeptLines } from '../compaction/strategy.ts';
import { handleOf } from '../messages/handle.ts';
import { writeMark } from '../messages/marks.ts';
import { type PartChange, rewriteMessage } from '../messages/rewrite.ts';
import type { Message } from '../messages/types.ts';
import { numbersOf } from './lines.ts';
import type { Material, Text } from './material.ts';
import type { Selection } from './selection.ts';

/** What is left of a message: the same object if all of it, undefined if nothing. */
export interface Written {
  readonly message: Message | undefined;
  /** Of texts that are kept in part or not at all, while something else of the message is kept. */
  readonly kept: readonly KeptLines[];
  /** Nothing is left but what its parts were: no line of any text. */
  readonly isStub: boolean;
}

function runsOf({ firstHunk, endHunk }: Text, { hunks }: Material, selection: Selection): [number, number][] {
  const runs: [number, number][] = [];
  for (let number = firstHunk; number < endHunk; number++) {
    if (!selection.isTaken(number)) continue;
    const { first, last } = hunks[number]!;
    const run = runs.at(-1);
    if (run !== undefined && run[1] + 1 === first) run[1] = last;
    else runs.push([first, last]);
  }
  return runs;
}

/** How much stands between two lines; of pieces of a long line it is told which line they are of, and they are no lines. */
function leftOut(from: number, until: number, all: number, numbers: readonly number[] | undefined): string {
  const line = (at: number): number => numbers?.[at] ?? at;
  const [first, last] = [line(from), line(until - 1)];
  const count = last - first + 1;
  const beginsInside = from > 0 && line(from - 1) === first;
  const endsInside = until < all && line(until) === last;
  if (count === 1 && (beginsInside || endsInside)) return 'part of a line';
  return count === 1 ? '1 line' : `${count} lines`;
}

/** For each of the lines its number in the text; undefined if none is a piece of a longer one. */
function numbersIn(text: string, lines: readonly string[]): readonly number[] | undefined {
  const chars = lines.reduce((sum, { length }) => sum + length, 0);
  // Each line but the last ends with a line feed, and a piece with none.
  return chars + lines.length - 1 === text.length ? undefined : numbersOf(text);
}

/** The kept lines, with a mark for each gap; the first mark of a message names its handle. */
function excerpt(
  lines: readonly string[],
  runs: readonly (readonly [number, number])[],
  handles: readonly string[],
  numbers: readonly number[] | undefined,
): string {
  const out: string[] = [];
  let at = 0;
  let unnamed = handles;
  const leaveOut = (until: number): void => {
    if (until <= at) return;
    out.push(writeMark('gap', unnamed, leftOut(at, until, lines.length, numbers)));
    unnamed = [];
  };
  for (const [first, last] of runs) {
    leaveOut(first);
    for (let line = first; line <= last; line++) out.push(lines[line]!);
    at = last + 1;
  }
  leaveOut(lines.length);
  return out.join('\n');
}

/** Writes the messages of a material. */
export class Writer {
  readonly #messages: readonly Message[];
  readonly #material: Material;
  readonly #thingAt: readonly (readonly number[])[];
  readonly #texts: readonly (readonly Text[])[];
  readonly #handles = new Map<number, string>();
  readonly #written: (Written | undefined)[] = [];
  /** What the selection said of each message when it was written. */
  readonly #states: readonly number[][];

  constructor(messages: readonly Message[], material: Material) {
    this.#messages = messages;
    this.#material = material;
    const thingAt = material.parts.map((list) => list.map(() => -1));
    material.things.forEach(({ places }, thing) => {
      for (const { message, part } of places) thingAt[message]![part] = thing;
    });
    this.#thingAt = thingAt;
    const texts: Text[][] = material.parts.map(() => []);
    for (const text of material.texts) texts[text.message]!.push(text);
    this.#texts = texts;
    this.#states = messages.map(() => []);
  }

  /** Notes what the selection says of the message's parts and hunks, and whether that is new. */
  #hasChanged(message: number, selection: Selection): boolean {
    const state = this.#states[message]!;
    let at = 0;
    let hasChanged = false;
    const note = (value: number): void => {
      if (state[at] !== value) {
        state[at] = value;
        hasChanged = true;
      }
      at += 1;
    };
    for (const thing of this.#thingAt[message]!) {
      if (thing >= 0) note(Number(selection.isOpen(thing)) + 2 * Number(selection.isWhole(thing)));
    }
    for (const { firstHunk, endHunk } of this.#texts[message]!) {
      for (let hunk = firstHunk; hunk < endHunk; hunk++) note(Number(selection.isTaken(hunk)));
    }
    return hasChanged;
  }

  #handle(message: number): string {
    let handle = this.#handles.get(message);
    if (handle === undefined) {
      handle = handleOf(this.#messages[message]!);
      this.#handles.set(message, handle);
    }
    return handle;
  }

  /**
   * What is left of one message: the same object as long as the selection says the same. A message that consists of thinking
   * alone, or of nothing, stays only if it `mustStay`.
   */
  write(message: number, selection: Selection, mustStay: boolean): Written {
    let written = this.#written[message];
    if (this.#hasChanged(message, selection) || written === undefined) {
      written = this.#writeAnew(message, selection, mustStay);
      this.#written[message] = written;
    }
    return written;
  }

  #writeAnew(message: number, selection: Selection, mustStay: boolean): Written {
    const original = this.#messages[message]!;
    const parts = this.#material.parts[message]!;
    const changes: PartChange[] = parts.map((part, at) => {
      if (part.kind === 'thinking') return 'keep';
      const thing = this.#thingAt[message]![at]!;
      if (!selection.isOpen(thing)) return 'drop';
      // Media stay with what is kept whole, and give way to a mark elsewhere.
      return part.mediaCount > 0 && !part.fixed && !selection.isWhole(thing)
        ? part.fields.map(() => undefined)
        : 'keep';
    });
    if (parts.every(({ kind }, at) => kind === 'thinking' || changes[at] === 'drop')) {
      return { message: mustStay ? original : undefined, kept: [], isStub: false };
    }
    const kept: KeptLines[] = [];
    const emptied = new Set<number>();
    let hasLines = false;
    for (const text of this.#texts[message]!) {
      const { kind, fields } = parts[text.part]!;
      const field = kind === 'call' ? fields[text.field]!.key : kind;
      const { length: of } = text.lines;
      const place = [text.part, text.field] as const;
      const before = changes[text.part]!;
      if (before === 'drop') {
        kept.push({ place, field, of, lines: [] });
        continue;
      }
      const runs = runsOf(text, this.#material, selection);
      if (runs.length > 0) hasLines = true;
      else emptied.add(text.part);
      if (runs.length === 1 && runs[0]![0] === 0 && runs[0]![1] === of - 1) continue;
      const texts =
        typeof before === 'string' ? parts[text.part]!.fields.map((): string | undefined => undefined) : [...before];
      const whole = fields[text.field]!.text;
      texts[text.field] = excerpt(text.lines, runs, [this.#handle(message)], numbersIn(whole, text.lines));
      changes[text.part] = texts;
      kept.push({ place, field, of, lines: runs });
    }
    const isStub =
      !hasLines && parts.every(({ kind }, at) => kind === 'thinking' || changes[at] === 'drop' || emptied.has(at));
    if (message < this.#material.lastPrompt && !mustStay) {
      // In a closed exchange thinking has done its work. Where answers come to stand together, it would read as theirs.
      parts.forEach(({ kind }, at) => {
        if (kind === 'thinking') changes[at] = 'drop';
      });
    }
    return { message: rewriteMessage(original, changes), kept, isStub };
  }
}
