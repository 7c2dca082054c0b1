/**
 * What of a prompt a person says in sentences: without code, quoted lines, logs, tables and what else is pasted. Pure; linear.
 */

/** A sentence as it was typed, and its words as rules look at them. */
export interface Sentence {
  /** On one line, without the bullet before it. */
  readonly text: string;
  /**
   * Words in lower case, and punctuation marks by themselves, in order. What stands in quotation marks or backticks is one word, `"` or
   * `` ` ``: it is talked about, not said.
   */
  readonly words: readonly string[];
  readonly isQuestion: boolean;
}

/** Prompts are read to here: rules stand in front, what is pasted behind them. */
const MAX_READ_CHARS = 20_000;
/** A line that is at least so long may go on in the next one. */
const MIN_WRAPPED_CHARS = 40;

const FENCE = /^(?:```|~~~)/;
const BULLET = /^(?:[-*•+]|\(?\d{1,3}[.)]|\[[ x]\])\s+/;
/** Times, levels, tools, frames, prompts of a shell and code, as pasted lines begin; compilers write `note:` and `hint:` small, people do not. */
const PASTED_STARTS: readonly RegExp[] = [
  /^[[(]?\d{2,4}[-:/.]\d{2}/,
  /^[[(]?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)[\]):]? /,
  /^[[(]?(?:Error|Warning|error|warning|warn|info|debug|trace|fatal|note|hint|help|remote|notice|Traceback|Caused by)[\])]?[:!(]/,
  /^(?:npm|pnpm|yarn) (?:ERR!|WARN|notice)/,
  /^(?:at \S+ ?\(|@@ |\/\/|\/\*|\*\/|[+-][^\s-])/,
  /^[$%❯➜>|<#]/,
  /^(?:[{}[\]]|"[^"]{1,80}":)/,
  /^[^\s:]{1,200}:\d{1,7}(?::\d{1,7})?(?::|\s|$)/,
];
const CODE_END = /(?:[{};]|\\|=>|\*\/|\(\))$/;
const TYPED_END = /[.!?:;。！？]$/;

/** Whether a program wrote that line, or it is code. */
function isPasted(line: string): boolean {
  return CODE_END.test(line) || PASTED_STARTS.some((start) => start.test(line));
}

/** The lines that are prose, each sentence on one: what was wrapped is joined. */
function proseLines(prompt: string): string[] {
  const lines: string[] = [];
  let isFenced = false;
  let mayGoOn = false;
  for (const raw of prompt.slice(0, MAX_READ_CHARS).toWellFormed().split('\n')) {
    const line = raw.trim();
    if (FENCE.test(line)) isFenced = !isFenced;
    const bullet = BULLET.exec(line)?.[0] ?? '';
    const isIndented = /^(?: {4}|\t)/.test(raw) && bullet === '';
    if (isFenced || FENCE.test(line) || line === '' || isIndented || (bullet === '' && isPasted(line))) {
      mayGoOn = false;
      continue;
    }
    const text = line.slice(bullet.length);
    if (bullet !== '' && isPasted(text)) {
      mayGoOn = false;
      continue;
    }
    const last = lines.length - 1;
    if (mayGoOn && bullet === '' && /^[\p{Ll}\d("'`]/u.test(text)) lines[last] = `${lines[last]} ${text}`;
    else lines.push(text);
    mayGoOn = line.length >= MIN_WRAPPED_CHARS && !TYPED_END.test(text);
  }
  return lines;
}

/** Opening marks, and what closes them. A single quote opens only in front of a word, since it is an apostrophe within one. */
const CLOSING: Readonly<Record<string, string>> = {
  '`': '`',
  '"': '"',
  '“': '”',
  '„': '“',
  '«': '»',
  "'": "'",
  '‘': '’',
};
const BLANK = /\s/;
const PUNCTUATION = new Set([',', ':', ';', '(', ')', '!', '?', '.', '–', '—', '…']);
const ABBREVIATIONS = new Set(['e.g', 'i.e', 'etc', 'vs', 'cf', 'incl', 'approx']);

/** Where the span that opens at `at` ends, the closing mark included; undefined if it does not on this line. */
function spanEnd(line: string, at: number): number | undefined {
  const mark = line[at] ?? '';
  const closing = CLOSING[mark];
  if (closing === undefined) return undefined;
  const isFree = at === 0 || /[\s(,:]/.test(line[at - 1] ?? '');
  if ((mark === "'" || mark === '‘') && !isFree) return undefined;
  for (let end = line.indexOf(closing, at + 1); end >= 0; end = line.indexOf(closing, end + 1)) {
    // An apostrophe in a word closes nothing.
    if (closing === '`' || closing === '»' || !/[\p{L}\d]/u.test(line[end + 1] ?? '')) return end + 1;
    if (closing !== "'" && closing !== '’') return end + 1;
  }
  return undefined;
}

function wordOf(text: string): string {
  return text.toLowerCase().replaceAll('’', "'");
}

interface Draft {
  start: number;
  words: string[];
}

/** The sentences of one line of prose. */
function sentencesOfLine(line: string): Sentence[] {
  const sentences: Sentence[] = [];
  let draft: Draft = { start: 0, words: [] };
  let word = '';
  const endWord = (): void => {
    if (word === '') return;
    draft.words.push(wordOf(word));
    word = '';
  };
  const endSentence = (end: number, isQuestion: boolean): void => {
    endWord();
    const text = line.slice(draft.start, end).trim().replaceAll(/\s+/g, ' ');
    if (draft.words.length > 0) sentences.push({ text, words: draft.words, isQuestion });
    draft = { start: end, words: [] };
  };
  // A quotation mark that is never closed is looked for once.
  const hopeless = new Set<string>();
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (word === '' && char in CLOSING && !hopeless.has(char)) {
      const end = spanEnd(line, at);
      if (end === undefined) hopeless.add(char);
      else {
        draft.words.push(char === '`' ? '`' : '"');
        at = end - 1;
        continue;
      }
    }
    const next = line[at + 1] ?? ' ';
    if (BLANK.test(char)) endWord();
    else if (PUNCTUATION.has(char) && (BLANK.test(next) || PUNCTUATION.has(next) || next === '"' || char === '(')) {
      const isPoint = char === '.' && ABBREVIATIONS.has(word.toLowerCase());
      endWord();
      if ('.!?;'.includes(char) && !isPoint) endSentence(at + 1, char === '?');
      else draft.words.push(char);
    } else word += char;
  }
  endSentence(line.length, false);
  return sentences;
}

/** The sentences that a person typed in a prompt, in order. */
export function sentencesOf(prompt: string): Sentence[] {
  return proseLines(prompt).flatMap(sentencesOfLine);
}
