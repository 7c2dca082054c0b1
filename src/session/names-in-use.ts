/** The names that a conversation works with now: those that its newest messages and its prompts use. */
import { humanText } from '../messages/typed.ts';
import { stripMarks } from '../messages/marks.ts';
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import { identifiersOf } from '../need/identifiers.ts';
import { describeCall } from './calls.ts';
import { quoteLine } from './quote.ts';

const NEWEST_MESSAGES = 40;
/** A longer text is data; its beginning is read. */
const MAX_CHARS = 20_000;
const PROMPT_WEIGHT = 3;
const MAX_NAME_CHARS = 80;
/** A name that is used once by a tool's output is in nobody's use. */
const MIN_WEIGHT = 2;

function keysIn(text: string): Set<string> {
  const keys = new Set<string>();
  for (const line of text.slice(0, MAX_CHARS).split('\n')) {
    for (const { key, kind, isPart } of identifiersOf(line)) {
      if (!isPart && kind !== 'quoted' && kind !== 'number') keys.add(key);
    }
  }
  return keys;
}

/** Prose, calls as a person would name them, and results: no names of a tool's own parameters. */
function said(message: Message): string {
  const { text, calls, results } = viewOf(message);
  return stripMarks([text, ...calls.map(describeCall), ...results.map((result) => result.text)].join('\n'));
}

/**
 * The `max` names that most of the newest messages use, a prompt counting three times; equals newest first. A file is named once, with
 * its folder where that is known. Masked.
 */
export function namesInUse(messages: readonly Message[], max: number): string[] {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const key of keysIn(text)) weights.set(key, (weights.get(key) ?? 0) + weight);
  };
  for (const message of messages.slice(-NEWEST_MESSAGES).toReversed()) {
    const prompt = humanText(message);
    if (prompt === '') add(said(message), 1);
    else add(prompt, PROMPT_WEIGHT);
  }
  const paths = [...weights.keys()].filter((key) => key.includes('/'));
  const tails = new Set(paths.map((path) => path.slice(path.lastIndexOf('/') + 1)));
  return [...weights]
    .filter(([key, weight]) => weight >= MIN_WEIGHT && !tails.has(key))
    .sort(([, a], [, b]) => b - a)
    .slice(0, max)
    .map(([key]) => quoteLine(key, MAX_NAME_CHARS));
}
