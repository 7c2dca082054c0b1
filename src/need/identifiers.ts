/**
 * Identifiers: what an agent has to spell exactly when it comes back to a thing. Paths, symbols, flags, URLs, hashes,
 * numbers and quoted phrases, each under a key that is the same however it was written.
 */

export type IdentifierKind = 'path' | 'symbol' | 'flag' | 'url' | 'hash' | 'number' | 'quoted';

export interface Identifier {
  /** The same for an absolute and a relative path, with and without punctuation behind it. */
  readonly key: string;
  readonly kind: IdentifierKind;
  /** Found inside a longer identifier, such as a folder of a path. */
  readonly isPart: boolean;
}

/** Longer lines are data more than text: what follows is not looked at. */
const MAX_LINE = 20_000;
const MIN_LENGTH = 5;
/** The shortest identifier is a number of three digits. */
const MIN_RUN = 3;
const UUID_LENGTH = 36;
const MAX_LENGTH = 120;
/** Parts of a path that its key keeps. */
const PATH_TAIL = 2;
/** Letters of a hash that its key keeps, as version control does. */
const SHORT_HASH = 7;

/** URLs, then runs of characters that names and paths are made of. */
const RUN = /https?:\/\/[^\s"'`<>)\]}\\]+|[\w$@.+~\\/:-]+(?:[[(][\w.-]+[\])][\w$@.+~\\/:-]*)*/y;
const QUOTED = /"([^"\n]{5,60})"|'([^'\n]{5,60})'|`([^`\n]{5,60})`/g;
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}$/;
/** Endings that make `name.ending` a file rather than a member. */
const FILE_ENDINGS: ReadonlySet<string> = new Set(
  'ts tsx js jsx mjs cjs py go rs md json yml yaml toml css html sh sql txt lock java rb dart ps1 cs cpp c h svg png log jsonl env xml cfg ini'.split(
    ' ',
  ),
);
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const HASH = /^[\da-f]{7,40}$/;
const NUMBER = /^(?:\d{3,}(?:\.\d+)*|\d+\.\d+\.\d+[\w.-]*)$/;
const FLAG = /^--[a-z][\w-]{2,}/;
const WORD = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|-)[A-Za-z_$][\w$]*)*/;
const MACHINE_LETTERS = /[<>{}\\]/;
const TWO_LETTERS = /\p{L}{2}/u;

/** A list of up to so many is searched faster than a set is made: most lines hold fewer. */
const SHORT_LIST = 8;

class Found {
  readonly list: Identifier[] = [];
  #keys: Set<string> | undefined;

  add(key: string, kind: IdentifierKind, isPart: boolean): void {
    if (this.#has(key)) return;
    this.#keys?.add(key);
    this.list.push({ key, kind, isPart });
  }

  #has(key: string): boolean {
    if (this.list.length <= SHORT_LIST) return this.list.some((one) => one.key === key);
    this.#keys ??= new Set(this.list.map((one) => one.key));
    return this.#keys.has(key);
  }
}

/** Snake, camel or kebab case, an error code, or a name with a number: a name, not a word of the language. */
function isSymbol(word: string): boolean {
  const inner = word.replace(/^_+|_+$/g, '');
  if (inner.includes('_') || /[a-z][A-Z]/.test(word) || /^E[A-Z]{3,}$/.test(word)) return true;
  if (/^[A-Za-z]+\d+\w*$/.test(word)) return true;
  return word.length >= 7 && word.includes('-') && /^[A-Za-z\d-]+$/.test(word);
}

function addWord(word: string, isPart: boolean, found: Found): void {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return;
  const parts = word.split(/\.|::|->/);
  if (parts.length > 1) {
    const [, ending = ''] = parts;
    const isFile = parts.length === 2 && FILE_ENDINGS.has(ending.toLowerCase());
    if (isFile || parts.length > 2 || ending.length > 1 || EXTENSION.test(word)) {
      found.add(word, isFile ? 'path' : 'symbol', isPart);
    }
  }
  for (const part of parts) {
    if (part.length >= MIN_LENGTH && isSymbol(part)) found.add(part, 'symbol', isPart || part !== word);
  }
}

function addPath(run: string, found: Found): void {
  const parts = run.split(/[\\/]+/).filter((part) => part !== '' && !/^(?:\.\.?|~|[A-Za-z]:)$/.test(part));
  const last = parts.at(-1);
  if (last === undefined) return;
  if (parts.length === 1) {
    addWord(last, false, found);
    return;
  }
  if (parts.length > PATH_TAIL || EXTENSION.test(last)) found.add(parts.slice(-PATH_TAIL).join('/'), 'path', false);
  for (const part of parts) addWord(part, true, found);
}

function addNumber(run: string, found: Found): void {
  const text = run.replace(/[.-]+$/, '');
  if (HASH.test(text) && /[a-f]/.test(text) && /\d/.test(text)) found.add(text.slice(0, SHORT_HASH), 'hash', false);
  else if (NUMBER.test(text)) found.add(text, 'number', false);
}

function addPlain(run: string, found: Found): void {
  let at = 0;
  while (at < run.length) {
    const code = run.charCodeAt(at);
    const rest = at === 0 ? run : run.slice(at);
    if (code === 45 && FLAG.test(rest)) {
      const [flag = ''] = FLAG.exec(rest) ?? [];
      if (flag.length >= MIN_LENGTH) found.add(flag, 'flag', false);
      at += flag.length;
    } else if (code >= 48 && code <= 57) {
      const [number = ''] = /^[\w.-]+/.exec(rest) ?? [];
      addNumber(number, found);
      at += number.length;
    } else {
      const [word = ''] = WORD.exec(rest) ?? [];
      if (word !== '') addWord(word, false, found);
      at += word === '' ? 1 : word.length;
    }
  }
}

// What each character is to a run.
const OUTSIDE = 0;
const SMALL_LETTER = 1;
const STOP = 2;
const INSIDE = 3;
const BRACKET = 4;

const CHAR_KIND: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (char >= 'a' && char <= 'z') return SMALL_LETTER;
  if (char === '.' || char === ':') return STOP;
  if (char === '[' || char === '(') return BRACKET;
  return /[\w$@+~\\/-]/.test(char) ? INSIDE : OUTSIDE;
});

function kindAt(text: string, at: number): number {
  const code = at < text.length ? text.charCodeAt(at) : 128;
  return code < 128 ? CHAR_KIND[code]! : OUTSIDE;
}

/** Where the first run begins that may hold an identifier: words of small letters alone hold none, and are most of any text. */
function nextRun(text: string, from: number): number {
  for (let at = from; at < text.length;) {
    let kind = kindAt(text, at);
    if (kind === OUTSIDE || kind === BRACKET) {
      at += 1;
      continue;
    }
    const start = at;
    while (kind === SMALL_LETTER) kind = kindAt(text, ++at);
    if (kind === STOP) kind = kindAt(text, ++at);
    if (kind !== OUTSIDE) return start;
  }
  return text.length;
}

/** The identifiers of one line, each key once, in order. Linear in the line, of which at most 20,000 characters are read. */
export function identifiersOf(line: string): readonly Identifier[] {
  const found = new Found();
  const text = line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
  for (let at = nextRun(text, 0); at < text.length; at = nextRun(text, RUN.lastIndex)) {
    RUN.lastIndex = at;
    const [run = ''] = RUN.exec(text) ?? [];
    if (run.length < MIN_RUN) continue;
    if (run.startsWith('http') && run.includes('://')) found.add(run.replace(/[.,;:!?]+$/, ''), 'url', false);
    else if (run.length === UUID_LENGTH && UUID.test(run)) found.add(run, 'hash', false);
    else if (run.includes('/') || run.includes('\\')) addPathRun(run, found);
    else addPlain(run, found);
  }
  if (text.length < 4_000 && /["'`]/.test(text)) {
    for (const [, double, single, back] of text.matchAll(QUOTED)) {
      const phrase = (double ?? single ?? back ?? '').trim();
      if (phrase.includes(' ') && TWO_LETTERS.test(phrase) && !MACHINE_LETTERS.test(phrase)) {
        found.add(`"${phrase}"`, 'quoted', false);
      }
    }
  }
  return found.list;
}

function addPathRun(run: string, found: Found): void {
  // `path:12:5` and `key:value/…`: a colon ends a path, but for a drive's.
  for (const piece of run.replace(/^([A-Za-z]):(?=[\\/])/, '').split(':')) {
    if (piece.includes('/') || piece.includes('\\')) addPath(piece.replace(/[.,;]+$/, ''), found);
    else addPlain(piece, found);
  }
}
