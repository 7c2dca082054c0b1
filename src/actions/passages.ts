/** What is asked for of a long text: lines by number, or the places that are about some words. Pure. */
import { estimateTokens } from '../tokens/text.ts';

/** Lines of a text, from 1. Of a very long line, parts that `…` stands between. */
export interface Passage {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

export interface Passages {
  /** In order; the whole text is one passage. */
  readonly passages: readonly Passage[];
  /** Lines with the words that were left out because the passages are long enough. */
  readonly more: number;
  /** None of the words stands in the text, and this is its beginning, or all of it if it is short. */
  readonly absent?: true;
  /** Of a line that was asked for by number only the beginning is there, since it is very long. */
  readonly cut?: true;
}

/** Lines before and after a line that was asked about. */
const AROUND = 3;
/** Enough to see what is meant; whoever needs more asks for lines. */
const MAX_TOKENS = 1_200;
/** Longer lines, such as a call's input, are cut to what stands around the words. */
const LONG_LINE = 600;
const BESIDE_WORD = 200;
/** A line that is asked for by number is cut beyond this, about as much as all passages together. */
const MAX_LINE = 5_000;
const MAX_CUTS = 4;
const GAP = '…';

const QUOTES = /^["'`]+|["'`]+$/g;

/** The longest end of a path that the text has, at least its file's name; the word itself if it is no path. */
function endIn(lower: string, word: string): string | undefined {
  let end = word;
  while (end !== '' && !lower.includes(end)) {
    const at = end.search(/[\\/]/);
    end = at < 0 ? '' : end.slice(at + 1);
  }
  return end === '' ? undefined : end;
}

/** The phrase if the text has it, else those of its words, or ends of paths, that the text has; in lower case. */
function wordsOf(lower: string, about: string): readonly string[] {
  const phrase = about.trim().toLowerCase().replaceAll(QUOTES, '');
  if (phrase !== '' && lower.includes(phrase)) return [phrase];
  const words = phrase.split(/\s+/).flatMap((word) => endIn(lower, word.replaceAll(QUOTES, '')) ?? []);
  return [...new Set(words)];
}

/** Whether any of what `about` asks for stands in the text. */
export function isAbout(text: string, about: string): boolean {
  return wordsOf(text.toLowerCase(), about).length > 0;
}

/** A part of a line, without the half of a character at either end. */
function partOf(line: string, from: number, to: number): string {
  const isTorn = (at: number): boolean => at > 0 && (line.codePointAt(at - 1) ?? 0) > 0xff_ff;
  return line.slice(isTorn(from) ? from + 1 : from, isTorn(to) ? to - 1 : to).toWellFormed();
}

/** A line as it is, or if it is very long what stands around the first of the words in it, or its beginning. */
function cut(line: string, words: readonly string[]): string {
  if (line.length <= LONG_LINE) return line;
  const lower = line.toLowerCase();
  const parts: [from: number, to: number][] = [];
  let at = 0;
  while (parts.length < MAX_CUTS) {
    const [next] = words
      .flatMap((word) => {
        const found = lower.indexOf(word, at);
        return found < 0 ? [] : [{ found, end: found + word.length }];
      })
      .sort((a, b) => a.found - b.found);
    if (next === undefined) break;
    const [from, to] = [Math.max(0, next.found - BESIDE_WORD), Math.min(line.length, next.end + BESIDE_WORD)];
    parts.push([from, to]);
    at = to;
  }
  if (parts.length === 0) parts.push([0, BESIDE_WORD]);
  const text = parts.map(([from, to]) => partOf(line, from, to)).join(GAP);
  return (parts[0]![0] > 0 ? GAP : '') + text + (parts.at(-1)![1] < line.length ? GAP : '');
}

/** Runs of lines around those with the words, as far as there is room; at least the first of these lines. */
function passagesAbout(lines: readonly string[], lower: readonly string[], words: readonly string[]): Passages {
  const hits = lower.flatMap((line, index) => (words.some((word) => line.includes(word)) ? [index] : []));
  const passages: { first: number; last: number; text: string }[] = [];
  let room = MAX_TOKENS;
  let done = -1;
  let shown = 0;
  for (const hit of hits) {
    if (hit > done) {
      const [first, last] = [Math.max(done + 1, hit - AROUND), Math.min(lines.length - 1, hit + AROUND)];
      const text = lines
        .slice(first, last + 1)
        .map((line) => cut(line, words))
        .join('\n');
      const tokens = estimateTokens(text);
      if (shown > 0 && tokens > room) break;
      room -= tokens;
      const run = passages.at(-1);
      if (run !== undefined && first === done + 1) {
        run.last = last + 1;
        run.text += `\n${text}`;
      } else passages.push({ first: first + 1, last: last + 1, text });
      done = last;
    }
    shown += 1;
  }
  return { passages, more: hits.length - shown };
}

/** The first lines, as many as are quickly read: whoever asked for words does not want all of a long text. */
function beginningOf(lines: readonly string[]): Passages {
  let room = MAX_TOKENS;
  let last = 0;
  while (last < lines.length) {
    room -= estimateTokens(cut(lines[last]!, [])) + 1;
    if (room < 0 && last > 0) break;
    last += 1;
  }
  const isShort = last === lines.length && lines.every((line) => line.length <= LONG_LINE);
  const text = lines.slice(0, last).map((line) => (isShort ? line : cut(line, [])));
  return { passages: [{ first: 1, last, text: text.join('\n') }], more: 0, absent: true };
}

/** Lines asked for by number, the last of them included; else what is about the words, or the beginning if nothing is; else the whole. */
export function passagesOf(
  text: string,
  {
    about,
    lines: range,
  }: { readonly about?: string | undefined; readonly lines?: readonly [first: number, last: number] | undefined },
): Passages {
  const lines = text.split('\n');
  if (range !== undefined) {
    const [first, last] = [Math.max(1, range[0]), Math.min(lines.length, range[1])];
    if (first > last) return { passages: [], more: 0 };
    const asked = lines.slice(first - 1, last);
    const isLong = asked.some((line) => line.length > MAX_LINE);
    const shown = asked.map((line) => (line.length > MAX_LINE ? `${partOf(line, 0, MAX_LINE)}${GAP}` : line));
    return { passages: [{ first, last, text: shown.join('\n') }], more: 0, ...(isLong ? { cut: true } : {}) };
  }
  if (about !== undefined) {
    const lower = lines.map((line) => line.toLowerCase());
    const words = wordsOf(lower.join('\n'), about);
    return words.length > 0 ? passagesAbout(lines, lower, words) : beginningOf(lines);
  }
  return { passages: [{ first: 1, last: lines.length, text }], more: 0 };
}
