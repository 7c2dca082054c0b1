/** The only place that reads and writes the standard streams. A reader that went away (EPIPE) is no error: it has what it wanted. */
import type { Readable, Writable } from 'node:stream';
import { ChittaError } from '../errors.ts';

/** What came in, and whether that was all: false if it was cut at `maxBytes` or at the deadline. */
export interface Received {
  readonly bytes: Buffer;
  readonly complete: boolean;
}

/**
 * Reads a stream to its end, to `maxBytes` or until `deadlineMs` have passed, whichever comes first, and lets go of it, so that
 * a writer that never ends cannot keep the process. Throws E_INPUT_MISSING if the stream cannot be read.
 */
export function readAll(
  stream: Readable,
  { maxBytes, deadlineMs }: { readonly maxBytes: number; readonly deadlineMs?: number },
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (complete: boolean): void => {
      clearTimeout(timer);
      stream.off('data', take).off('end', end).off('close', close);
      if (!complete) stream.destroy();
      resolve({ bytes: Buffer.concat(chunks, length), complete });
    };
    const take = (chunk: Buffer | string): void => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      const room = maxBytes - length;
      chunks.push(bytes.length > room ? bytes.subarray(0, room) : bytes);
      length += Math.min(bytes.length, room);
      if (bytes.length > room) settle(false);
    };
    const end = (): void => settle(true);
    const close = (): void => settle(false);
    // Stays: a stream that was let go may still fail, with nobody else listening.
    stream.on('error', (cause) => {
      clearTimeout(timer);
      reject(new ChittaError('E_INPUT_MISSING', `standard input cannot be read: ${cause.message}`, { cause }));
    });
    if (stream.readableEnded || stream.destroyed) return settle(stream.readableEnded);
    if (deadlineMs !== undefined) timer = setTimeout(close, deadlineMs);
    stream.on('data', take).on('end', end).on('close', close);
  });
}

const GONE: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Streams whose errors already have a listener. */
const guarded = new WeakSet<Writable>();

/**
 * Writes to a stream. Resolves when the system has taken it, or when nobody reads any more; rejects with the system's error
 * otherwise (a full disk).
 */
export function writeTo(stream: Writable, data: string | Uint8Array): Promise<void> {
  if (!guarded.has(stream)) {
    guarded.add(stream);
    // The same error also reaches the write's callback; without a listener it would end the process.
    stream.on('error', () => undefined);
  }
  if (stream.destroyed) return Promise.resolve();
  return new Promise((resolve, reject) => {
    stream.write(data, (error: NodeJS.ErrnoException | null | undefined) => {
      if (!error || GONE.has(error.code ?? '')) resolve();
      else reject(error);
    });
  });
}

/**
 * Data, to standard output: resolves when it is handed over, so that the process may end. A closed pipe is success. Rejects with
 * E_OUTPUT where it cannot be written.
 */
export async function writeStdout(data: string | Uint8Array): Promise<void> {
  try {
    await writeTo(process.stdout, data);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ChittaError('E_OUTPUT', `standard output cannot be written: ${why}`, {
      hint: 'is the disk full?',
      cause,
    });
  }
}

/** Words for people, to standard error. Never throws: there is no other place to complain. */
export function writeStderr(text: string): void {
  writeTo(process.stderr, text).catch(() => undefined);
}
