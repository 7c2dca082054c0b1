/**
 * A request as the text it came in, so that what is not changed goes out with its own characters: numbers that a double
 * cannot hold, escapes, the order of keys. For texts that JSON.parse has accepted. Linear.
 */

type Span = readonly [start: number, end: number];

/** Where the messages of a request stand in its text: the list with its brackets, and each element. */
export interface MessageSpans {
  readonly list: Span;
  readonly elements: readonly Span[];
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text, at)) at += 1;
  return at;
}

/** The position behind a string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  for (;;) {
    let escapes = 0;
    while (text[at - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return at + 1;
    at = text.indexOf('"', at + 1);
  }
}

/** The position behind a value that begins at `from`. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  for (; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') at = endOfString(text, at) - 1;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      // The bracket of what the value stands in, behind a number or a word.
      if (depth === 0) return at;
      depth -= 1;
    } else if (depth === 0 && (char === ',' || isBlank(text, at))) return at;
    if (depth === 0 && (char === '"' || char === '}' || char === ']')) return at + 1;
  }
  return at;
}

function elementsOf(text: string, list: number): Span[] {
  const elements: Span[] = [];
  let at = skipBlanks(text, list + 1);
  while (text[at] !== ']') {
    const end = endOfValue(text, at);
    elements.push([at, end]);
    at = skipBlanks(text, end);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return elements;
}

/** The spans of the messages of an object; undefined if it has no list of them. Of several, the last counts, as for JSON.parse. */
export function messageSpans(text: string): MessageSpans | undefined {
  let found: number | undefined;
  let end = 0;
  let at = skipBlanks(text, text.startsWith('\uFEFF') ? 1 : 0) + 1;
  for (;;) {
    at = skipBlanks(text, at);
    if (text[at] !== '"') break;
    const keyEnd = endOfString(text, at);
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    const value = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    at = endOfValue(text, value);
    if (key === 'messages') {
      found = value;
      end = at;
    }
    at = skipBlanks(text, at);
    if (text[at] === ',') at += 1;
  }
  return found === undefined || text[found] !== '['
    ? undefined
    : { list: [found, end], elements: elementsOf(text, found) };
}

const NUMBER_CHARS = '+-.0123456789eE';

/**
 * The text of a value with each number that would not come back as it was written put between quotes, behind `prefix`;
 * the same string if there is none. `withNumbers` takes them out again.
 */
export function withQuotedNumbers(text: string, prefix: string): string {
  let out = '';
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      at = endOfString(text, at) - 1;
      continue;
    }
    if (char !== '-' && (char < '0' || char > '9')) continue;
    const start = at;
    while (at + 1 < text.length && NUMBER_CHARS.includes(text[at + 1]!)) at += 1;
    const number = text.slice(start, at + 1);
    if (String(Number(number)) === number) continue;
    out += `${text.slice(done, start)}"${prefix}${number};"`;
    done = at + 1;
  }
  return done === 0 ? text : out + text.slice(done);
}

/** JSON with the numbers that were quoted, as they were written; also where one was taken up into another text. */
export function withNumbers(json: string, prefix: string): string {
  if (!json.includes(prefix)) return json;
  const quoted = new RegExp(`"${prefix}([0-9eE.+-]+);"`, 'g');
  // Where that text was cut, its end may be missing.
  const inside = new RegExp(`${prefix}([0-9eE.+-]+);?`, 'g');
  return json.replaceAll(quoted, '$1').replaceAll(inside, '$1');
}
