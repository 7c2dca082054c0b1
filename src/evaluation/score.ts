/** How much of an episode's truth survives in a compacted context. */
import type { Message } from '../messages/types.ts';
import { LineSequence } from './contiguous.ts';
import { faultOf } from './normalise.ts';
import { Reach } from './reach.ts';
import { blocksOf, type Reading, stringsOf } from './reading.ts';
import type { TokenCounter } from './tokens.ts';
import type { NeededIdentifier, Truth } from './truth.ts';

/** A class with fewer items says nothing about an episode. */
const MIN_ITEMS = 3;
/** In a longer line the line need not survive: the identifier with what stands around it is enough. */
const LONG_LINE = 200;
const AROUND = 16;
/** Places in one long line that are looked at. */
const MAX_PLACES = 4;

/** Shares, 0–1; null where the episode has too little of it. */
export interface Score {
  readonly ids: number | null;
  readonly idsOld: number | null;
  readonly idsCommon: number | null;
  readonly idsLoose: number | null;
  readonly prose: number | null;
  readonly editLines: number | null;
  readonly editsWhole: number | null;
  /** As `ids` and `editLines`, and what can be got back because the turn that holds it is named in sight. */
  readonly idsInReach: number | null;
  readonly editLinesInReach: number | null;
  readonly errors: number | null;
  readonly failures: number | null;
  readonly constraints: number | null;
  /** Mean of `ids` and of the two about edits, whichever there are. */
  readonly composite: number | null;
  /** Share of the budget that was used. */
  readonly fill: number | null;
}

export interface Scored {
  readonly score: Score;
  readonly tokens: number;
  /** What makes the messages no valid request: then everything counts as lost. */
  readonly fault: string | undefined;
  /** More tokens than allowed: then everything counts as lost. */
  readonly overBudget: boolean;
}

function bareOf(key: string): string {
  const name = key.startsWith('"') ? key.slice(1, -1) : key;
  return name.slice(name.lastIndexOf('/') + 1);
}

/** An identifier as it stood in long lines, with what stood around it. */
function surroundingsOf({ lines }: NeededIdentifier, name: string): string[] {
  const found: string[] = [];
  for (const line of lines) {
    if (line.length <= LONG_LINE) continue;
    let at = line.indexOf(name);
    for (let place = 0; place < MAX_PLACES && at >= 0; place++) {
      const end = at + name.length;
      found.push(line.slice(Math.max(0, at - AROUND), end + AROUND));
      at = line.indexOf(name, end);
    }
  }
  return found;
}

interface Sought {
  readonly item: NeededIdentifier;
  readonly name: string;
  readonly surroundings: readonly string[];
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** What a compacted context still holds. */
class Kept {
  readonly text: string;
  readonly flat: string;
  readonly #lines = new Set<string>();
  readonly #names = new Map<string, boolean>();
  readonly #sequence: LineSequence;

  constructor(messages: readonly Message[], reading: Reading) {
    const blocks = messages.flatMap(blocksOf);
    const lines = blocks.flatMap((block) => reading.lines(block));
    for (const line of lines) this.#lines.add(line);
    this.#sequence = new LineSequence(lines);
    this.text = blocks.flatMap(stringsOf).join('\n');
    this.flat = flatten(this.text);
  }

  hasLine(line: string): boolean {
    return this.#lines.has(line);
  }

  hasName(name: string): boolean {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const found = this.text.includes(name);
    this.#names.set(name, found);
    return found;
  }

  hasTogether(lines: readonly string[]): boolean {
    return this.#sequence.holds(lines);
  }
}

function flatten(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Scores compacted contexts of one episode. */
export class Scorer {
  readonly #truth: Truth;
  readonly #reading: Reading;
  readonly #counter: TokenCounter;
  readonly #sought: readonly Sought[];
  readonly #reach: Reach;

  constructor(context: readonly Message[], truth: Truth, reading: Reading, counter: TokenCounter) {
    this.#truth = truth;
    this.#reading = reading;
    this.#counter = counter;
    this.#sought = truth.identifiers.map((item) => {
      const name = bareOf(item.key);
      return { item, name, surroundings: surroundingsOf(item, name) };
    });
    const lines = new Set(truth.editLines);
    for (const item of truth.identifiers) for (const line of item.lines) lines.add(line);
    this.#reach = new Reach(context, lines, reading);
  }

  score(messages: readonly Message[], budgetTokens: number): Scored {
    const fault = faultOf(messages);
    const tokens = this.#counter.messages(messages);
    const overBudget = tokens > budgetTokens;
    const kept = new Kept(fault === undefined && !overBudget ? messages : [], this.#reading);
    const fill = budgetTokens > 0 ? tokens / budgetTokens : null;
    return { score: { ...this.#shares(kept), fill }, tokens, fault, overBudget };
  }

  #shares(kept: Kept): Omit<Score, 'fill'> {
    const { editLines, edits, errors, failures, constraints } = this.#truth;
    const hasLine = (line: string): boolean => kept.hasLine(line);
    // The name first: it stands in all its surroundings, and one search may spare many.
    const has = ({ item, name, surroundings }: Sought): boolean =>
      item.lines.some(hasLine) ||
      (surroundings.length > 0 && kept.hasName(name) && surroundings.some((text) => kept.text.includes(text)));
    const tool = this.#sought.filter(({ item }) => item.use === 'tool');
    const rare = tool.filter(({ item }) => item.rare);
    const ids = share(rare, has, MIN_ITEMS);
    const lines = share(editLines, hasLine, MIN_ITEMS);
    const isInReach = this.#reach.from(kept.text);
    const whole = share(edits, (edit) => kept.hasTogether(edit), 1);
    return {
      ids,
      idsOld: share(
        rare.filter(({ item }) => !item.late),
        has,
        MIN_ITEMS,
      ),
      idsCommon: share(
        tool.filter(({ item }) => !item.rare),
        has,
        MIN_ITEMS,
      ),
      idsLoose: share(rare, ({ name }) => kept.hasName(name), MIN_ITEMS),
      prose: share(
        this.#sought.filter(({ item }) => item.use === 'prose' && item.rare),
        has,
        MIN_ITEMS,
      ),
      editLines: lines,
      editsWhole: whole,
      idsInReach: share(rare, (one) => has(one) || one.item.lines.some(isInReach), MIN_ITEMS),
      editLinesInReach: share(editLines, (line) => hasLine(line) || isInReach(line), MIN_ITEMS),
      errors: share(errors, hasLine, 1),
      failures: share(failures, hasLine, 1),
      constraints: weighed(constraints, (sentence) => kept.flat.includes(flatten(sentence))),
      composite: mean([ids, mean([lines, whole])]),
    };
  }
}

function share<T>(items: readonly T[], isKept: (item: T) => boolean, least: number): number | null {
  return items.length < least ? null : items.filter(isKept).length / items.length;
}

/** A long sentence weighs more than a short one. */
function weighed(sentences: readonly string[], isKept: (sentence: string) => boolean): number | null {
  const lengthOf = (list: readonly string[]): number => list.reduce((sum, { length }) => sum + length, 0);
  return sentences.length === 0 ? null : lengthOf(sentences.filter(isKept)) / lengthOf(sentences);
}
