/**
 * The server's end of one connection. Lines are cut out by size first and parsed one by one (ndjson by itself takes quadratic time
 * over a long line: 2.8 s for 8 MB, bench/daemon). Whoever sends nonsense, too much, or does not read what comes back, is let go.
 */
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import ndjson from 'ndjson';
import {
  asRequest,
  encodeFrame,
  type Hello,
  Lines,
  MAX_REPLY_BYTES,
  MAX_REQUEST_BYTES,
  type RefusalCode,
  type Reply,
  type Request,
} from '../protocol/frames.ts';

/** Requests of one client at work at once. */
const MAX_IN_FLIGHT = 32;
/** A client for which more than this waits does not read. */
const MAX_UNREAD_BYTES = MAX_REPLY_BYTES;

const CARRIAGE_RETURN = 13;

export interface PeerEvents {
  /** Answers a request; `signal` is aborted when the client has gone. Rejects with a `RequestError`, or whatever went wrong. */
  readonly answer: (request: Request, signal: AbortSignal, peer: Peer) => Promise<Readonly<Record<string, unknown>>>;
  /** Whether so many bytes more may be worked on. */
  readonly hasRoom: (bytes: number) => boolean;
  readonly onClose: (peer: Peer) => void;
}

/** Why a request is not answered. */
export class RequestError extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

export class Peer {
  readonly #socket: Socket;
  readonly #events: PeerEvents;
  readonly #lines = new Lines(() => MAX_REQUEST_BYTES);
  readonly #parser = ndjson.parse({ strict: true });
  readonly #working = new Map<number, AbortController>();
  #busyBytes = 0;
  /** Lengths of the lines that are being parsed, in order. */
  readonly #lengths: number[] = [];
  #lastAt: number = performance.now();
  #hasAsked = false;

  constructor(socket: Socket, hello: Hello, events: PeerEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#parser.on('data', (value: unknown) => this.#take(value));
    this.#parser.on('error', () => this.#complain('a line is not JSON'));
    // It takes the line `null` for its end.
    this.#parser.on('end', () => this.#complain('a request is an object'));
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#closed());
    socket.setNoDelay(true);
    this.#send(encodeFrame(hello));
  }

  /** Requests at work. */
  get inFlight(): number {
    return this.#working.size;
  }

  /** Bytes held for this client: of a line that is not complete, and of requests at work. */
  get heldBytes(): number {
    return this.#lines.pendingBytes + this.#busyBytes;
  }

  /** Milliseconds since it last asked something or had an answer. */
  get stillMs(): number {
    return performance.now() - this.#lastAt;
  }

  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Closes once what was written is on its way. */
  end(): void {
    this.#socket.end();
  }

  #receive(bytes: Buffer): void {
    for (const line of this.#lines.push(bytes)) {
      if (this.#socket.destroyed || this.#socket.writableEnded) return;
      if (line === false) return this.#complain(`a line is longer than ${MAX_REQUEST_BYTES} bytes`);
      // The parser says nothing about an empty line.
      if (line.length === 1 || (line.length === 2 && line[0] === CARRIAGE_RETURN)) continue;
      this.#lengths.push(line.length);
      this.#parser.write(line);
    }
    if (!this.#events.hasRoom(0)) this.close();
  }

  #take(value: unknown): void {
    const bytes = this.#lengths.shift() ?? 0;
    const request = asRequest(value);
    if ('problem' in request) return this.#complain(request.problem, request.id);
    this.#lastAt = performance.now();
    this.#hasAsked = true;
    void this.#work(request, bytes);
  }

  async #work(request: Request, bytes: number): Promise<void> {
    const { id } = request;
    if (this.#working.size >= MAX_IN_FLIGHT || this.#working.has(id) || !this.#events.hasRoom(bytes)) {
      return this.#reply({ id, ok: false, error: { code: 'refused', message: 'too many requests at once' } });
    }
    const controller = new AbortController();
    this.#working.set(id, controller);
    this.#busyBytes += bytes;
    try {
      const result = await this.#events.answer(request, controller.signal, this);
      this.#reply({ id, ok: true, result });
    } catch (error) {
      const code = error instanceof RequestError ? error.code : 'failed';
      const message = error instanceof Error ? error.message : String(error);
      this.#reply({ id, ok: false, error: { code, message } });
    } finally {
      this.#busyBytes -= bytes;
      this.#working.delete(id);
      this.#lastAt = performance.now();
    }
  }

  #reply(reply: Reply): void {
    const line = encodeFrame(reply);
    if (Buffer.byteLength(line) <= MAX_REPLY_BYTES) return this.#send(line);
    const message = `the answer is longer than ${MAX_REPLY_BYTES} bytes`;
    this.#send(encodeFrame({ id: reply.id, ok: false, error: { code: 'too-large', message } }));
  }

  #send(line: string): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    if (this.#socket.writableLength > MAX_UNREAD_BYTES) return this.close();
    this.#socket.write(line);
  }

  /** One word about what is wrong, and the end: what follows cannot be trusted to be where it seems to be. */
  #complain(message: string, id: number | null = null): void {
    this.#send(encodeFrame({ id, ok: false, error: { code: 'invalid', message } }));
    if (id === null) this.end();
  }

  #closed(): void {
    for (const controller of this.#working.values()) controller.abort();
    this.#parser.destroy();
    this.#events.onClose(this);
  }
}
