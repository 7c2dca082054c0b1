/**
 * One request to a model's HTTP API: with a deadline for silence, tried again where that may help, cancelled when the caller is.
 * Keys are in headers only; no error, no log and no URL ever holds one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChittaError } from '../errors.ts';
import { reasonOf } from '../platform/small-file.ts';
import { maskSecrets } from '../redact/mask.ts';

/** A local model may read a long prompt for minutes before it says anything; fetch itself does not wait longer than this. */
const FIRST_BYTE_MS = 300_000;
/** Between two parts of an answer. Providers that stream send pings meanwhile. */
const SILENCE_MS = 120_000;
/** For a whole answer: a server that sends nothing but signs of life is not waited for without end. */
const ANSWER_MS = 3_600_000;
/** Waits before the second and third attempt, where the provider names none; and the longest that one is waited for. */
const WAITS_MS: readonly number[] = [1_000, 4_000];
const MAX_WAIT_MS = 60_000;
const MAX_ANSWER_BYTES = 33_554_432;
/** Of a refusal, so much is read, and its words are waited for so long: the status is known already. */
const MAX_REFUSAL_BYTES = 65_536;
const REFUSAL_MS = 10_000;
const MAX_SAID_CHARS = 300;
/** Too many requests, a time-out, and what a server says of itself; 529 is Anthropic's "overloaded". */
export const RETRIED: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529]);

/** What may be changed for a test, or for a server that is known. */
export interface HttpOptions {
  readonly firstByteMs?: number | undefined;
  readonly silenceMs?: number | undefined;
  readonly answerMs?: number | undefined;
  /** Waits before another attempt; rejects when the signal aborts. */
  readonly pause?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

export interface Post extends HttpOptions {
  /** For messages to people: `anthropic`. */
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal | undefined;
}

/** The answer as it comes in. */
export interface Reply {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Words of the provider's as they may be repeated: on one line, without the key that the request was made with. */
  readonly said: (text: string) => string;
}

/** A failure that may be over in a moment. */
export class PassingFailure extends Error {
  /** What the provider wants to be waited for. */
  readonly afterMs: number | undefined;

  constructor(message: string, extra: { afterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: extra.cause });
    this.afterMs = extra.afterMs;
  }
}

/** An answer that cannot be had. */
export function providerError(provider: string, why: string, hint?: string, cause?: unknown): ChittaError {
  return new ChittaError('E_PROVIDER', `${provider}: ${why}`, {
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Words of a provider's on one line, without secrets. */
export function said(text: string, headers: Readonly<Record<string, string>> = {}): string {
  let plain = text;
  // Some quote the key that they refuse.
  for (const value of Object.values(headers)) {
    const secret = value.replace(/^Bearer /, '');
    if (secret.length >= 8) plain = plain.replaceAll(secret, '[masked]');
  }
  const line = maskSecrets(plain)
    .text.replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length <= MAX_SAID_CHARS ? line : `${line.slice(0, MAX_SAID_CHARS).toWellFormed()}…`;
}

function messageIn(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    const error: unknown = typeof value === 'object' && value !== null && 'error' in value ? value.error : value;
    if (typeof error === 'string') return error;
    if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  } catch {
    // No JSON: the text itself is what there is.
  }
  return body;
}

/** Milliseconds that `retry-after` asks for: seconds or a date; undefined if it does not. */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const ms = Number(headers.get('retry-after-ms') || Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = Number(value);
  if (value.trim() !== '' && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** The beginning of a body; what came of it where it breaks off. What follows is not waited for. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let left = MAX_REFUSAL_BYTES;
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk.subarray(0, left), { stream: true });
      left -= chunk.length;
      if (left <= 0) break;
    }
  } catch {
    // The status says what matters.
  }
  return text;
}

async function refusal(post: Post, response: Response): Promise<Error> {
  const { provider, headers } = post;
  const words = response.body === null ? '' : said(messageIn(await beginningOf(response.body)), headers);
  const why = `status ${response.status}${words === '' ? '' : `: ${words}`}`;
  if (RETRIED.has(response.status)) {
    return new PassingFailure(why, { afterMs: retryAfterMs(response.headers, Date.now()) });
  }
  const isKey = response.status === 401 || response.status === 403;
  return providerError(provider, why, isKey ? 'check the key in the environment' : undefined);
}

/** Sends a request once, and hands its answer to `read`. Rejects with PassingFailure where another attempt may help. */
async function attempt<T>(post: Post, read: (reply: Reply) => Promise<T>): Promise<T> {
  const { firstByteMs = FIRST_BYTE_MS, silenceMs = SILENCE_MS, answerMs = ANSWER_MS, signal } = post;
  const silence = new AbortController();
  const deadline = setTimeout(
    () => silence.abort(new Error(`no whole answer in ${Math.round(answerMs / 1000)} s`)),
    answerMs,
  );
  let timer: NodeJS.Timeout | undefined;
  const expectWithin = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Error(`no answer for ${Math.round(ms / 1000)} s`)), ms);
  };
  async function* heard(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let length = 0;
    for await (const chunk of body) {
      expectWithin(silenceMs);
      length += chunk.length;
      if (length > MAX_ANSWER_BYTES) throw providerError(post.provider, 'the answer does not end');
      yield chunk;
    }
  }
  try {
    expectWithin(firstByteMs);
    const response = await fetch(post.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...post.headers },
      body: JSON.stringify(post.body),
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
      // A redirection would take the key elsewhere.
      redirect: 'manual',
    });
    if (!response.ok) {
      expectWithin(Math.min(silenceMs, REFUSAL_MS));
      throw await refusal(post, response);
    }
    if (response.body === null) throw new PassingFailure('an empty answer');
    return await read({ bytes: heard(response.body), said: (text) => said(text, post.headers) });
  } catch (error) {
    if (error instanceof ChittaError || error instanceof PassingFailure || signal?.aborted === true) throw error;
    if (silence.signal.aborted) throw new PassingFailure(reasonOf(silence.signal.reason), { cause: error });
    // fetch says only "fetch failed"; why is one deeper.
    const why = error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : reasonOf(error);
    throw new PassingFailure(said(why, post.headers), { cause: error });
  } finally {
    clearTimeout(timer);
    clearTimeout(deadline);
  }
}

function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return sleep(ms, undefined, signal === undefined ? {} : { signal });
}

/**
 * Sends a request, up to three times where the failure may pass. Rejects with E_PROVIDER, or with the signal's reason. `read` may
 * reject with PassingFailure too: an answer that broke off is worth another attempt.
 */
export async function send<T>(post: Post, read: (reply: Reply) => Promise<T>): Promise<T> {
  const { provider, signal, pause = pauseFor } = post;
  for (let count = 0; ; count += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt(post, read);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (!(error instanceof PassingFailure)) throw error;
      const waitMs = error.afterMs ?? WAITS_MS[count] ?? 0;
      if (count >= WAITS_MS.length) throw providerError(provider, error.message, 'try again later', error);
      if (waitMs > MAX_WAIT_MS) {
        throw providerError(provider, error.message, `try again in ${Math.ceil(waitMs / 1000)} s`, error);
      }
      await pause(waitMs, signal);
    }
  }
}
