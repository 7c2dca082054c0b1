/**
 * Fetches one large file: to a neighbour named `.part`, goes on where an earlier try stopped, and takes the final name only once the
 * sum is right.
 */
import { createHash } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { ChittaError } from '../errors.ts';
import { reasonOf } from '../platform/small-file.ts';
import { GGUF_MAGIC } from './gguf.ts';
import { networkError, refusal } from './hub.ts';

export interface DownloadRequest {
  readonly url: string;
  readonly target: string;
  readonly sha256: string;
  readonly size: number;
  readonly onProgress?: ((progress: { doneBytes: number; totalBytes: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Longest silence of the other side; default 60 s. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 60_000;
const PRIVATE_FILE = 0o600;
const GO_ON = 'run the command again, it goes on from there';

/** Aborts when nothing was heard for a while, or when the caller says so. */
class Patience {
  readonly #controller = new AbortController();
  readonly #silenceMs: number;
  #timer: NodeJS.Timeout | undefined;
  readonly signal: AbortSignal;

  constructor(silenceMs: number, outer: AbortSignal | undefined) {
    this.#silenceMs = silenceMs;
    this.signal = outer ? AbortSignal.any([outer, this.#controller.signal]) : this.#controller.signal;
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#controller.abort(new Error(`nothing came for ${this.#silenceMs} ms`));
    }, this.#silenceMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** The sum of all that came; `rubbish` if it is not worth keeping, and why. */
type Outcome = { readonly sum: string } | { readonly rubbish: string };

/** Fetches the bytes that are still missing, after what `part` holds. */
async function fetchRest(request: DownloadRequest, part: string, patience: Patience): Promise<Outcome> {
  const { url, size, onProgress } = request;
  const hash = createHash('sha256');
  const held = statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  // Longer than the whole cannot be a part of it.
  let done = held > size ? 0 : held;
  let file: FileHandle | undefined;
  try {
    patience.heard();
    const range = done > 0 ? { range: `bytes=${done}-` } : {};
    const headers = { 'accept-encoding': 'identity', ...range };
    const response = done === size ? undefined : await fetch(url, { headers, signal: patience.signal });
    if (response && !response.ok) throw refusal(url, url, response.status);
    // 200: the other side does not know how to go on in the middle.
    if (response?.status === 200) done = 0;
    file = await open(part, done > 0 ? 'a' : 'w', PRIVATE_FILE);
    if (done > 0) for await (const block of createReadStream(part)) hash.update(block);
    onProgress?.({ doneBytes: done, totalBytes: size });
    let opening = done > 0 ? GGUF_MAGIC : '';
    for await (const chunk of response?.body ?? []) {
      patience.heard();
      if (opening.length < GGUF_MAGIC.length) {
        opening += Buffer.from(chunk).toString('latin1', 0, GGUF_MAGIC.length - opening.length);
        if (!GGUF_MAGIC.startsWith(opening)) return { rubbish: 'is not a GGUF file' };
      }
      hash.update(chunk);
      await file.appendFile(chunk);
      done += chunk.length;
      if (done > size) return { rubbish: 'is longer than it should be' };
      onProgress?.({ doneBytes: done, totalBytes: size });
    }
    await file.sync();
    return { sum: hash.digest('hex') };
  } finally {
    await file?.close();
  }
}

function explain(error: unknown, url: string, part: string): ChittaError {
  if (error instanceof ChittaError) return error;
  // The file system's errors name the call themselves, those of the network hide it in their cause.
  const disk = error instanceof Error && 'syscall' in error;
  return disk
    ? new ChittaError('E_MODEL', `${part} cannot be written: ${reasonOf(error)}`, { cause: error })
    : networkError(url, error, GO_ON);
}

/**
 * Fetches a GGUF file to `target`. Rejects with E_MODEL if it cannot be had, is no GGUF file, or is not what `sha256` says; what
 * arrived before a broken connection is kept and used by the next try. Rejects with the signal's reason if that is aborted.
 */
export async function download(request: DownloadRequest): Promise<void> {
  const { url, target, sha256, size, signal, silenceMs = SILENCE_MS } = request;
  // By its sum, so that a new version of the file does not go on from the old one.
  const part = `${target}.${sha256.slice(0, 8)}.part`;
  const patience = new Patience(silenceMs, signal);
  let outcome: Outcome;
  try {
    outcome = await fetchRest(request, part, patience);
  } catch (error) {
    signal?.throwIfAborted();
    throw explain(error, url, part);
  } finally {
    patience.end();
  }
  if ('sum' in outcome && outcome.sum === sha256) return rename(part, target);
  const { size: got } = statSync(part);
  if ('sum' in outcome && got < size) {
    throw new ChittaError('E_MODEL', `${url} ended after ${got} of ${size} bytes`, { hint: GO_ON });
  }
  rmSync(part, { force: true });
  const why = 'sum' in outcome ? `arrived damaged: its sha256 is ${outcome.sum}, not ${sha256}` : outcome.rubbish;
  throw new ChittaError('E_MODEL', `${url} ${why}`, { hint: 'check the name, and run the command again' });
}
