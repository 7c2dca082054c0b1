/**
 * What goes over the daemon's socket: one JSON object a line, both ways. Types, checks and limits; nothing here reads or writes.
 * The server speaks first (the hello); after that every line from the client is a request and every line back a reply with its id.
 */

/** Goes up when frames change so that old and new do not understand one another; part of the socket's name. */
export const PROTOCOL = 1;

/** Longest line to the server. Parsing one takes the event loop some 5 ms (bench/daemon); a client sends large requests in parts. */
export const MAX_REQUEST_BYTES = 1_048_576;
/** Longest line to the client. */
export const MAX_REPLY_BYTES: number = 16 * 1_048_576;
/** The hello is short; what is longer is no hello. */
export const MAX_HELLO_BYTES = 4_096;
/** No request works longer than this, whatever its deadline says. */
export const MAX_DEADLINE_MS = 600_000;

export const VERBS = ['score', 'embed', 'recall', 'warm', 'follow', 'status', 'shutdown'] as const;
export type Verb = (typeof VERBS)[number];

/** `warming`: the model is still being loaded; what the cache holds can be had already. */
export type DaemonState = 'warming' | 'ready';

export interface Hello {
  readonly chitta: number;
  readonly build: string;
  readonly model: string;
  readonly state: DaemonState;
}

export interface Request {
  readonly id: number;
  readonly verb: Verb;
  /** Milliseconds from the moment the server has the line. */
  readonly deadline_ms: number;
  /** The client's; a newer one than the server's makes the server give way. */
  readonly build: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * `late`: not done within the deadline; `refused`: too much at once, or the daemon is about to end; `invalid`: the parameters are
 * wrong; `too-large`: the answer exceeds `MAX_REPLY_BYTES`; `unavailable`: what the verb needs is not there; `failed`: a fault inside.
 */
export type RefusalCode = 'late' | 'refused' | 'invalid' | 'too-large' | 'unavailable' | 'failed';

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
}

export type Reply =
  | { readonly id: number; readonly ok: true; readonly result: Readonly<Record<string, unknown>> }
  /** Without an id: the line was no request, and the connection ends. */
  | { readonly id: number | null; readonly ok: false; readonly error: Refusal };

type Fields = Readonly<Record<string, unknown>>;

/** Whether a value from outside is an object with fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One line with its end. */
export function encodeFrame(frame: Hello | Request | Reply): string {
  return `${JSON.stringify(frame)}\n`;
}

const CODES: readonly string[] = [
  'late',
  'refused',
  'invalid',
  'too-large',
  'unavailable',
  'failed',
] satisfies RefusalCode[];

function isCode(value: unknown): value is RefusalCode {
  return typeof value === 'string' && CODES.includes(value);
}

function isVerb(value: unknown): value is Verb {
  return VERBS.some((verb) => verb === value);
}

/** A value as a hello of any protocol version, or undefined. */
export function asHello(value: unknown): Hello | undefined {
  if (!isFields(value)) return undefined;
  const { chitta, build, model, state } = value;
  if (typeof chitta !== 'number' || typeof build !== 'string' || typeof model !== 'string') return undefined;
  return { chitta, build, model, state: state === 'ready' ? 'ready' : 'warming' };
}

/** A value as a request, or what is wrong with it. */
export function asRequest(value: unknown): Request | { readonly id: number | null; readonly problem: string } {
  if (!isFields(value)) return { id: null, problem: 'a request is an object' };
  const { id, verb, deadline_ms: deadlineMs, build, params = {} } = value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return { id: null, problem: 'id is not a whole number' };
  if (!isVerb(verb)) return { id, problem: 'verb is not known' };
  if (typeof deadlineMs !== 'number' || !(deadlineMs >= 0)) return { id, problem: 'deadline_ms is not a number' };
  if (typeof build !== 'string') return { id, problem: 'build is not a string' };
  if (!isFields(params)) return { id, problem: 'params is not an object' };
  return { id, verb, deadline_ms: Math.min(deadlineMs, MAX_DEADLINE_MS), build, params };
}

/** A value as a reply, or undefined. */
export function asReply(value: unknown): Reply | undefined {
  if (!isFields(value)) return undefined;
  const { id, ok, result, error } = value;
  if (ok === true && typeof id === 'number' && isFields(result)) return { id, ok, result };
  if (ok !== false || (typeof id !== 'number' && id !== null) || !isFields(error)) return undefined;
  const { code, message } = error;
  return {
    id,
    ok,
    error: { code: isCode(code) ? code : 'failed', message: typeof message === 'string' ? message : '' },
  };
}

/** Whether build `a` is newer than `b`: by the numbers of its version; what follows them does not count. */
export function isNewer(a: string, b: string): boolean {
  const numbers = (build: string): number[] => (/^\d+(?:\.\d+)*/.exec(build)?.[0] ?? '').split('.').map(Number);
  const [left, right] = [numbers(a), numbers(b)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

const LINE_END = 10;

/** Cuts bytes into lines, however they arrive; linear in the bytes, whatever the length of the lines. */
export class Lines {
  #parts: Uint8Array[] = [];
  #length = 0;
  readonly #maxBytes: () => number;

  /** `maxBytes` is asked for every line that is not complete yet. */
  constructor(maxBytes: () => number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the line that is not complete yet. */
  get pendingBytes(): number {
    return this.#length;
  }

  /** The lines that are complete with these bytes, each with its end; false once a line is too long: nothing after it can be trusted. */
  *push(bytes: Uint8Array): Generator<Buffer | false> {
    let from = 0;
    for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, from)) {
      this.#keep(bytes.subarray(from, end + 1));
      from = end + 1;
      if (this.#length - 1 > this.#maxBytes()) return yield false;
      yield this.#take();
    }
    this.#keep(bytes.subarray(from));
    if (this.#length > this.#maxBytes()) yield false;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#length += part.length;
  }

  #take(): Buffer {
    const line = Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
