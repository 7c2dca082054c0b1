/**
 * Where a conversation may be cut in two: in front of a typed prompt, never between a tool call and its answer. The newest
 * exchanges stay whole behind the cut. Pure; linear.
 */
import { protectedReasons } from '../compaction/protect.ts';
import { pairUp } from '../messages/pairs.ts';
import { isTypedPrompt } from '../messages/typed.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { tornPlaces, unitsOf } from '../messages/units.ts';

/** Exchanges that stay as they are: the default of `tailTurns`. */
const TAIL_TURNS = 2;
/** A cut in front of which less of the tokens stands is not worth a summary, where there is another. */
const WORTHWHILE_SHARE = 0.25;
/** Of a conversation that is cut within an exchange, the share of its tokens that stays behind the cut, at most. */
const STEP_TAIL_SHARE = 0.25;

export interface CutOptions {
  /** How many exchanges stay whole, at most; at least one does. */
  readonly tailTurns?: number | undefined;
  /** Nothing from this message on is summarised; the cut moves back from here to where nothing is torn. */
  readonly upTo?: number | undefined;
  /** Messages that must stay, such as a harness's plan. */
  readonly pinned?: ((message: Message) => boolean) | undefined;
}

/** What goes and what stays. */
export interface Cut {
  /** The first message that stays untouched. */
  readonly at: number;
  /** Messages before it that are to be summarised, by index. */
  readonly summarised: readonly number[];
  /** Messages before it that stay as they are: system messages, what is pinned, the newest prompt, calls that wait. */
  readonly kept: readonly number[];
}

/** What the structure of a conversation says about where it may be cut. */
interface Structure {
  readonly views: readonly MessageView[];
  /** For each index: whether a tool round trip goes across the place in front of it. */
  readonly torn: readonly boolean[];
  readonly stays: readonly boolean[];
}

function structureOf(
  messages: readonly Message[],
  views: readonly MessageView[],
  pinned: CutOptions['pinned'],
): Structure {
  const pairing = pairUp(views);
  const units = unitsOf(messages.length, pairing);
  const reasons = protectedReasons(messages, views, units, pairing, pinned);
  return { views, torn: tornPlaces(units), stays: reasons.map((reason) => reason !== undefined) };
}

/** Indices at which an exchange begins: a typed prompt that no other typed prompt stands in front of, with nothing torn there. */
function exchangeStarts(messages: readonly Message[], { views, torn }: Structure): number[] {
  const starts: number[] = [];
  let behindPrompt = false;
  messages.forEach((message, index) => {
    if (views[index]?.role === 'system') return;
    const isPrompt = isTypedPrompt(message);
    if (isPrompt && !behindPrompt && torn[index] === false) starts.push(index);
    behindPrompt = isPrompt;
  });
  return starts;
}

/** In one exchange, places in front of an answer of the model's where nothing is torn. */
function stepStarts({ views, torn }: Structure): number[] {
  return views.flatMap(({ role }, index) => (role === 'assistant' && torn[index] === false ? [index] : []));
}

function cutAt(at: number, { stays }: Structure): Cut {
  const summarised: number[] = [];
  const kept: number[] = [];
  for (let index = 0; index < at; index++) (stays[index] === true ? kept : summarised).push(index);
  return { at, summarised, kept };
}

/** The newest step start behind which at most a share of the tokens stands; the last one if none is so light. */
function lightest(starts: readonly number[], tokens: readonly number[]): number | undefined {
  const total = tokens.reduce((sum, count) => sum + count, 0);
  let tail = 0;
  let from = tokens.length;
  let chosen: number | undefined;
  for (const start of starts.toReversed()) {
    for (; from > start; from--) tail += tokens[from - 1] ?? 0;
    if (chosen !== undefined && tail > total * STEP_TAIL_SHARE) break;
    chosen = start;
  }
  return chosen;
}

/** The first place in front of which enough stands; the one in front of which most does if there is none. */
function firstWorthwhile(places: readonly number[], tokens: readonly number[]): number | undefined {
  const before = [0];
  for (const count of tokens) before.push((before.at(-1) ?? 0) + count);
  const enough = (before.at(-1) ?? 0) * WORTHWHILE_SHARE;
  const found = places.find((place) => (before[place] ?? 0) >= enough);
  return found ?? places.toSorted((a, b) => b - a)[0];
}

/**
 * The cut; undefined if there is nothing in front of any that could be summarised. `tokens` are those of the messages.
 *
 * It stands in front of a typed prompt, so that at most `tailTurns` exchanges stay whole behind it: fewer, where little would be left
 * to summarise. A conversation most of which is its newest exchange, such as a long tool loop, is cut in front of a step of that; its
 * prompt stays, in front of the steps that are left.
 */
export function cutOf(
  messages: readonly Message[],
  views: readonly MessageView[],
  tokens: readonly number[],
  { tailTurns = TAIL_TURNS, upTo, pinned }: CutOptions = {},
): Cut | undefined {
  const structure = structureOf(messages, views, pinned);
  const firstThatGoes = structure.stays.indexOf(false);
  const isUseful = (start: number): boolean => firstThatGoes >= 0 && start > firstThatGoes;
  const exchanges = exchangeStarts(messages, structure).filter(isUseful);
  const steps = stepStarts(structure).filter(isUseful);
  if (upTo !== undefined) {
    const at = [...exchanges, ...steps].filter((start) => start <= upTo).reduce((a, b) => Math.max(a, b), -1);
    return at < 0 ? undefined : cutAt(at, structure);
  }
  const tails = exchanges.slice(-Math.max(1, Math.floor(tailTurns)));
  const step = lightest(steps, tokens);
  const at = firstWorthwhile(step === undefined ? tails : [...tails, step], tokens);
  return at === undefined ? undefined : cutAt(at, structure);
}
