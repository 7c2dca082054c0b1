/** Brings a model from a repository to this machine: the GGUF file, checked, and the tokenizer beside it. */
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ChittaError } from '../errors.ts';
import { ensurePrivateDir, writePrivateFile } from '../platform/paths.ts';
import { modelsFolder, writing } from './choice.ts';
import { download } from './download.ts';
import { sha256Of } from './fingerprint.ts';
import { findFile, networkError, refusal } from './hub.ts';
import { inspectModel, type ModelSpec } from './model.ts';
import { loadTokenizer } from './tokenizer.ts';

export interface RemoteFile {
  readonly repository: string;
  readonly file: string;
  readonly baseUrl: string;
}

export interface PullHooks {
  readonly onProgress?: ((progress: { doneBytes: number; totalBytes: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Larger than any tokenizer: those of 250,000 words take 17 MB. */
const MAX_TOKENIZER_BYTES: number = 64 * 2 ** 20;

async function fetchText(url: string, signal: AbortSignal | undefined): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, { signal: signal ?? null });
    if (response.ok) return await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    throw networkError(url, error);
  }
  throw refusal(url, url, response.status);
}

/** The repository's tokenizer, if it has one; true if it was fetched now. */
async function pullTokenizer(
  { repository, baseUrl }: RemoteFile,
  target: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (existsSync(target)) return false;
  const found = await findFile(baseUrl, repository, basename(target), signal);
  if (!found || (found.size ?? 0) > MAX_TOKENIZER_BYTES) return false;
  const text = await fetchText(found.url, signal);
  if (found.sha256 !== undefined && createHash('sha256').update(text).digest('hex') !== found.sha256) {
    throw new ChittaError('E_MODEL', `${found.url} arrived damaged`, { hint: 'run the command again' });
  }
  writing(target, () => writePrivateFile(target, text));
  return true;
}

/** The file as a model; one that turns out to be none is not kept. */
function accept(path: string, tokenizer: string, isNewTokenizer: boolean): ModelSpec {
  try {
    inspectModel(path);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
  try {
    loadTokenizer({ path, tokenizerPath: existsSync(tokenizer) ? tokenizer : undefined });
  } catch (error) {
    if (!isNewTokenizer) throw error;
    // The repository's tokenizer is of a kind that is not understood: the model works with llama.cpp's.
    rmSync(tokenizer, { force: true });
  }
  return inspectModel(path);
}

/**
 * Fetches a file of a repository to `home`/models, unless it is there already with the right sum. Rejects with E_MODEL if it cannot be
 * had, has no checksum, or is no embedding model.
 */
export async function pullFile(
  home: string,
  remote: RemoteFile,
  { onProgress, signal }: PullHooks,
): Promise<ModelSpec> {
  const { repository, file, baseUrl } = remote;
  const found = await findFile(baseUrl, repository, file, signal);
  if (!found) {
    throw new ChittaError('E_MODEL', `${repository} has no ${file}`, { hint: `chitta model pull ${repository}` });
  }
  const { url, sha256, size } = found;
  if (sha256 === undefined || size === undefined) {
    const hint = 'download it with a browser, then chitta model use PATH';
    throw new ChittaError('E_MODEL', `no checksum is given for ${repository}/${file}`, { hint });
  }
  // A folder per repository, as each has a tokenizer of its own.
  const folder = join(modelsFolder(home), repository.replace('/', '--'));
  for (const own of [home, modelsFolder(home), folder]) writing(own, () => ensurePrivateDir(own));
  const target = join(folder, basename(file));
  if (!existsSync(target) || (await sha256Of(target)) !== sha256) {
    await download({ url, target, sha256, size, onProgress, signal });
  }
  const tokenizer = join(dirname(target), 'tokenizer.json');
  return accept(target, tokenizer, await pullTokenizer(remote, tokenizer, signal));
}
