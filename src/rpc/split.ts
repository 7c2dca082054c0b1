/**
 * Cuts a byte stream into JSON values: one on a line, several on a line, or one spread over many lines. Each byte is
 * looked at once, whatever the chunking; nothing is decoded before a value is whole, so chunks may split characters.
 *
 * It knows just enough grammar to see where a value ends, and where one that was cut off gives way to the next: a line
 * that begins with something that may not stand there begins anew. Whether a piece is JSON at all, JSON.parse decides.
 */

/** `value`: to be parsed. `broken`: surely no JSON. `too-large`: longer than the limit, its text is not kept. */
export interface Piece {
  readonly kind: 'value' | 'broken' | 'too-large';
  readonly text: string;
}

/** A longer value is refused instead of held in memory; V8's longest string is twice that. */
const MAX_VALUE_BYTES = 256 * 1024 * 1024;

/** Values nested in another one that begin a line, remembered in case the outer one turns out to be cut off. */
const MAX_NESTED = 100_000;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Stands for "a value or key has just ended" among the significant bytes. */
const ENDED = 0;

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

/** A byte order mark before a value; no JSON value begins with one of its bytes. */
function isByteOrderMark(byte: number): boolean {
  return byte === 0xef || byte === 0xbb || byte === 0xbf;
}

function isOpener(byte: number): boolean {
  return byte === OPEN_OBJECT || byte === OPEN_LIST;
}

function isCloser(byte: number): boolean {
  return byte === CLOSE_OBJECT || byte === CLOSE_LIST;
}

/** Inside a value that was cut off, only what says `jsonrpc` is a request of its own: a message on a line is not. */
function isRequest(text: string): boolean {
  if (!text.includes('"jsonrpc"')) return false;
  try {
    const value: unknown = JSON.parse(text);
    const requests: unknown[] = Array.isArray(value) ? value : [value];
    return requests.some((one) => typeof one === 'object' && one !== null && 'jsonrpc' in one);
  } catch {
    return false;
  }
}

/** Offsets count from the beginning of the outer value; `end` is known once it is closed. */
interface Nested {
  readonly start: number;
  readonly depth: number;
  end: number | undefined;
}

/** Feed it chunks and take the pieces that became whole; `end` gives what is left. One instance per stream. */
export class ValueSplitter {
  readonly #maxBytes: number;
  /** `between` values; in a `value`; in a `line` that is none; or `lost` in one that was cut off, until a line begins anew. */
  #state: 'between' | 'value' | 'line' | 'lost' = 'between';
  /** Bytes of the current piece from earlier chunks. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #previous = NEWLINE;
  #inString = false;
  #escaped = false;
  /** The last significant byte outside strings, or ENDED. */
  #last = ENDED;
  #open: number[] = [];
  #nested: Nested[] = [];
  #openNested: Nested[] = [];
  #pieces: Piece[] = [];

  constructor(maxBytes: number = MAX_VALUE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): Piece[] {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const lineStart = this.#previous === NEWLINE;
      this.#previous = byte;
      if (this.#state === 'value') {
        const offset = this.#heldBytes + at - start;
        const verdict = this.#inString ? this.#inText(byte) : this.#outsideText(byte, lineStart, offset);
        if (verdict === 'goes-on') continue;
        if (verdict === 'whole') {
          this.#emit('value', this.#piece(chunk, start, at + 1));
          this.#reset();
          this.#state = 'between';
          start = at + 1;
          continue;
        }
        this.#recover(this.#piece(chunk, start, at));
        this.#state = verdict === 'anew' ? 'between' : 'lost';
        start = at;
      } else if (this.#state === 'line') {
        if (byte === NEWLINE) {
          this.#emit('value', this.#piece(chunk, start, at));
          this.#state = 'between';
        }
      } else if (this.#state === 'lost' && lineStart && this.#beginsAnew(byte)) {
        this.#state = 'between';
      }
      if (this.#state === 'between' && !isBlank(byte) && !isByteOrderMark(byte)) {
        start = at;
        this.#begin(byte);
      } else if (this.#state === 'between' || this.#state === 'lost') {
        start = at + 1;
      }
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
    return this.#take();
  }

  /** The stream is over: what was begun is given as it stands. */
  end(): Piece[] {
    const rest = Buffer.concat(this.#held);
    if (this.#state === 'line') this.#emit('value', rest);
    else if (this.#state === 'value') this.#recover(rest);
    this.#reset();
    this.#state = 'between';
    return this.#take();
  }

  #begin(byte: number): void {
    if (!isOpener(byte)) {
      this.#state = 'line';
      return;
    }
    this.#state = 'value';
    this.#open.push(byte);
    this.#last = byte;
  }

  #inText(byte: number): 'goes-on' | 'lost' {
    // No JSON string goes over a line end, be it escaped or not: this one was cut off.
    if (byte === NEWLINE) return 'lost';
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    return 'goes-on';
  }

  #outsideText(byte: number, lineStart: boolean, offset: number): 'goes-on' | 'whole' | 'anew' {
    if (isBlank(byte)) return 'goes-on';
    if (lineStart && !this.#mayStand(byte)) return 'anew';
    if (isOpener(byte)) {
      if (lineStart) this.#remember(offset);
      this.#open.push(byte);
      this.#last = byte;
    } else if (isCloser(byte)) {
      this.#open.pop();
      this.#last = ENDED;
      if (this.#open.length === 0) return 'whole';
      if (this.#openNested.at(-1)?.depth === this.#open.length) {
        const nested = this.#openNested.pop();
        if (nested !== undefined) nested.end = offset + 1;
      }
    } else if (byte === COMMA || byte === COLON) {
      this.#last = byte;
    } else {
      this.#inString = byte === QUOTE;
      this.#last = ENDED;
    }
    return 'goes-on';
  }

  /** Whether JSON allows a value or key that begins with `byte` at this place of the current value. */
  #mayStand(byte: number): boolean {
    if (isCloser(byte) || byte === COMMA || byte === COLON) return true;
    const isKey = byte === QUOTE;
    if (this.#last === COMMA) return isKey || this.#open.at(-1) === OPEN_LIST;
    return this.#last === OPEN_LIST || this.#last === COLON || (this.#last === OPEN_OBJECT && isKey);
  }

  /** Whether a line beginning with `byte` is surely not the rest of a pretty-printed value. */
  #beginsAnew(byte: number): boolean {
    return !isBlank(byte) && !isCloser(byte) && byte !== COMMA && byte !== COLON && byte !== QUOTE;
  }

  #remember(start: number): void {
    if (this.#nested.length >= MAX_NESTED) return;
    const nested: Nested = { start, depth: this.#open.length, end: undefined };
    this.#nested.push(nested);
    this.#openNested.push(nested);
  }

  /** Emits a value that was cut off as broken, except for the whole requests it swallowed. */
  #recover(bytes: Buffer): void {
    let from = 0;
    let seen = 0;
    for (const { start, end } of this.#nested) {
      if (end === undefined || start < seen) continue;
      seen = end;
      if (!isRequest(bytes.toString('utf8', start, end))) continue;
      this.#emit('broken', bytes.subarray(from, start));
      this.#emit('value', bytes.subarray(start, end));
      from = end;
    }
    this.#emit('broken', bytes.subarray(from));
    this.#reset();
  }

  #emit(kind: Piece['kind'], bytes: Buffer): void {
    const text = bytes.toString('utf8').trim();
    if (text !== '' && !(kind === 'broken' && text === ',')) this.#pieces.push({ kind, text });
  }

  #hold(rest: Buffer): void {
    this.#held.push(rest);
    this.#heldBytes += rest.length;
    if (this.#heldBytes <= this.#maxBytes) return;
    this.#pieces.push({ kind: 'too-large', text: '' });
    this.#reset();
    this.#state = 'lost';
  }

  /** The current piece up to `end` of this chunk; what was held for it is let go. */
  #piece(chunk: Buffer, start: number, end: number): Buffer {
    const part = chunk.subarray(start, end);
    const bytes = this.#held.length === 0 ? part : Buffer.concat([...this.#held, part]);
    this.#held = [];
    this.#heldBytes = 0;
    return bytes;
  }

  #reset(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#open = [];
    this.#nested = [];
    this.#openNested = [];
  }

  #take(): Piece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}
