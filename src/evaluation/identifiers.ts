/**
 * What in a line of text could be needed again by name: paths, symbols, URLs, hashes, numbers, quoted phrases, flags.
 *
 * The benchmark's own reading, kept apart from what the strategies read: a yardstick is not shared with what it measures.
 * One pass over the line; what cannot be the beginning of a name is stepped over, so the time is linear.
 */

export type IdentifierKind = 'path' | 'symbol' | 'url' | 'hash' | 'number' | 'quoted' | 'flag';

export interface Identifier {
  /** The same thing written in two ways has one key: paths are their last two parts, hashes their first seven digits. */
  readonly key: string;
  readonly kind: IdentifierKind;
  /** Whether it stands here only inside of a longer name. */
  readonly part: boolean;
}

/** The rest of a longer line is not looked at. */
const MAX_LINE = 20_000;
/** Quoted phrases are looked for in lines shorter than this. */
const MAX_QUOTING_LINE = 4_000;
const [MIN_NAME, MAX_NAME] = [5, 120];

// Kinds of characters, as bits.
const WORD = 1;
const NAME_START = 2;
const NAME = 4;
const PATH_LEAD = 8;
const PATH_HEAD = 16;
const PATH_PART = 32;
const PATH_END = 64;
const DIGIT = 128;

const KINDS: Uint8Array = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  const within = (set: RegExp, bit: number): number => (set.test(character) ? bit : 0);
  KINDS[code] =
    within(/\w/, WORD) |
    within(/[A-Za-z_$]/, NAME_START) |
    within(/[\w$]/, NAME) |
    within(/[\\/~.]/, PATH_LEAD) |
    within(/[\w@.+-]/, PATH_HEAD) |
    within(/[\w@.+[\]()-]/, PATH_PART) |
    within(/[\w\])]/, PATH_END) |
    within(/\d/, DIGIT);
}

const URL = /https?:\/\/[^\s"'`<>)\]}\\]+/y;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/y;
const FLAG = /--[a-z][\w-]{2,}/y;
const NUMBER = /\d[\w.-]*/y;
const QUOTED = /(["'`])((?:(?!\1)[^\n]){5,60})\1/g;

const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}$/;
/** Endings by which a name without a folder is still a file. */
const FILE_ENDINGS: ReadonlySet<string> = new Set(
  (
    'ts tsx js jsx mjs cjs py go rs md json yml yaml toml css html sh sql txt lock java rb dart ps1 cs cpp c h ' +
    'svg png log jsonl env xml cfg ini'
  ).split(' '),
);

function is(line: string, at: number, bits: number): boolean {
  const code = line.charCodeAt(at);
  return code < 128 && ((KINDS[code] ?? 0) & bits) !== 0;
}

/** Offset behind the run of such characters that begins at `at`. */
function runEnd(line: string, at: number, bits: number): number {
  let end = at;
  while (is(line, end, bits)) end += 1;
  return end;
}

function isSlash(line: string, at: number): boolean {
  return line[at] === '/' || line[at] === '\\';
}

function matchEnd(pattern: RegExp, line: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(line) ? pattern.lastIndex : -1;
}

/** Offset behind the folders and the name that follow at `at`, each after one slash; `at` itself if there are none. */
function partsEnd(line: string, at: number): number {
  let end = at;
  while (isSlash(line, end)) {
    let last = runEnd(line, end + 1, PATH_PART);
    while (last > end + 1 && !is(line, last - 1, PATH_END)) last -= 1;
    if (last === end + 1) break;
    end = last;
  }
  return end;
}

function isDrive(line: string, at: number): boolean {
  return line[at + 1] === ':' && /[A-Za-z]/.test(line[at] ?? '');
}

interface PathScan {
  /** Behind the path, or -1 where there is none. */
  readonly end: number;
  /** Up to here no other path begins, except one with a drive. */
  readonly none: number;
}

function scanPath(line: string, at: number): PathScan {
  const start = isDrive(line, at) ? at + 2 : at;
  const lead = runEnd(line, start, PATH_LEAD);
  const head = runEnd(line, lead, PATH_HEAD);
  if (head > lead) {
    const end = partsEnd(line, head);
    if (end > head) return { end, none: at };
  }
  // `./name`: the dots are the first part.
  for (let dot = lead - 2; dot >= start; dot--) {
    if (line[dot] !== '.' || !isSlash(line, dot + 1)) continue;
    const end = partsEnd(line, dot + 1);
    if (end > dot + 1) return { end, none: at };
    break;
  }
  return { end: -1, none: head };
}

const hasUnderscoreInside = (name: string): boolean => /[^_]_+[^_]/.test(name);
const isCamel = (name: string): boolean => /[a-z][A-Z]/.test(name);
const isErrorCode = (name: string): boolean => /^E[A-Z]{3,}$/.test(name);
const isNumbered = (name: string): boolean => /^[A-Za-z]+\d+\w*$/.test(name);
const isKebab = (name: string): boolean => name.length >= 7 && name.includes('-') && /^[a-z0-9-]+$/i.test(name);

/** Whether a name without dots is one that somebody made up, and no plain word. */
function isSymbol(name: string): boolean {
  return hasUnderscoreInside(name) || isCamel(name) || isErrorCode(name) || isNumbered(name) || isKebab(name);
}

/** The identifiers of one line, each key once, in order of their first place. */
class Found {
  readonly list: Identifier[] = [];
  readonly #keys = new Set<string>();

  add(key: string, kind: IdentifierKind, part = false): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.list.push({ key, kind, part });
  }

  /** A name with or without dots, and the made-up names in it. */
  addName(name: string, inPath: boolean): void {
    if (name.length < MIN_NAME || name.length > MAX_NAME) return;
    const parts = name.split(/\.|::|->/);
    const [, second = ''] = parts;
    if (parts.length > 1 && (parts.length > 2 || second.length >= 2 || EXTENSION.test(name))) {
      const isFile = parts.length === 2 && FILE_ENDINGS.has(second.toLowerCase());
      this.add(name, isFile ? 'path' : 'symbol', inPath);
    }
    for (const part of parts) {
      if (part.length >= MIN_NAME && isSymbol(part)) this.add(part, 'symbol', inPath || part !== name);
    }
  }

  addPath(text: string): void {
    const parts = text
      .split(/[\\/]/)
      .filter((part) => part !== '' && part !== '.' && part !== '..' && part !== '~' && !/^[A-Za-z]:$/.test(part));
    const [only = ''] = parts;
    if (parts.length < 2) return this.addName(only, false);
    if (parts.length > 2 || EXTENSION.test(parts.at(-1) ?? '')) this.add(parts.slice(-2).join('/'), 'path');
    for (const part of parts) this.addName(part, true);
  }

  addNumber(text: string): void {
    const number = text.replace(/[.-]{1,20}$/, '');
    if (/^[0-9a-f]{7,40}$/.test(number) && /[a-f]/.test(number)) this.add(number.slice(0, 7), 'hash');
    else if (/^\d{3,}(?:\.\d+)*$/.test(number) || /^\d+\.\d+\.\d+/.test(number)) this.add(number, 'number');
  }

  addQuoted(line: string): void {
    for (const [, , inside = ''] of line.matchAll(QUOTED)) {
      const phrase = inside.trim();
      if (phrase.includes(' ') && /\p{L}{2}/u.test(phrase) && !/[<>{}\\]/.test(phrase))
        this.add(`"${phrase}"`, 'quoted');
    }
  }
}

/** Behind a name, which may be joined by dots, `::`, `->` and hyphens. */
function nameEnd(line: string, at: number): number {
  let end = runEnd(line, at, NAME);
  for (;;) {
    const next = line[end];
    const joint = line.startsWith('::', end) || line.startsWith('->', end) ? 2 : next === '.' || next === '-' ? 1 : 0;
    if (joint === 0 || !is(line, end + joint, NAME_START)) return end;
    end = runEnd(line, end + joint, NAME);
  }
}

/** The identifiers of one line. Never throws. */
export function identifiersOf(whole: string): readonly Identifier[] {
  const line = whole.length > MAX_LINE ? whole.slice(0, MAX_LINE) : whole;
  const found = new Found();
  let at = 0;
  let noPathBefore = 0;
  while (at < line.length) {
    if (!is(line, at, NAME_START | PATH_LEAD | PATH_HEAD)) {
      at += 1;
      continue;
    }
    let end = line[at] === 'h' ? matchEnd(URL, line, at) : -1;
    if (end > 0) {
      found.add(line.slice(at, end).replace(/[.,;:!?]{1,20}$/, ''), 'url');
      at = end;
      continue;
    }
    end = matchEnd(UUID, line, at);
    if (end > 0) {
      found.add(line.slice(at, end), 'hash');
      at = end;
      continue;
    }
    if (at >= noPathBefore || isDrive(line, at)) {
      const path = scanPath(line, at);
      if (path.end > 0) {
        found.addPath(line.slice(at, path.end));
        at = path.end;
        continue;
      }
      noPathBefore = Math.max(noPathBefore, path.none);
    }
    if (line[at] === '-' && !(at > 0 && (line[at - 1] === '-' || is(line, at - 1, WORD)))) {
      end = matchEnd(FLAG, line, at);
      if (end > 0) {
        found.add(line.slice(at, end), 'flag');
        at = end;
        continue;
      }
    }
    if (is(line, at, NAME_START)) {
      end = nameEnd(line, at);
      found.addName(line.slice(at, end), false);
    } else if (is(line, at, DIGIT)) {
      end = matchEnd(NUMBER, line, at);
      found.addNumber(line.slice(at, end));
    }
    at = Math.max(at + 1, end);
  }
  if (line.length < MAX_QUOTING_LINE) found.addQuoted(line);
  return found.list;
}
