/** Looks over the embedding models, chooses one, fetches one, checks them. Files and network are the shelf's business. */
import { ChittaError } from '../errors.ts';

/** A model as a person sees it in the list. */
export interface ListedModel {
  readonly name: string;
  readonly path: string;
  readonly origin: 'built-in' | 'pulled' | 'path';
  /** In use now. */
  readonly chosen: boolean;
  /** Undefined if the file cannot be used; then `problem` says why. */
  readonly details: ModelDetails | undefined;
  readonly problem: string | undefined;
}

export interface ModelDetails {
  /** What its vectors are kept under. */
  readonly id: string;
  readonly dim: number;
  readonly pooling: string;
  readonly contextTokens: number;
  readonly chunkTokens: number;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  /** Which tokenizer makes its token numbers: the model's own file, or llama.cpp's, which is wrong for some scripts. */
  readonly tokenizer: 'tokenizer.json' | 'llama.cpp';
}

export interface ModelList {
  readonly models: readonly ListedModel[];
  readonly chosenBy: 'CHITTA_MODEL' | 'model.json' | 'default';
  /** Why the model that was asked for cannot be used, if so. */
  readonly problem: string | undefined;
}

/** One file against its sum. `unrecorded`: there is no sum to compare with. */
export interface FileCheck {
  readonly path: string;
  readonly state: 'ok' | 'differs' | 'missing' | 'unrecorded';
}

export interface Progress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

/** Where a file is fetched from: a repository's main branch. */
export interface RemoteFile {
  readonly repository: string;
  readonly file: string;
  /** The service, without a slash at the end. */
  readonly baseUrl: string;
}

export interface FetchHooks {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The models of this machine. Everything rejects with E_MODEL and says what to try. */
export interface ModelShelf {
  list(): ModelList;
  /** Takes a name or a path, `default` for the one that comes with chitta. */
  use(nameOrPath: string): Promise<ListedModel>;
  verify(): Promise<readonly FileCheck[]>;
  /** Paths of all files in a repository. */
  filesOf(repository: string, baseUrl: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Fetches a GGUF file, and the tokenizer beside it if the repository has one. */
  fetch(remote: RemoteFile, hooks: FetchHooks): Promise<ListedModel>;
}

/** Where models are pulled from. */
export const HUGGING_FACE = 'https://huggingface.co' as const;

const NAME = /^[\w.-]+$/;
const MOST_NAMED = 12;

/** What a person wrote: `owner/name`, or that and a file of it. Throws E_USAGE for anything else. */
export function parseReference(reference: string): { repository: string; file: string | undefined } {
  const parts = reference.replace(/^(?:https:\/\/huggingface\.co\/|hf:)/, '').split('/');
  const [owner = '', name = '', ...rest] = parts;
  // As a page's address has them: owner/name/blob/main/file.
  const path = rest.length > 2 && /^(?:blob|resolve)$/.test(rest[0] ?? '') && rest[1] === 'main' ? rest.slice(2) : rest;
  const sound = [owner, name, ...path].every((part) => NAME.test(part) && !/^\.+$/.test(part));
  const file = path.length === 0 ? undefined : path.join('/');
  if (!sound || (file !== undefined && !file.endsWith('.gguf'))) {
    throw new ChittaError('E_USAGE', `${reference} is no repository and no GGUF file of one`, {
      hint: 'chitta model pull OWNER/NAME, or OWNER/NAME/FILE.gguf',
    });
  }
  return { repository: `${owner}/${name}`, file };
}

/** The GGUF file to take if none was named: the only one, else the only Q8_0. Throws E_MODEL with the names otherwise. */
export function chooseFile(repository: string, files: readonly string[]): string {
  const models = files.filter((file) => file.endsWith('.gguf'));
  const exact = models.filter((file) => /q8_0/i.test(file));
  const [only, another] = models.length > 1 ? exact : models;
  if (only !== undefined && another === undefined) return only;
  if (models.length === 0) {
    throw new ChittaError('E_MODEL', `${repository} holds no GGUF file`, {
      hint: 'many models have one in a repository whose name ends in -GGUF',
    });
  }
  const named = models.slice(0, MOST_NAMED).join(', ');
  const rest = models.length > MOST_NAMED ? `, and ${models.length - MOST_NAMED} more` : '';
  throw new ChittaError('E_MODEL', `${repository} holds several models: ${named}${rest}`, {
    hint: `chitta model pull ${repository}/FILE`,
  });
}

export interface PullRequest extends FetchHooks {
  /** `owner/name` or `owner/name/file.gguf`. */
  readonly reference: string;
  readonly baseUrl?: string;
  /** Is told the file once it is known. */
  readonly onFile?: (file: string) => void;
}

/** Fetches a model to this machine; it is not chosen by that. Rejects with E_USAGE or E_MODEL. */
export async function pullModel(shelf: ModelShelf, request: PullRequest): Promise<ListedModel> {
  const { reference, baseUrl = HUGGING_FACE, onFile, onProgress, signal } = request;
  const { repository, file: named } = parseReference(reference);
  const file = named ?? chooseFile(repository, await shelf.filesOf(repository, baseUrl, signal));
  onFile?.(`${repository}/${file}`);
  return shelf.fetch({ repository, file, baseUrl }, { onProgress, signal });
}

/** Checks files against their sums; `ok` if nothing differs and nothing is missing. */
export async function verifyModels(shelf: ModelShelf): Promise<{ ok: boolean; files: readonly FileCheck[] }> {
  const files = await shelf.verify();
  return { ok: files.every(({ state }) => state === 'ok' || state === 'unrecorded'), files };
}
