/**
 * The client's end of the socket. Everything that can be wrong on the other side ends here as a value with a reason, within the
 * time given: nobody there, nobody who answers, another protocol or model, garbage, half a line and then silence.
 */
import { connect as connectSocket, type Socket } from 'node:net';
import { codeOf, reasonOf } from '../platform/small-file.ts';
import {
  asHello,
  asReply,
  encodeFrame,
  type Hello,
  Lines,
  MAX_HELLO_BYTES,
  MAX_REPLY_BYTES,
  PROTOCOL,
  type RefusalCode,
  type Reply,
  type Verb,
} from '../protocol/frames.ts';
import { type Endpoint, flawOf } from './places.ts';

/** Without a hello in this time there is no daemon. */
export const HELLO_WITHIN_MS = 300;

/**
 * Why there is no daemon to talk to. `none`: nobody listens; `silent`: no hello in time; `garbage`: what came is no hello, or no
 * reply; `unsafe`: the folder is not private, and nothing in it is to be trusted; `closed`: it hung up.
 */
export type AbsenceReason = 'none' | 'silent' | 'garbage' | 'other-protocol' | 'other-model' | 'unsafe' | 'closed';

export interface Absence {
  readonly state: 'absent';
  readonly reason: AbsenceReason;
  /** For the log. */
  readonly detail: string;
}

export interface Answer {
  readonly state: 'answered';
  readonly result: Readonly<Record<string, unknown>>;
}

export interface Refused {
  readonly state: 'refused';
  readonly code: RefusalCode;
  readonly message: string;
}

/** `late`: no reply before the deadline. */
export type Outcome = Answer | Refused | Absence | { readonly state: 'late' };

export interface Connection {
  readonly state: 'connected';
  readonly hello: Hello;
  /** Resolves within `deadlineMs`, whatever the other side does; never rejects. */
  call(verb: Verb, params: Readonly<Record<string, unknown>>, deadlineMs: number): Promise<Outcome>;
  close(): void;
}

/** Of a deadline, what is left for the reply to travel and to be read. */
const RETURN_MS = 10;

function absent(reason: AbsenceReason, detail: string): Absence {
  return { state: 'absent', reason, detail };
}

/** After `ms`, and after one look at what has arrived by then: a process that was held up itself must not blame the other side. */
function after(ms: number, then: () => void): () => void {
  let look: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (look = setImmediate(() => (look = setImmediate(then)))), Math.max(0, ms));
  return () => {
    clearTimeout(timer);
    if (look) clearImmediate(look);
  };
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}

/** What a first line says about who is there. */
function greeting(line: Buffer, model: string): Hello | Absence {
  const hello = asHello(parsed(line));
  if (!hello) return absent('garbage', 'the first line is no hello');
  if (hello.chitta !== PROTOCOL) return absent('other-protocol', `it speaks protocol ${hello.chitta}`);
  if (hello.model !== model) return absent('other-model', `it has the model ${hello.model}`);
  return hello;
}

class Line implements Connection {
  readonly state = 'connected';
  readonly hello: Hello;
  readonly #socket: Socket;
  readonly #build: string;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #lastId = 0;
  #ended: Absence | undefined;

  constructor(socket: Socket, hello: Hello, build: string) {
    this.#socket = socket;
    this.hello = hello;
    this.#build = build;
  }

  take(line: Buffer): void {
    const reply = asReply(parsed(line));
    if (!reply) return this.end(absent('garbage', 'a line is no reply'));
    if (reply.id === null) return this.end(absent('closed', reply.ok ? '' : reply.error.message));
    this.#waiting.get(reply.id)?.(outcomeOf(reply));
  }

  end(absence: Absence): void {
    this.#ended ??= absence;
    this.#socket.destroy();
    for (const settle of this.#waiting.values()) settle(absence);
  }

  call(verb: Verb, params: Readonly<Record<string, unknown>>, deadlineMs: number): Promise<Outcome> {
    if (this.#ended) return Promise.resolve(this.#ended);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const settle = (outcome: Outcome): void => {
        cancel();
        this.#waiting.delete(id);
        resolve(outcome);
      };
      const cancel = after(deadlineMs, () => settle({ state: 'late' }));
      this.#waiting.set(id, settle);
      const left = Math.max(0, Math.round(deadlineMs - RETURN_MS));
      this.#socket.write(encodeFrame({ id, verb, deadline_ms: left, build: this.#build, params }));
    });
  }

  close(): void {
    this.end(absent('closed', 'closed by this side'));
  }
}

function outcomeOf(reply: Reply): Outcome {
  if (reply.ok) return { state: 'answered', result: reply.result };
  return { state: 'refused', code: reply.error.code, message: reply.error.message };
}

/** Why there is no answer, in a few words. */
export function describe(outcome: Exclude<Outcome, Answer>): string {
  if (outcome.state === 'refused') return `${outcome.code}: ${outcome.message}`;
  return outcome.state === 'absent' ? `${outcome.reason}: ${outcome.detail}` : 'it did not answer in time';
}

/** Nobody listens; anything else about the socket is told as it is. */
function connectFailure(error: unknown): Absence {
  const code = codeOf(error);
  const nobody = code === 'ENOENT' || code === 'ECONNREFUSED';
  // Its queue of connections is full: it has not looked at them for a while.
  if (code === 'EAGAIN') return absent('silent', 'it takes no connections');
  return absent(nobody ? 'none' : 'closed', nobody ? 'nobody listens' : reasonOf(error));
}

/**
 * Connects and waits for the hello, at most `withinMs` and never more than 300 ms. Never rejects. `build` is the client's own version.
 */
export function connect(endpoint: Endpoint, build: string, withinMs: number): Promise<Connection | Absence> {
  const flaw = flawOf(endpoint.folder);
  if (flaw === 'missing') return Promise.resolve(absent('none', 'nobody listens'));
  if (flaw !== undefined) return Promise.resolve(absent('unsafe', flaw));
  return new Promise((resolve) => {
    const socket = connectSocket(endpoint.socket);
    let line: Line | undefined;
    const lines = new Lines(() => (line ? MAX_REPLY_BYTES : MAX_HELLO_BYTES));
    const fail = (absence: Absence): void => {
      cancel();
      socket.destroy();
      line?.end(absence);
      resolve(absence);
    };
    const cancel = after(Math.min(withinMs, HELLO_WITHIN_MS), () => fail(absent('silent', 'no hello in time')));
    const greet = (bytes: Buffer): void => {
      const hello = greeting(bytes, endpoint.model);
      if ('state' in hello && hello.state === 'absent') return fail(hello);
      cancel();
      line = new Line(socket, hello, build);
      resolve(line);
    };
    socket.on('data', (bytes) => {
      for (const one of lines.push(bytes)) {
        if (socket.destroyed) return;
        if (one === false) return fail(absent('garbage', 'a line is too long'));
        if (line) line.take(one);
        else greet(one);
      }
    });
    socket.on('error', (error) => fail(connectFailure(error)));
    socket.on('close', () => fail(absent('closed', 'it hung up')));
  });
}
