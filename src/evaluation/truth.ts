/**
 * What the future of a session shows to have been needed from its past. The agent had the whole context: what it then used
 * without being told again is what a compaction must not lose.
 */
import type { Block, Message } from '../messages/types.ts';
import { constraintsOf } from './constraints.ts';
import { LineSequence } from './contiguous.ts';
import { type ContextIndex, indexContext } from './context-index.ts';
import { replacedLinesOf } from './edits.ts';
import { failuresOf, neededErrors } from './errors.ts';
import { blocksOf, type Reading } from './reading.ts';
import type { TokenCounter } from './tokens.ts';

/** In more messages than this an identifier is hardly ever lost. */
const MAX_MESSAGES = 3;
/** Beyond this share of the tokens everyone keeps what there is. */
const LATE = 0.9;

/** An identifier that was used again. */
export interface NeededIdentifier {
  readonly key: string;
  /** Where it came back first: in the input of a tool, or in words only. */
  readonly use: 'tool' | 'prose';
  /** Whether it stands in few messages. */
  readonly rare: boolean;
  /** Whether it also stands in the newest tenth of the context. */
  readonly late: boolean;
  /** Lines of the context it stands in: any of them will do. */
  readonly lines: readonly string[];
}

export interface Truth {
  readonly identifiers: readonly NeededIdentifier[];
  /** Lines that a later edit replaced. */
  readonly editLines: readonly string[];
  /** Later edits all of whose lines stood in the context, together. */
  readonly edits: readonly (readonly string[])[];
  readonly errors: readonly string[];
  readonly failures: readonly string[];
  readonly constraints: readonly string[];
  readonly contextTokens: number;
}

/** What truths are read with. */
export interface TruthTools {
  readonly reading: Reading;
  readonly counter: TokenCounter;
  /** Whether an identifier could be known without this context. */
  readonly isGuessable: (identifier: string) => boolean;
}

/** Follows the future message by message and notes what was used before it was supplied again. */
class Uses {
  readonly identifiers = new Map<string, 'tool' | 'prose'>();
  readonly editLines = new Set<string>();
  readonly edits: string[][] = [];
  readonly #index: ContextIndex;
  readonly #tools: TruthTools;
  readonly #supplied = new Set<string>();
  readonly #suppliedLines = new Set<string>();

  constructor(index: ContextIndex, tools: TruthTools) {
    this.#index = index;
    this.#tools = tools;
  }

  add(message: Message): void {
    for (const block of blocksOf(message)) {
      if (message.role === 'user') this.#supply(block);
      else this.#use(block);
    }
  }

  #supply(block: Block): void {
    const { reading } = this.#tools;
    for (const line of reading.lines(block)) {
      this.#suppliedLines.add(line);
      for (const { key } of reading.identifiers(line)) this.#supplied.add(key);
    }
  }

  #use(block: Block): void {
    const { reading, isGuessable } = this.#tools;
    const isCall = block.type === 'tool_use';
    if (isCall) this.#edit(block);
    for (const line of reading.lines(block)) {
      if (isCall) this.#suppliedLines.add(line);
      for (const { key, part } of reading.identifiers(line)) {
        if (part || this.#supplied.has(key) || !this.#index.identifiers.has(key) || isGuessable(key)) continue;
        if (isCall) this.identifiers.set(key, 'tool');
        else if (!this.identifiers.has(key)) this.identifiers.set(key, 'prose');
      }
    }
  }

  #edit(call: Block): void {
    for (const wanted of replacedLinesOf(call)) {
      const had = wanted.filter((line) => this.#index.lines.has(line) && !this.#suppliedLines.has(line));
      for (const line of had) this.editLines.add(line);
      if (wanted.length > 0 && had.length === wanted.length) this.edits.push(had);
    }
  }
}

/** The truth of one episode. */
export function truthOf(context: readonly Message[], future: readonly Message[], tools: TruthTools): Truth {
  const { reading, counter, isGuessable } = tools;
  const index = indexContext(context, reading, counter);
  const uses = new Uses(index, tools);
  for (const message of future) uses.add(message);
  const lateFrom = index.tokens * LATE;
  const identifiers: NeededIdentifier[] = [];
  for (const [key, use] of uses.identifiers) {
    const standing = index.identifiers.get(key);
    if (standing === undefined) continue;
    const newest = index.endTokens[standing.messages.at(-1) ?? 0] ?? 0;
    identifiers.push({
      key,
      use,
      rare: standing.messages.length <= MAX_MESSAGES,
      late: newest > lateFrom,
      lines: standing.lines,
    });
  }
  const whole =
    uses.edits.length === 0
      ? undefined
      : new LineSequence(context.flatMap(blocksOf).flatMap((block) => reading.lines(block)));
  return {
    identifiers,
    editLines: [...uses.editLines],
    edits: uses.edits.filter((edit) => whole?.holds(edit) === true),
    errors: neededErrors(context, future, reading, isGuessable),
    failures: failuresOf(context, reading),
    constraints: constraintsOf(context),
    contextTokens: index.tokens,
  };
}
