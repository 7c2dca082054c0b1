/** Tickets of a repository on GitHub or Gitea (Forgejo), whose REST interfaces name issues alike. */
import { ChittaError } from '../errors.ts';
import { toWellFormed } from '../messages/wellformed.ts';
import type { FoundTicket, Ticket, TicketSource } from '../ports/tickets.ts';
import { maskSecrets } from '../redact/mask.ts';
import type { CachedTicket, TicketCache } from './cache.ts';
import { ask, saidBy, type TrackerAnswer, trackerError } from './request.ts';

/** A copy is taken for fresh so long; a focus is asked for again and again. */
const FRESH_MS = 15 * 60_000;
/** An older copy stands in so long where the tracker cannot be reached. */
const STALE_MS = 30 * 86_400_000;
const TIMEOUT_MS = 5_000;
const MAX_TITLE_CHARS = 300;
const MAX_BODY_CHARS = 200_000;
const MAX_LABELS = 20;

export interface Forge {
  readonly kind: 'github' | 'gitea';
  /** Address of the REST interface, without a slash at its end. */
  readonly api: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly host: string;
  readonly token: string | undefined;
  /** The variable that the token comes from, or would. */
  readonly tokenName: string | undefined;
}

export interface ForgeOptions {
  readonly cache: TicketCache;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function clean(value: unknown, maxChars: number): string {
  if (typeof value !== 'string') return '';
  return maskSecrets(toWellFormed(value.slice(0, maxChars).replaceAll('\r\n', '\n')).text).text;
}

function line(value: unknown): string {
  return clean(value, MAX_TITLE_CHARS)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function ticketOf(body: string, number: number, host: string): Ticket {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw trackerError(`${host} answered with something that is no JSON`, undefined, cause);
  }
  if (property(value, 'number') !== number || typeof property(value, 'title') !== 'string') {
    throw trackerError(`${host} answered with something that is not ticket ${number}`);
  }
  const [labels, comments] = [property(value, 'labels'), property(value, 'comments')];
  const author = line(property(property(value, 'user'), 'login'));
  const url = line(property(value, 'html_url'));
  return {
    number,
    title: line(property(value, 'title')),
    state: line(property(value, 'state')),
    body: clean(property(value, 'body'), MAX_BODY_CHARS),
    author: author === '' ? undefined : author,
    labels: Array.isArray(labels)
      ? labels.slice(0, MAX_LABELS).flatMap((label: unknown) => line(property(label, 'name')) || [])
      : [],
    comments: typeof comments === 'number' && Number.isSafeInteger(comments) && comments > 0 ? comments : 0,
    url: /^https?:/.test(url) ? url : undefined,
  };
}

/** When a limit is lifted, for people; undefined if the answer speaks of none. */
function limitedUntil({ status, headers }: TrackerAnswer, nowMs: number): string | undefined {
  const retry = Number(headers.get('retry-after') ?? Number.NaN);
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) * 1_000;
  const isLimited = status === 429 || headers.get('x-ratelimit-remaining') === '0' || Number.isFinite(retry);
  if (!isLimited) return undefined;
  const atMs = Number.isFinite(retry) ? nowMs + retry * 1_000 : reset;
  return Number.isFinite(atMs) && Math.abs(atMs) < 8e15
    ? `at ${new Date(atMs).toISOString().slice(11, 16)} UTC`
    : 'later';
}

/** A refusal after which no older copy may be shown. */
function isFinal(error: unknown): boolean {
  return error instanceof ChittaError && (error.code === 'E_NOT_FOUND' || error.field === 'token');
}

class ForgeSource implements TicketSource {
  readonly name: string;
  readonly #forge: Forge;
  readonly #cache: TicketCache;
  readonly #now: () => number;
  readonly #timeoutMs: number;

  constructor(forge: Forge, { cache, now = Date.now, timeoutMs = TIMEOUT_MS }: ForgeOptions) {
    this.name = `${forge.host}/${forge.repository}`;
    this.#forge = forge;
    this.#cache = cache;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  async ticket(number: number): Promise<FoundTicket> {
    const key = `${this.#forge.api} ${this.#forge.repository} ${number}`;
    const known = this.#cache.get(key);
    const ageMs = known === undefined ? Infinity : this.#now() - known.fetchedMs;
    if (known !== undefined && ageMs >= 0 && ageMs < FRESH_MS) return { ...known, stale: undefined };
    try {
      const fetched = await this.#fetch(number, known);
      this.#cache.put(key, fetched);
      return { ticket: fetched.ticket, fetchedMs: fetched.fetchedMs, stale: undefined };
    } catch (error) {
      if (isFinal(error)) this.#cache.remove(key);
      else if (known !== undefined && ageMs >= 0 && ageMs < STALE_MS) {
        return {
          ticket: known.ticket,
          fetchedMs: known.fetchedMs,
          stale: error instanceof Error ? error.message : String(error),
        };
      }
      throw error;
    }
  }

  #headers(etag: string | undefined): Record<string, string> {
    const { kind, token, tokenName = '', api } = this.#forge;
    const { protocol, hostname } = new URL(api);
    if (token !== undefined && !/^[\u0021-\u007e]+$/.test(token)) {
      throw trackerError(
        `what stands in ${tokenName} is no token`,
        'it holds blanks or other characters that no token has',
      );
    }
    if (token !== undefined && protocol !== 'https:' && !LOOPBACK.has(hostname)) {
      throw trackerError(
        `a token is not sent to ${hostname} without encryption`,
        'use an address that begins with https',
      );
    }
    return {
      accept: kind === 'github' ? 'application/vnd.github+json' : 'application/json',
      'user-agent': 'chitta',
      ...(token === undefined ? {} : { authorization: kind === 'github' ? `Bearer ${token}` : `token ${token}` }),
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
    };
  }

  async #fetch(number: number, known: CachedTicket | undefined): Promise<CachedTicket> {
    const { api, repository, host, token } = this.#forge;
    const url = new URL(`${api}/repos/${repository}/issues/${number}`);
    const answer = await ask({ url, headers: this.#headers(known?.etag), token, timeoutMs: this.#timeoutMs });
    const fetchedMs = this.#now();
    if (answer.status === 304 && known !== undefined) return { ...known, fetchedMs };
    if (answer.status !== 200) throw this.#refusal(number, answer);
    return { ticket: ticketOf(answer.body, number, host), fetchedMs, etag: answer.headers.get('etag') ?? undefined };
  }

  #refusal(number: number, answer: TrackerAnswer): ChittaError {
    const { host, token, tokenName } = this.#forge;
    const { status, body } = answer;
    const withToken = tokenName === undefined ? 'a token (token_env in config.json)' : `a token in ${tokenName}`;
    if (status === 404 || status === 410) {
      const hint = token === undefined ? `a private repository needs ${withToken}` : 'see that the number is right';
      return new ChittaError('E_NOT_FOUND', `there is no ticket ${number} in ${this.name}`, { hint });
    }
    const until = limitedUntil(answer, this.#now());
    if (until !== undefined && status !== 401) {
      return trackerError(
        `${host} takes no more requests for now`,
        `try again ${until}${token === undefined ? `, or with ${withToken}` : ''}`,
      );
    }
    if (status === 401 || status === 403) {
      const why = token === undefined ? `asks for a token` : `refuses the token in ${tokenName}`;
      return new ChittaError('E_TICKETS', `${host} ${why} (status ${status})`, {
        field: 'token',
        hint: `give ${withToken} that may read issues`,
      });
    }
    const words = saidBy(body.slice(0, 1_000), token);
    return trackerError(`${host} answered with status ${status}${words === '' ? '' : `: ${words}`}`, 'try again later');
  }
}

/** The tickets of a repository. Nothing is asked before the first one is wanted. */
export function forgeSource(forge: Forge, options: ForgeOptions): TicketSource {
  return new ForgeSource(forge, options);
}
