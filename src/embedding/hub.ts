/** Speaks to Hugging Face, or to a service with the same addresses: what a repository holds, and a file with its checksum. */
import { ChittaError } from '../errors.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';

/** A file that can be fetched. */
export interface HubFile {
  readonly url: string;
  /** Of the whole file, hex; small files, which Git keeps itself, have none. */
  readonly sha256: string | undefined;
  /** In bytes, if the service says it. */
  readonly size: number | undefined;
}

const MOST_REDIRECTS = 5;
const SHA256 = /^[0-9a-f]{64}$/;
const BY_HAND = 'download it with a browser, then chitta model use PATH';

function addressOf(baseUrl: string, repository: string, file: string): string {
  return `${baseUrl}/${repository}/resolve/main/${file.split('/').map(encodeURIComponent).join('/')}`;
}

/** The reason of a request that came to nothing; `fetch` hides it one level down. */
export function networkError(url: string, error: unknown, hint: string = BY_HAND): ChittaError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const reason = codeOf(cause) ?? reasonOf(cause);
  return new ChittaError('E_MODEL', `${new URL(url).host} cannot be reached: ${reason}`, { hint, cause: error });
}

/** What a refusal means. */
export function refusal(url: string, what: string, status: number): ChittaError {
  if (status === 401 || status === 403) {
    // Also what Hugging Face says of a repository that does not exist, to someone who is not logged in.
    return new ChittaError('E_MODEL', `${what} is not there, or needs a login (${status})`, { hint: BY_HAND });
  }
  if (status === 404) return new ChittaError('E_MODEL', `${what} is not there (404)`, { hint: 'check the name' });
  return new ChittaError('E_MODEL', `${new URL(url).host} answered ${status} for ${what}`, { hint: 'try again later' });
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    init.signal?.throwIfAborted();
    throw networkError(url, error);
  }
}

/** Paths of all files of a repository. Rejects with E_MODEL. */
export async function listFiles(baseUrl: string, repository: string, signal?: AbortSignal): Promise<string[]> {
  const url = `${baseUrl}/api/models/${repository}/tree/main?recursive=true`;
  const response = await ask(url, { signal: signal ?? null });
  if (!response.ok) throw refusal(url, repository, response.status);
  const entries: unknown = await response.json().catch(() => undefined);
  if (!Array.isArray(entries)) throw new ChittaError('E_MODEL', `${new URL(url).host} answered with no list of files`);
  return entries.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('path' in entry) || !('type' in entry)) return [];
    return entry.type === 'file' && typeof entry.path === 'string' ? [entry.path] : [];
  });
}

/**
 * A file of a repository with its size and sha256, which the service names in the headers of the first answer (`x-linked-etag`, the
 * LFS object's id), before it sends on to where the bytes are.
 * Undefined if there is no such file. Rejects with E_MODEL.
 */
export async function findFile(
  baseUrl: string,
  repository: string,
  file: string,
  signal?: AbortSignal,
): Promise<HubFile | undefined> {
  let url = addressOf(baseUrl, repository, file);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await ask(url, {
      method: 'HEAD',
      redirect: 'manual',
      // Otherwise the size is that of the compressed answer.
      headers: { 'accept-encoding': 'identity' },
      signal: signal ?? null,
    });
    const { status, headers } = response;
    if (status === 404) return undefined;
    if (status >= 400) throw refusal(url, `${repository}/${file}`, status);
    const sha256 = (headers.get('x-linked-etag') ?? headers.get('etag') ?? '').replace(/^W\/|"/g, '');
    const length = Number(headers.get('x-linked-size') ?? headers.get('content-length') ?? Number.NaN);
    const location = headers.get('location');
    // A renamed repository sends on to its new name, without a word about the file.
    if (status < 300 || headers.has('x-linked-etag') || location === null) {
      return {
        url,
        sha256: SHA256.test(sha256) ? sha256 : undefined,
        size: Number.isSafeInteger(length) ? length : undefined,
      };
    }
    url = new URL(location, url).href;
  }
  throw new ChittaError('E_MODEL', `${new URL(url).host} sends on in a circle`, { hint: BY_HAND });
}
