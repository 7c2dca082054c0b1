/**
 * Secrets that only their name gives away: `.env` lines, JSON and YAML fields, headers, command line options.
 *
 * The text is searched once for the words of WORD; around each the name is read (at most MAX_NAME characters), then
 * the separator, then the value. How sure the value must look depends on the form: after `NAME=` nearly anything is a
 * secret, after a lower case word in running text only what looks random.
 */
import {
  endsInFiller,
  isAddress,
  isNameOfWords,
  isPlaceholder,
  looksLikeCode,
  looksLikePath,
  looksRandom,
  maskMark,
} from './literals.ts';
import { headerValue } from './headers.ts';
import { runsOf, type RunEnd } from './runs.ts';
import { JUDGED, MAX_NAME, NEXT_FIELD, NEXT_ITEM, SEPARATOR, SPACED } from './shapes.ts';

const WORD =
  /pass(?:word|wd|phrase|code)?|passwort|pwd|secret(?:[-_ ]?key(?:[-_]?base)?)?|token|(?:api|access|private|signing|encryption|master|account|shared[-_]?access|storage|ssh|license|webhook|service|session|auth)[-_]?key|client-key-data|credentials?|(?:proxy-)?authorization|auth|(?:set-)?cookie/gi;

/** Longest value taken out of quotes. */
const MAX_VALUE = 4096;
/** Closing punctuation that does not belong to a value of a shell line. */
const MAX_PUNCTUATION = 4;
/** What may follow the word inside the name: `PASSWORD_PROD`, `TOKEN2`, `secret_value`. */
const SUFFIX =
  /^(?:[-_]?(?:[0-9]{1,3}|dev|prod|test|staging|production|local|old|new|backup|base64|b64|value|string|raw|plain|live))?(?![A-Za-z0-9_-])/i;
type Form = 'env' | 'field' | 'option' | 'element' | 'connection' | 'item';

interface Found {
  /** Offset of the value's first character in the text, and of the one after its last. */
  readonly start: number;
  readonly end: number;
  /** In straight quotes; what stands in backticks is code in prose as often as a string. */
  readonly quoted: boolean;
  /** The value follows an equal sign without a space. */
  readonly tight: boolean;
  /** More words follow on the line, and a colon and a space stand before: it may be a sentence. */
  readonly inSentence: boolean;
  readonly form: Form;
}

/** 1 for what names are made of. */
const OF_NAMES: Uint8Array = new Uint8Array(0x10000);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-')
  OF_NAMES[char.charCodeAt(0)] = 1;

/** The name the word at `at` ends: letters, digits, `_`, `-`, `.` to its left. */
function nameStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_NAME && OF_NAMES[text.charCodeAt(start - 1)] === 1) start -= 1;
  // In JSON inside JSON a line break is a backslash and an `n`, which is not part of the name.
  if (start < at && text[start - 1] === '\\' && /[nrt]/.test(text[start] ?? '')) start += 1;
  return start;
}

/** Reads a value that may be in quotes, `\"` included; where the quote never closes on its line, up to the next space. */
function readValue(text: string, at: number, form: Form, runEnd: RunEnd): Found {
  const opening = /^\\{0,3}["'`]/.exec(text.slice(at, at + 4))?.[0];
  if (opening === undefined) {
    let end = runEnd(at, form);
    const least = Math.max(at, end - MAX_PUNCTUATION);
    if (form === 'env') while (end > least && /[;,)]/.test(text[end - 1] ?? '')) end -= 1;
    const inSentence = text.startsWith(': ', at - 2) && /^[ \t]{1,4}[^\s#]/.test(text.slice(end, end + 6));
    return { start: at, end, quoted: false, tight: text[at - 1] === '=', inSentence, form };
  }
  const inSentence = false;
  const start = at + opening.length;
  const window = text.slice(start, start + MAX_VALUE);
  let close = window.indexOf(opening);
  while (opening.length === 1 && close > 0 && window[close - 1] === '\\') close = window.indexOf(opening, close + 1);
  const newline = window.indexOf('\n');
  if (close < 0 || (newline >= 0 && newline < close)) {
    return { start, end: runEnd(start, 'open'), quoted: false, tight: text[at - 1] === '=', inSentence, form };
  }
  return { start, end: start + close, quoted: !opening.endsWith('`'), tight: text[at - 1] === '=', inSentence, form };
}

/** `…;Password=x;…` is a connection string, whose values end at a semicolon only; all else is a field. */
function formOf(text: string, begin: number, separator: string): Form {
  return separator === '=' && /; ?$/.test(text.slice(Math.max(0, begin - 2), begin)) ? 'connection' : 'field';
}

/** The value after a space, where the line itself says that one follows. */
function spacedValue(text: string, begin: number, nameEnd: number, runEnd: RunEnd): Found | undefined {
  const line = text.slice(Math.max(0, begin - MAX_NAME), begin);
  const spaced = SPACED.exec(line);
  if (spaced === null) return undefined;
  const [, sql, netrc, variable] = spaced;
  const found = readValue(text, nameEnd + text.slice(nameEnd, nameEnd + MAX_NAME).search(/\S/), 'option', runEnd);
  const value = text.slice(found.start, Math.min(found.end, found.start + JUDGED));
  const isSaid = (sql !== undefined && found.quoted) || (netrc !== undefined && /\bmachine /.test(line));
  const isVariable = variable !== undefined && /^[A-Z0-9_]{3,}$/.test(text.slice(begin, nameEnd));
  return isSaid || isVariable || isMixed(value) ? found : undefined;
}

/** The value that belongs to the word between `from` and `to`, if it is in one of the forms known. */
function valueAfter(
  text: string,
  from: number,
  to: number,
  runEnd: RunEnd,
): { found: Found; name: string } | undefined {
  const tail = text.slice(to, to + MAX_NAME);
  const suffix = SUFFIX.exec(tail)?.[0];
  if (suffix === undefined) return undefined;
  const begin = nameStart(text, from);
  const nameEnd = to + suffix.length;
  const name = text.slice(begin, nameEnd);
  const after = text.slice(nameEnd, nameEnd + MAX_NAME);
  const separator = SEPARATOR.exec(after);
  let found: Found | undefined;
  if (separator !== null) {
    const upper = name === name.toUpperCase() && (separator[0] === '=' || name.includes('_'));
    const spaced = separator[0].includes(' ') && separator[1] !== ':';
    const form = upper && !spaced ? 'env' : formOf(text, begin, separator[0]);
    found = readValue(text, nameEnd + separator[0].length, form, runEnd);
  } else if (text[begin - 1] === '<' && after.startsWith('>')) {
    const element = readValue(text, nameEnd + 1, 'element', runEnd);
    // It is an element only if it is closed; `<password>` is also how a manual names an argument.
    if (text[element.end] !== '<') return undefined;
    found = element;
  } else if (name.startsWith('--') && after.startsWith(' ')) {
    found = readValue(text, nameEnd + 1, 'option', runEnd);
  } else if (NEXT_FIELD.test(after) && name === name.toUpperCase()) {
    found = readValue(text, nameEnd + (NEXT_FIELD.exec(after)?.[0].length ?? 0), 'env', runEnd);
  } else if (NEXT_ITEM.test(after)) {
    found = readValue(text, nameEnd + (NEXT_ITEM.exec(after)?.[0].length ?? 0), 'item', runEnd);
  } else if (/^ {1,4}[^\s"<$-]/.test(after)) {
    found = spacedValue(text, begin, nameEnd, runEnd);
  }
  return found === undefined || found.end <= found.start ? undefined : { found, name };
}

/** What follows the name of an option where it is spoken of. */
const OF_SENTENCES =
  /^(?:options?|flags?|arguments?|parameters?|is|to|and|or|for|in|if|with|are|can|must|should|as|values?|via|on|from|when)[.,:;]?$/i;
const MIN_ITEM = 16;
const NAME = /^[A-Za-z]+(?:[_-][A-Za-z0-9]+)+$/;
/** Constants of a program: by name, by value. */
const CONSTANT = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
const SMALL_NUMBER = /^0x[0-9a-f]{1,8}$/i;

function isSecretValue(value: string, found: Found, word: string, name: string): boolean {
  const isPassword = /^(?:pass|pwd)/.test(word);
  if (found.form === 'env') {
    if (
      /^(?:OLD)?PWD$/.test(name) ||
      value.length < 3 ||
      SMALL_NUMBER.test(value) ||
      looksLikePath(value) ||
      endsInFiller(value)
    )
      return false;
    if (isPlaceholder(value)) return isPassword && /^(?:password|passwd|secret|changeme)$/i.test(value);
    if (isAddress(value) || (!found.tight && !found.quoted && CONSTANT.test(value))) return false;
    // A sentence may begin so; of a password it is taken for one all the same.
    if (!isPassword && (found.inSentence || (word === 'auth' && !found.tight))) return looksRandom(value);
    return found.quoted || !looksLikeCode(value);
  }
  if (isPlaceholder(value) || looksLikePath(value) || endsInFiller(value) || isAddress(value)) return false;
  // A list may hold names only.
  if (found.form === 'item') return value.length >= MIN_ITEM && looksRandom(value) && !NAME.test(value);
  // The word ended a sentence, and its quotation mark was the closing one.
  if (/^[\]},]/.test(value)) return false;
  if (word === 'auth') {
    return /(?:^|[^A-Za-z])_?auth$/i.test(name) && BASE64.test(value) && isMixedCase(value) && !isNameOfWords(value);
  }
  if (!isPasswordName(word, name, found)) return false;
  if (found.form === 'option' && OF_SENTENCES.test(value)) return false;
  if (found.form === 'element' || found.form === 'option' || found.form === 'connection')
    return isPassword || (looksRandom(value) && !looksLikeCode(value));
  if (!found.quoted) {
    return !looksLikeCode(value) && !CONSTANT.test(value) && (looksRandom(value) || (isPassword && isMixed(value)));
  }
  if (isPassword || word.startsWith('secret')) return !isLabel(value, word);
  return looksRandom(value);
}

/** `pass` and `pwd` are also words of test runners and shells: alone they need a form that only a password has. */
function isPasswordName(word: string, name: string, found: Found): boolean {
  if (word === 'pass') return /[_-]pass$/i.test(name) || (/^pass$/i.test(name) && (found.quoted || found.tight));
  if (word === 'pwd' && /^pwd$/i.test(name)) return found.tight;
  return true;
}

const BASE64 = /^[A-Za-z0-9+/]{8,}={0,2}$/;

function isMixedCase(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value.slice(1));
}

const MIN_MIXED = 6;

/** With a digit or base64 padding, and long enough to be a password. */
function isMixed(value: string): boolean {
  return value.length >= MIN_MIXED && /[0-9]|=$/.test(value) && /^[\x21-\x7e]+$/.test(value);
}

/** Words for people where a password could stand: `"password": "Enter your password"`. */
function isLabel(value: string, word: string): boolean {
  if (/[0-9]/.test(value)) return false;
  const lower = value.toLowerCase();
  return lower.includes(word) || / (?:your|is|must|not|the|a|for) /.test(` ${lower} `) || /^[^\x21-\x7e]+$/.test(value);
}

function kindOf(word: string): string {
  if (/^(?:pass|pwd)/.test(word)) return 'password';
  if (word.endsWith('cookie')) return 'cookie';
  if (word.endsWith('authorization')) return 'authorization';
  if (word.includes('token') || word === 'auth') return 'token';
  return word.includes('key') ? 'key' : 'secret';
}

/** Masks values whose name says that they are secret; `onMask` is called once for each. Linear. */
export function maskAssignments(text: string, onMask: () => void): string {
  const parts: string[] = [];
  const runEnd = runsOf(text);
  let done = 0;
  for (const match of text.matchAll(WORD)) {
    const from = match.index;
    if (from < done) continue;
    const word = match[0].toLowerCase();
    const to = from + match[0].length;
    let span: { start: number; end: number } | undefined;
    if (word.endsWith('cookie') || word.endsWith('authorization')) {
      span = headerValue(text, runEnd, word, to);
    } else {
      const { found, name } = valueAfter(text, from, to, runEnd) ?? {};
      if (found !== undefined && name !== undefined) {
        const value = text.slice(found.start, Math.min(found.end, found.start + JUDGED));
        if (isSecretValue(value, found, word, name)) span = found;
      }
    }
    if (span === undefined) continue;
    parts.push(text.slice(done, span.start), maskMark(kindOf(word)));
    done = span.end;
    onMask();
  }
  if (done === 0) return text;
  parts.push(text.slice(done));
  return parts.join('');
}
