/**
 * Finds the top-level keys of one JSON object in raw bytes, without building it: rows that are skipped are never decoded.
 * Nested values and strings are stepped over, so neither the order of the keys nor a text that looks like a key matters.
 * Linear: each byte is looked at once, long strings by the native search. It checks balance only; JSON.parse checks the rest.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;

/** 1 for what may stand outside of strings beside brackets, commas and quotes: numbers, `true`, `false`, `null`, colons and blanks. */
const OUTSIDE: Uint8Array = new Uint8Array(256);
for (const byte of Buffer.from('0123456789+-.eE:truefalsnull \t\r\n')) OUTSIDE[byte] = 1;

/** Strings shorter than this are searched byte by byte; beyond it the native search is faster. */
const SHORT_STRING = 48;

/**
 * Called for each value of the object and of the objects right below it: `parent` is '' or the top-level key.
 * `from` is the offset of the value's first byte; `to` is behind the closing quote of a string, else `from + 1`.
 */
export type Visit = (parent: string, key: string, from: number, to: number) => void;

/** Called when an object or a list that is the value of a top-level key ends; `to` is behind its closing bracket. */
export type Leave = (key: string, to: number) => void;

export interface Scan {
  /** Offset behind the closing brace, or -1 if the bytes end before it. */
  readonly end: number;
  /** Deepest nesting met; 1 for a flat object. */
  readonly depth: number;
  /** Something stands outside of strings that is no JSON: the braces may balance by chance. */
  readonly isOdd: boolean;
}

/** Offset behind the closing quote of the string that opens at `open`, or -1. */
function endOfString(bytes: Buffer, open: number, limit: number): number {
  let at = open + 1;
  const near = Math.min(limit, at + SHORT_STRING);
  while (at < near) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote >= limit) return -1;
    let slashes = 0;
    while (quote - 1 - slashes >= at && bytes[quote - 1 - slashes] === BACKSLASH) slashes += 1;
    at = quote + 1;
    if (slashes % 2 === 0) return at;
  }
}

/** Scans the object that opens at `start` (which must be its brace). */
export function scanObject(bytes: Buffer, start: number, limit: number, visit: Visit, leave?: Leave): Scan {
  let at = start + 1;
  let depth = 1;
  let deepest = 1;
  let isOdd = false;
  let parent = '';
  let key: string | undefined;
  // Whether the object at depth 2 belongs to a top-level key, so that its own keys are reported too.
  let inside = false;
  let wantsKey = true;
  while (at < limit) {
    const byte = bytes[at];
    const reported = depth === 1 || (depth === 2 && inside);
    switch (byte) {
      case QUOTE: {
        const end = endOfString(bytes, at, limit);
        if (end < 0) return { end: -1, depth: deepest, isOdd };
        if (reported && wantsKey) {
          // Names longer than any known key are not worth a string.
          key = end - at <= 34 ? bytes.toString('latin1', at + 1, end - 1) : '';
          wantsKey = false;
        } else if (reported && key !== undefined) {
          visit(depth === 1 ? '' : parent, key, at, end);
          key = undefined;
        }
        at = end;
        continue;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (reported && key !== undefined) {
          visit(depth === 1 ? '' : parent, key, at, at + 1);
          if (depth === 1) {
            parent = key;
            inside = byte === OPEN_OBJECT;
            wantsKey = inside;
          }
          key = undefined;
        } else if (depth === 1) inside = false;
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth -= 1;
        if (depth === 0) return { end: at + 1, depth: deepest, isOdd };
        if (depth === 1) {
          inside = false;
          leave?.(parent, at + 1);
        }
        break;
      case COMMA:
        if (reported) {
          wantsKey = true;
          key = undefined;
        }
        break;
      default:
        if (byte === undefined || OUTSIDE[byte] !== 1) isOdd = true;
        // A literal is reported once, at its first byte; blanks and the colon come before it.
        if (
          reported &&
          key !== undefined &&
          byte !== 0x3a &&
          byte !== 0x20 &&
          byte !== 0x09 &&
          byte !== 0x0d &&
          byte !== 0x0a
        ) {
          visit(depth === 1 ? '' : parent, key, at, at + 1);
          key = undefined;
        }
    }
    at += 1;
  }
  return { end: -1, depth: deepest, isOdd };
}
