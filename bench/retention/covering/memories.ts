/**
 * Memories as someone could have stored them while a session went on, made of its older part: statements of prompts, what the
 * agent concluded, failures, passages of files and outputs with where they stood, and what files hold. Which of them were
 * stored is drawn by lot: such a memory knows nothing of what will be needed.
 */
import { isPrompt } from '../../../src/evaluation/normalise.ts';
import { randomNumbers } from '../../../src/evaluation/random.ts';
import { blocksOf, type Reading } from '../../../src/evaluation/reading.ts';
import type { TokenCounter } from '../../../src/evaluation/tokens.ts';
import type { Block, Message } from '../../../src/messages/types.ts';
import type { MemoryKind, MemoryOrigin } from '../../../src/ports/memories.ts';

/** Up to here a context is its older part: nobody stores what was said a moment ago. */
const OLDER_SHARE = 0.75;
/** A longer line is stored sentence by sentence where someone said it, and not at all where a tool printed it. */
const MAX_LINE = 200;
const MIN_STATEMENT = 20;
const PASSAGE_LINES = 4;
const MAX_LABEL = 60;
/** Names in the summary of a file. */
const MAX_NAMES = 12;

export interface Row {
  readonly text: string;
  readonly kind: MemoryKind;
  readonly origin: MemoryOrigin;
}

/** How a set of memories is drawn. */
export interface Draw {
  /** Share of the identifiers of the older part that stand in the memories. */
  readonly share: number;
  readonly seed: number;
  readonly reading: Reading;
  readonly counter: TokenCounter;
}

function olderPart(context: readonly Message[], counter: TokenCounter): readonly Message[] {
  const limit = counter.messages(context) * OLDER_SHARE;
  let tokens = 0;
  const end = context.findIndex((message) => (tokens += counter.message(message)) > limit);
  return end < 0 ? context : context.slice(0, end);
}

function statementsOf(lines: readonly string[]): string[] {
  return lines
    .flatMap((line) => (line.length > MAX_LINE ? line.split(/(?<=[.!?;])\s/) : [line]))
    .filter(({ length }) => length >= MIN_STATEMENT);
}

function inputOf(call: Block | undefined, key: string): string {
  const input: unknown = call?.['input'];
  if (typeof input !== 'object' || input === null || !(key in input)) return '';
  const value: unknown = Reflect.get(input, key);
  return typeof value === 'string' ? value : '';
}

/** What a call was about: its file, or the beginning of its command or pattern. */
function labelOf(call: Block | undefined): string {
  const [line = ''] = (inputOf(call, 'command') || inputOf(call, 'pattern') || inputOf(call, 'query')).split('\n', 1);
  return inputOf(call, 'file_path') || line.slice(0, MAX_LABEL);
}

/** All that could be stored, by what it is. */
class Candidates {
  readonly prompts: Row[] = [];
  readonly conclusions: Row[] = [];
  readonly failures: Row[] = [];
  readonly passages: Row[] = [];
  readonly summaries: Row[] = [];
  readonly #reading: Reading;
  readonly #namesOfFiles = new Map<string, Set<string>>();

  constructor(older: readonly Message[], reading: Reading) {
    this.#reading = reading;
    const calls = new Map<unknown, Block>();
    for (const message of older) {
      const typed = isPrompt(message);
      for (const block of blocksOf(message)) {
        if (block.type === 'tool_use') {
          calls.set(block['id'], block);
          this.#pass(block, block);
        } else if (block.type === 'tool_result') this.#result(block, calls.get(block['tool_use_id']));
        else if (typed || message.role === 'assistant') this.#say(block, typed);
      }
    }
    for (const [file, names] of this.#namesOfFiles) {
      const text = `${file} holds ${[...names].slice(0, MAX_NAMES).join(', ')}.`;
      this.summaries.push({ text, kind: 'fact', origin: 'model' });
    }
  }

  #say(block: Block, typed: boolean): void {
    for (const text of statementsOf(this.#reading.lines(block))) {
      if (typed) this.prompts.push({ text, kind: 'preference', origin: 'person' });
      else if (this.#reading.identifiers(text).length > 0) {
        this.conclusions.push({ text, kind: 'decision', origin: 'model' });
      }
    }
  }

  #result(block: Block, call: Block | undefined): void {
    const label = labelOf(call);
    if (block['is_error'] === true) {
      const [line] = this.#reading.lines(block).filter(({ length }) => length <= MAX_LINE);
      if (line !== undefined) this.failures.push({ text: `${label} failed:\n${line}`, kind: 'fact', origin: 'model' });
      return;
    }
    this.#pass(block, call);
    const file = inputOf(call, 'file_path');
    if (file === '') return;
    const names = this.#namesOfFiles.get(file) ?? new Set();
    this.#namesOfFiles.set(file, names);
    for (const line of this.#reading.lines(block)) {
      for (const { key, kind } of this.#reading.identifiers(line)) if (kind === 'symbol') names.add(key);
    }
  }

  #pass(block: Block, call: Block | undefined): void {
    const lines = this.#reading.lines(block).filter(({ length }) => length <= MAX_LINE);
    for (let at = 0; at < lines.length; at += PASSAGE_LINES) {
      const some = lines.slice(at, at + PASSAGE_LINES);
      if (!some.some((line) => this.#reading.identifiers(line).length > 0)) continue;
      this.passages.push({ text: [`${labelOf(call)}:`, ...some].join('\n'), kind: 'fact', origin: 'model' });
    }
  }
}

function shuffled(rows: readonly Row[], next: () => number): Row[] {
  return rows
    .map((row) => ({ row, lot: next() }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ row }) => row);
}

/** Keys of the identifiers that stand in these texts. */
export function namesIn(texts: Iterable<string>, reading: Reading): ReadonlySet<string> {
  const names = new Set<string>();
  for (const text of texts) {
    for (const line of text.split('\n')) for (const { key } of reading.identifiers(line)) names.add(key);
  }
  return names;
}

/** Draws from each kind in turn until enough is stored; the same context, share and seed give the same rows. */
export function memoriesOf(context: readonly Message[], { share, seed, reading, counter }: Draw): Row[] {
  const older = olderPart(context, counter);
  const all = namesIn(
    older.flatMap((message) => blocksOf(message).flatMap((block) => [...reading.lines(block)])),
    reading,
  );
  const { prompts, conclusions, failures, passages, summaries } = new Candidates(older, reading);
  const next = randomNumbers(seed);
  const lists = [prompts, conclusions, failures, passages, summaries].map((rows) => shuffled(rows, next));
  const stored = new Set<string>();
  const rows: Row[] = [];
  while (stored.size < all.size * share && lists.some(({ length }) => length > 0)) {
    for (const list of lists) {
      const row = list.pop();
      if (row === undefined || stored.size >= all.size * share) continue;
      rows.push(row);
      for (const name of namesIn([row.text], reading)) if (all.has(name)) stored.add(name);
    }
  }
  return rows;
}
