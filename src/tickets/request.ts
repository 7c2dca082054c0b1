/**
 * One request to an issue tracker. The token goes to the address that the user named, in a header, and nowhere else: no redirection to
 * another host is followed, no error and no log holds it.
 */
import { ChittaError } from '../errors.ts';
import { maskSecrets } from '../redact/mask.ts';
import { reasonOf } from '../platform/small-file.ts';

const MAX_BYTES = 1_048_576;
const MAX_REDIRECTS = 3;
const MAX_SAID_CHARS = 200;

export interface TrackerRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Is in no message. */
  readonly token: string | undefined;
  /** For the whole answer. */
  readonly timeoutMs: number;
}

export interface TrackerAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** The tracker could not be asked, or gave no answer that can be used. */
export function trackerError(why: string, hint?: string, cause?: unknown): ChittaError {
  return new ChittaError('E_TICKETS', why, {
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Words of another's on one line, without secrets. */
export function saidBy(text: string, token: string | undefined): string {
  const plain = token === undefined ? text : text.replaceAll(token, '[masked]');
  const line = maskSecrets(plain.toWellFormed())
    .text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return line.length <= MAX_SAID_CHARS ? line : `${line.slice(0, MAX_SAID_CHARS).toWellFormed()}…`;
}

async function bodyOf(response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > MAX_BYTES) throw trackerError(`the answer is larger than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Where an answer sends on to; undefined if it does not. Throws E_TICKETS for another host. */
function redirection(response: Response, from: URL): URL | undefined {
  const location = response.headers.get('location');
  if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to?.origin === from.origin) return to;
  throw trackerError(
    `${from.host} sends on to ${to === undefined ? 'no address' : saidBy(to.host, undefined)}, which is not followed`,
    'put the address that it has now into config.json, under tickets',
  );
}

/** Gets an answer, whatever its status. Rejects with E_TICKETS. */
export async function ask({ url, headers, token, timeoutMs }: TrackerRequest): Promise<TrackerAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  let at = url;
  try {
    for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
      // The next one is not asked before this one has said where it is.
      // oxlint-disable-next-line no-await-in-loop
      const response = await fetch(at.href, { headers, signal, redirect: 'manual' });
      const next = redirection(response, at);
      // oxlint-disable-next-line no-await-in-loop
      if (next === undefined)
        return { status: response.status, headers: response.headers, body: await bodyOf(response) };
      // oxlint-disable-next-line no-await-in-loop
      await response.body?.cancel();
      at = next;
    }
  } catch (error) {
    if (error instanceof ChittaError) throw error;
    if (signal.aborted)
      throw trackerError(`${url.host} gave no answer within ${timeoutMs} ms`, 'try again later', error);
    // fetch says only "fetch failed"; why is one deeper.
    const why = error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : reasonOf(error);
    throw trackerError(`${url.host} cannot be reached: ${saidBy(why, token)}`);
  }
  throw trackerError(`${url.host} sends on and on`);
}
