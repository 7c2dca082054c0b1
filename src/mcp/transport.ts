/**
 * MCP's stdio transport: one JSON-RPC message a line, in and out. Beside the SDK's own, this one bounds a message, answers what is
 * none, joins the parts of a long one once, and knows when the client is gone and everything it asked for is answered.
 */
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { writeTo } from '../terminal/streams.ts';

/** A conversation that fills a million tokens is some 8 MB; what is larger than this is not read into memory. */
const MAX_MESSAGE_BYTES = 67_108_864;
/** Where in a message that is too large its id may be looked for: clients write it first or last. */
const EDGE_BYTES = 512;
const NEWLINE = 0x0a;

const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const MAX_PROBLEM = 300;

type Id = string | number;

const ID = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.){1,200}"|-?\d{1,15})`;
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}`);
const ID_LAST = new RegExp(String.raw`${ID}\s*\}\s*$`);

/** The id at an edge of a message that was not kept whole. */
function idAtEdge(head: string, tail: string): Id | undefined {
  const [, written] = ID_FIRST.exec(head) ?? ID_LAST.exec(tail) ?? [];
  if (written === undefined) return undefined;
  const id: unknown = JSON.parse(written);
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function idOf(value: unknown): Id | undefined {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** What a validator found, if a text is its findings: many lines of JSON. */
function findingIn(text: string): string | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const [first]: unknown[] = JSON.parse(text);
    // Checked field by field; what is another's text is left as it is.
    const { path, message } = Object(first) as Partial<Record<string, unknown>>;
    return Array.isArray(path) && typeof message === 'string' ? `${path.map(String).join('.')}: ${message}` : undefined;
  } catch {
    return undefined;
  }
}

/** The SDK answers parameters that do not fit as if it had failed itself, and with all that its validator found. */
function inWords(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== INTERNAL_ERROR) return message;
  const finding = findingIn(message.error.message);
  return finding === undefined
    ? message
    : { ...message, error: { code: INVALID_PARAMS, message: finding.slice(0, MAX_PROBLEM).toWellFormed() } };
}

/** The transport of one process. `done` resolves when the client is gone and has its answers, or when nobody takes them. */
export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly done: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #maxBytes: number;
  #settle: () => void = () => undefined;
  #line: Buffer[] = [];
  #lineBytes = 0;
  /** Of a line that is too large, its end. */
  #tail: Buffer | undefined;
  readonly #open = new Set<Id>();
  #ended = false;

  constructor(input: Readable, output: Writable, maxBytes: number = MAX_MESSAGE_BYTES) {
    this.#input = input;
    this.#output = output;
    this.#maxBytes = maxBytes;
    this.done = new Promise((resolve) => (this.#settle = resolve));
  }

  start(): Promise<void> {
    this.#input.on('data', (chunk: Buffer | string) =>
      this.#take(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
    );
    for (const event of ['end', 'close', 'error']) this.#input.on(event, () => this.#end());
    // Nobody is there to read an answer.
    for (const event of ['close', 'error']) this.#output.on(event, () => this.#settle());
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const isAnswer = 'id' in message && !('method' in message) && message.id !== undefined;
    let text: string;
    try {
      text = JSON.stringify(inWords(message));
    } catch (error) {
      // Nested too deep for JSON.stringify: the client must not wait for ever.
      if (!isAnswer) throw error;
      return this.#refuse(message.id, INTERNAL_ERROR, 'the result cannot be written as JSON');
    }
    await writeTo(this.#output, `${text}\n`);
    if (isAnswer && message.id !== undefined) this.#answered(message.id);
  }

  close(): Promise<void> {
    this.#settle();
    this.onclose?.();
    return Promise.resolve();
  }

  #take(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      this.#hold(chunk.subarray(start, end < 0 ? chunk.length : end));
      if (end < 0) return;
      this.#endLine();
      start = end + 1;
    }
  }

  #hold(part: Buffer): void {
    this.#lineBytes += part.length;
    if (this.#lineBytes <= this.#maxBytes) {
      if (part.length > 0) this.#line.push(part);
      return;
    }
    if (this.#tail === undefined) {
      this.#line = [Buffer.from(Buffer.concat([...this.#line, part.subarray(0, EDGE_BYTES)]).subarray(0, EDGE_BYTES))];
    }
    this.#tail = Buffer.concat([this.#tail ?? Buffer.alloc(0), part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
  }

  #endLine(): void {
    const bytes = Buffer.concat(this.#line);
    const tail = this.#tail;
    this.#line = [];
    this.#lineBytes = 0;
    this.#tail = undefined;
    if (tail === undefined) return this.#read(bytes.toString('utf8').trim());
    const id = idAtEdge(bytes.toString('utf8'), tail.toString('utf8'));
    const problem = `a message of more than ${this.#maxBytes / 1_048_576} MB is not read`;
    if (id === undefined) this.onerror?.(new Error(problem));
    else void this.#refuse(id, INVALID_REQUEST, problem);
  }

  #read(text: string): void {
    if (text === '') return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      this.onerror?.(new Error('a line that is no JSON was passed over', { cause: error }));
      return;
    }
    const parsed = JSONRPCMessageSchema.safeParse(value);
    if (!parsed.success) {
      const id = idOf(value);
      if (id === undefined) this.onerror?.(new Error('a message that is no JSON-RPC was passed over'));
      else void this.#refuse(id, INVALID_REQUEST, 'this is no request of JSON-RPC 2.0');
      return;
    }
    const message = parsed.data;
    if ('method' in message) {
      if ('id' in message) this.#open.add(message.id);
      else if (message.method === 'notifications/cancelled') this.#cancelled(message.params?.['requestId']);
    }
    this.onmessage?.(message);
  }

  /** A cancelled request gets no answer. */
  #cancelled(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#answered(id);
  }

  async #refuse(id: Id | undefined, code: number, message: string): Promise<void> {
    await writeTo(this.#output, `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
    if (id !== undefined) this.#answered(id);
  }

  #answered(id: Id): void {
    this.#open.delete(id);
    if (this.#ended && this.#open.size === 0) this.#settle();
  }

  #end(): void {
    if (this.#ended) return;
    if (this.#lineBytes > 0) this.#endLine();
    this.#ended = true;
    if (this.#open.size === 0) this.#settle();
  }
}
