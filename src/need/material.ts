/** A conversation as the need strategy selects from it: things to open, and hunks of their texts to take. Pure. */
import type { Item } from '../compaction/strategy.ts';
import { type Field, type Part, partsOf } from '../messages/parts.ts';
import { isSummary, isTypedPrompt } from '../messages/typed.ts';
import type { Message } from '../messages/types.ts';
import { USUAL, weigh } from '../tokens/costs.ts';
import { Features, type LineKind, type Sighting } from './features.ts';
import { hunksOf, keyOf, linesOf } from './lines.ts';
import type { Place as PlaceKind } from './rates.ts';
import { type Thing, thingsOf } from './things.ts';
import { isFileKey } from './tools.ts';

/** A run of lines of one text. */
export interface Hunk {
  readonly thing: number;
  readonly text: number;
  readonly first: number;
  readonly last: number;
  /** Without marks for what is left out around it. */
  tokens: number;
  readonly features: readonly number[];
}

/** One text of a part that lines can be left out of; its hunks follow one another from `firstHunk` on. */
export interface Text {
  readonly thing: number;
  readonly message: number;
  readonly part: number;
  readonly field: number;
  readonly lines: readonly string[];
  readonly firstHunk: number;
  readonly endHunk: number;
}

/** What comes with a thing as soon as it is opened: framing, the tool's name, short inputs. */
export interface Stub {
  tokens: number;
  readonly features: readonly number[];
}

export interface Material {
  readonly parts: readonly (readonly Part[])[];
  readonly things: readonly Thing[];
  readonly stubs: readonly Stub[];
  readonly texts: readonly Text[];
  readonly hunks: readonly Hunk[];
  readonly features: Features;
  /** Tokens of the thinking of each message. */
  readonly thinking: readonly number[];
  /** Index of the newest typed prompt; −1 without one. */
  readonly lastPrompt: number;
  /** Indices of the typed prompts. */
  readonly prompts: readonly number[];
}

/** A short input says what a call is about and stays with it. */
const SHORT_INPUT_CHARS = 120;
/** Lines of a hunk: code is read in its context, output line by line. */
const HUNK_LINES = { written: 32, read: 16, output: 3, prose: 2 } as const;
/** Framing, as the token estimate counts it. */
const FRAME = { text: 1, call: 10, result: 8, media: 1, other: 1, thinking: 1 } as const;
const MEDIA_TOKENS = 1_600;
/** A change in the estimate of a message is not followed beyond this. */
const MAX_CORRECTION = 1.6;
export const MESSAGE_FRAME = 4;
/** What marks cost: one that names the handle, and one that does not. */
export const NAMED_MARK_TOKENS = 16;
export const MARK_TOKENS = 8;

function placeOf(part: Part, thing: Thing, role: Item['role'], isPrompt: boolean): PlaceKind {
  if (part.kind === 'call') return 'input';
  if (part.kind === 'result') {
    return thing.tool === 'read' || thing.tool === 'shell' || thing.tool === 'search' ? thing.tool : 'result';
  }
  if (role === 'assistant') return 'assistant';
  return isPrompt ? 'prompt' : 'result';
}

function lineKindOf(part: Part, { tool, isError }: Thing, { key }: Field): LineKind {
  if (part.kind === 'result') {
    if (isError) return 'failed';
    return tool === 'read' ? 'read' : tool === 'edit' ? 'edited' : 'plain';
  }
  if (part.kind !== 'call' || isFileKey(key)) return 'plain';
  if (tool === 'write') return 'written';
  if (tool !== 'edit') return 'plain';
  return key.startsWith('old') ? 'replaced' : 'edited';
}

function hunkLinesOf(part: Part, kind: LineKind): number {
  if (part.kind === 'result') return kind === 'read' ? HUNK_LINES.read : HUNK_LINES.output;
  return kind === 'plain' ? HUNK_LINES.prose : HUNK_LINES.written;
}

/** Collects features without repeats; one at a time. */
class Distinct {
  /** The round in which each feature was added last. */
  readonly #rounds: number[] = [];
  #round = 1;
  #list: number[] = [];

  add(features: readonly number[]): void {
    for (const feature of features) {
      if (this.#rounds[feature] === this.#round) continue;
      this.#rounds[feature] = this.#round;
      this.#list.push(feature);
    }
  }

  take(): readonly number[] {
    const list = this.#list;
    this.#list = [];
    this.#round += 1;
    return list;
  }
}

/** Fields of a call in the order in which they come true: what an edit replaces is gone before the new text stands there. */
function inOrder(fields: readonly Field[]): readonly (readonly [Field, number])[] {
  const numbered = fields.map((field, index): readonly [Field, number] => [field, index]);
  const replaced = numbered.filter(([{ key }]) => key.startsWith('old'));
  return replaced.length === 0 ? numbered : [...replaced, ...numbered.filter(([{ key }]) => !key.startsWith('old'))];
}

/** Tokens as the messages are priced, where the parts were weighed by the estimate. Marks are weighed rightly already. */
function calibrate(
  items: readonly Item[],
  weighed: readonly number[],
  { stubs, hunks, texts, things }: Material,
): void {
  const factors = items.map(({ tokens }, message) =>
    Math.min(MAX_CORRECTION, Math.max(1 / MAX_CORRECTION, tokens / weighed[message]!)),
  );
  for (const hunk of hunks) hunk.tokens *= factors[texts[hunk.text]!.message]!;
  stubs.forEach((stub, thing) => (stub.tokens *= factors[things[thing]!.places[0]!.message]!));
  for (const { thing } of texts) if (things[thing]!.kind === 'call') stubs[thing]!.tokens += NAMED_MARK_TOKENS;
}

/** Reads a conversation. Linear; never throws on content. */
export function materialOf(messages: readonly Message[], items: readonly Item[]): Material {
  const parts = messages.map(partsOf);
  const things = thingsOf(parts);
  const thingAt = parts.map((list) => list.map(() => -1));
  things.forEach(({ places }, thing) => {
    for (const { message, part } of places) thingAt[message]![part] = thing;
  });
  const features = new Features();
  const stubFeatures = things.map((): (readonly number[])[] => []);
  const stubTokens = things.map(() => 0);
  const texts: Text[] = [];
  const hunks: Hunk[] = [];
  const distinct = new Distinct();
  const prompts = messages.flatMap((message, index) => (isTypedPrompt(message) ? [index] : []));
  const isPrompt = new Set(prompts);

  const thinking = parts.map((list) =>
    list.reduce(
      (sum, { kind, fields }) =>
        kind === 'thinking' ? fields.reduce((all, { text }) => all + weigh(text, USUAL), sum) : sum,
      0,
    ),
  );
  const weighed = thinking.map((tokens) => MESSAGE_FRAME + tokens);

  const readText = (
    thing: number,
    keys: readonly string[],
    lines: readonly string[],
    seen: Sighting,
    size: number,
  ): number => {
    const found = keys.map((key, index) => features.see(key, index, seen));
    const firstHunk = hunks.length;
    for (const [first, last] of hunksOf(keys, size)) {
      for (let line = first; line <= last; line++) distinct.add(found[line]!);
      const tokens = weigh(lines.slice(first, last + 1).join('\n'), USUAL) + 1;
      hunks.push({ thing, text: texts.length, first, last, tokens, features: distinct.take() });
    }
    return firstHunk;
  };

  messages.forEach((message, index) => {
    const { ageTokens, role } = items[index]!;
    const summary = isSummary(message);
    parts[index]!.forEach((part, at) => {
      const number = thingAt[index]![at]!;
      const thing = things[number];
      if (thing === undefined) return;
      const frame = FRAME[part.kind] + weigh(part.name ?? '', USUAL);
      const media = part.mediaCount * MEDIA_TOKENS;
      weighed[index]! += frame + media;
      stubTokens[number]! += frame + (part.kind === 'media' || thing.fixed ? media : 0);
      const place = placeOf(part, thing, role, isPrompt.has(index) || summary);
      for (const [field, fieldIndex] of inOrder(part.fields)) {
        if (field.text === '') continue;
        const kind = lineKindOf(part, thing, field);
        // A summary stands for everything before it, so what it names does not grow old.
        const seen: Sighting = { place, kind, ageTokens: summary ? 0 : ageTokens, file: thing.file };
        const lines = linesOf(field.text);
        const keys = lines.map(keyOf);
        if (thing.fixed || (part.kind === 'call' && field.text.length <= SHORT_INPUT_CHARS)) {
          keys.forEach((key, line) => stubFeatures[number]!.push(features.see(key, line, seen)));
          const tokens = weigh(field.text, USUAL);
          stubTokens[number]! += tokens;
          weighed[index]! += tokens;
          continue;
        }
        const firstHunk = readText(number, keys, lines, seen, hunkLinesOf(part, kind));
        texts.push({
          thing: number,
          message: index,
          part: at,
          field: fieldIndex,
          lines,
          firstHunk,
          endHunk: hunks.length,
        });
        for (let hunk = firstHunk; hunk < hunks.length; hunk++) weighed[index]! += hunks[hunk]!.tokens;
      }
    });
  });
  const stubs = stubFeatures.map((lists, thing) => {
    for (const list of lists) distinct.add(list);
    return { tokens: stubTokens[thing]!, features: distinct.take() };
  });
  const material = {
    parts,
    things,
    stubs,
    texts,
    hunks,
    features,
    thinking,
    prompts,
    lastPrompt: prompts.at(-1) ?? -1,
  };
  calibrate(items, weighed, material);
  return material;
}
