/** What failed, and which of it the agent came back to. */
import type { Block, Message } from '../messages/types.ts';
import { blocksOf, type Reading } from './reading.ts';

const [MIN_LINE, MAX_LINE] = [12, 500];
/** Of a failed call only so many of its first lines are looked at for error words. */
const FIRST_LINES = 12;
/** Words in more messages than this are no trace of one error: it repeats while it is worked on, but not so often. */
const MAX_MESSAGES = 8;
/** Rare words of an error line that must come back. */
const MIN_WORDS = 2;

const ERROR_WORDS = [
  'errors?',
  'failed',
  'failure',
  'exception',
  'traceback',
  'panic',
  'fatal',
  'cannot',
  "can't",
  'not found',
  'no such',
  'denied',
  'refused',
  'undefined',
  'unexpected',
  'invalid',
  'missing',
  'mismatch',
  'E[A-Z]{4,}',
  'TS\\d{4}',
  'exit code [1-9]',
  'assert\\w*',
];
const ERROR_WORD = new RegExp(`\\b(?:${ERROR_WORDS.join('|')})\\b`, 'i');

/** At the beginning of a line or a word, and followed by the sign of a message. */
const ERROR_LABEL =
  /(?:^|[\s[(>])(?:[A-Za-z]*(?:Error|Exception)|error|ERROR|fatal|FATAL|FAIL|FAILED|panic|npm ERR!|Traceback)(?:[:!([]|\s(?:TS|in|at|CS|\[))/;
const ERROR_SIGN = /[✗✖×❌]\s/;
const ERROR_PHRASES = [
  'command not found',
  'No such file',
  'Permission denied',
  'Cannot find',
  'is not defined',
  'is not assignable',
  'undefined reference',
  'unexpected token',
  'assertion failed',
  'exit(?:ed with)? code [1-9]',
];
const ERROR_PHRASE = new RegExp(`\\b(?:${ERROR_PHRASES.join('|')})\\b`);

const looksLikeError = (line: string): boolean =>
  ERROR_LABEL.test(line) || ERROR_SIGN.test(line) || ERROR_PHRASE.test(line);

/** Tools whose output reports errors though the call itself went well; of a file's contents they are only a subject. */
const SHELL = /^(?:Bash|BashOutput|PowerShell|TaskOutput|mcp__)/;

/** A person's refusal is no failure. */
const REFUSAL = /user doesn't want to (?:proceed|take)|Request interrupted/;

const isFailed = (block: Block): boolean => block.type === 'tool_result' && block['is_error'] === true;

/** Lines of failed calls and of shell output that report an error. */
function errorLinesOf(context: readonly Message[], reading: Reading): Set<string> {
  const found = new Set<string>();
  const tools = new Map<unknown, string>();
  for (const block of context.flatMap(blocksOf)) {
    if (block.type === 'tool_use') tools.set(block['id'], String(block['name']));
    if (block.type !== 'tool_result') continue;
    const failed = isFailed(block);
    if (!failed && !SHELL.test(tools.get(block['tool_use_id']) ?? '')) continue;
    for (const [index, line] of reading.lines(block).entries()) {
      if (line.length < MIN_LINE || line.length > MAX_LINE) continue;
      if (looksLikeError(line) || (failed && index < FIRST_LINES && ERROR_WORD.test(line))) found.add(line);
    }
  }
  return found;
}

/** In how many messages each of the words stands. */
function countMessages(
  context: readonly Message[],
  words: ReadonlySet<string>,
  reading: Reading,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const message of context) {
    const here = new Set<string>();
    for (const block of blocksOf(message)) {
      for (const line of reading.lines(block)) {
        for (const word of reading.words(line)) if (words.has(word)) here.add(word);
      }
    }
    for (const word of here) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Of `words`, those the agent writes before anything supplies them again. */
function usedWords(future: readonly Message[], words: ReadonlySet<string>, reading: Reading): Set<string> {
  const supplied = new Set<string>();
  const used = new Set<string>();
  for (const message of future) {
    for (const block of blocksOf(message)) {
      for (const line of reading.lines(block)) {
        for (const word of reading.words(line)) {
          if (!words.has(word)) continue;
          if (message.role === 'user') supplied.add(word);
          else if (!supplied.has(word)) used.add(word);
        }
      }
    }
  }
  return used;
}

/** Error lines of the context that the future comes back to: two of their rare words do, before they are supplied again. */
export function neededErrors(
  context: readonly Message[],
  future: readonly Message[],
  reading: Reading,
  isGuessable: (word: string) => boolean,
): string[] {
  const lines = [...errorLinesOf(context, reading)];
  if (lines.length === 0) return [];
  const all = new Set(lines.flatMap((line) => reading.words(line)));
  const counts = countMessages(context, all, reading);
  const rare = new Set([...all].filter((word) => (counts.get(word) ?? 0) <= MAX_MESSAGES && !isGuessable(word)));
  const used = usedWords(future, rare, reading);
  return lines.filter((line) => reading.words(line).filter((word) => used.has(word)).length >= MIN_WORDS);
}

/** The line by which each failed call is known again, so that it is not tried once more. */
export function failuresOf(context: readonly Message[], reading: Reading): string[] {
  const found = new Set<string>();
  for (const block of context.flatMap(blocksOf)) {
    if (!isFailed(block)) continue;
    const lines = reading.lines(block).filter((line) => line.length >= MIN_LINE);
    const line = lines.find((one) => ERROR_WORD.test(one)) ?? lines[0];
    if (line !== undefined && line.length <= MAX_LINE && !REFUSAL.test(line)) found.add(line);
  }
  return [...found];
}
