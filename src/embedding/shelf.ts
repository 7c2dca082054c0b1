/** The models of this machine: which there are, which is in use, whether their files are whole, and how more get here. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Env } from '../platform/env.ts';
import { reasonOf } from '../platform/small-file.ts';
import { findModel, pulledModels, readChoice, resolveModel, writeChoice } from './choice.ts';
import { sha256Of } from './fingerprint.ts';
import { listFiles } from './hub.ts';
import { defaultModel, inspectModel, type ModelSpec, RECIPE } from './model.ts';
import { pullFile, type PullHooks, type RemoteFile } from './pull.ts';
import { loadTokenizer } from './tokenizer.ts';

export interface ShelfOptions {
  readonly env: Env;
  readonly home: string;
  /** The package's folder. */
  readonly root: string;
  readonly cwd: string;
}

type Origin = 'built-in' | 'pulled' | 'path';

interface Listed {
  readonly name: string;
  readonly path: string;
  readonly origin: Origin;
  readonly chosen: boolean;
  readonly details: Details | undefined;
  readonly problem: string | undefined;
}

interface Details extends Pick<ModelSpec, 'id' | 'dim' | 'pooling' | 'contextTokens' | 'chunkTokens'> {
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly tokenizer: 'tokenizer.json' | 'llama.cpp';
}

interface Checked {
  readonly path: string;
  readonly state: 'ok' | 'differs' | 'missing' | 'unrecorded';
}

function detailsOf(model: ModelSpec): Details {
  const { id, dim, pooling, contextTokens, chunkTokens, queryPrefix, passagePrefix, tokenizerPath } = model;
  const tokenizer = tokenizerPath === undefined ? 'llama.cpp' : 'tokenizer.json';
  return { id, dim, pooling, contextTokens, chunkTokens, queryPrefix, passagePrefix, tokenizer };
}

async function checkSum(path: string, sha256: string | undefined): Promise<Checked> {
  if (!existsSync(path)) return { path, state: 'missing' };
  if (sha256 === undefined) return { path, state: 'unrecorded' };
  return { path, state: (await sha256Of(path)) === sha256 ? 'ok' : 'differs' };
}

/** The lines of a SHA256SUMS file: sum, blanks, name. */
function readSums(path: string): [name: string, sha256: string][] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line): [string, string][] => {
      const [, sum, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
      return sum === undefined || name === undefined ? [] : [[name, sum]];
    });
}

export class Shelf {
  readonly #at: ShelfOptions;

  constructor(options: ShelfOptions) {
    this.#at = options;
  }

  #originOf(path: string): Origin {
    if (path === defaultModel(this.#at.root).path) return 'built-in';
    return pulledModels(this.#at.home).includes(path) ? 'pulled' : 'path';
  }

  #listed(model: ModelSpec, chosen: boolean): Listed {
    const { name, path } = model;
    return { name, path, origin: this.#originOf(path), chosen, details: detailsOf(model), problem: undefined };
  }

  /** All models: the one that comes with chitta, the pulled ones, the one in use wherever it is. Never throws on a model's file. */
  list(): { models: Listed[]; chosenBy: 'CHITTA_MODEL' | 'model.json' | 'default'; problem: string | undefined } {
    const { env, home, root, cwd } = this.#at;
    let used: ReturnType<typeof resolveModel> | undefined;
    let problem: string | undefined;
    try {
      used = resolveModel(env, this.#at, cwd);
    } catch (error) {
      problem = reasonOf(error);
    }
    const standard = defaultModel(root);
    const paths = new Set([standard.path, ...pulledModels(home), ...(used ? [used.model.path] : [])]);
    const models = [...paths].map((path): Listed => {
      const chosen = path === used?.model.path;
      try {
        return this.#listed(chosen && used ? used.model : inspectModel(path), chosen);
      } catch (error) {
        const name = basename(path).replace(/\.gguf$/, '');
        return { name, path, origin: this.#originOf(path), chosen, details: undefined, problem: reasonOf(error) };
      }
    });
    const fallback = env['CHITTA_MODEL'] ? 'CHITTA_MODEL' : 'model.json';
    return { models, chosenBy: used?.chosenBy ?? fallback, problem };
  }

  /** Chooses a model for this user. Rejects with E_MODEL if it is not usable. */
  async use(nameOrPath: string): Promise<Listed> {
    const { home, root, cwd } = this.#at;
    const model = findModel(nameOrPath, this.#at, cwd);
    if (model.path === defaultModel(root).path) {
      writeChoice(home, undefined);
      return this.#listed(model, true);
    }
    // Now rather than in the middle of a session.
    loadTokenizer(model);
    const { size, mtimeMs } = statSync(model.path);
    writeChoice(home, { model, sha256: await sha256Of(model.path), size, mtimeMs, recipe: RECIPE });
    return this.#listed(model, true);
  }

  /** The files that come with chitta against models/SHA256SUMS, and the chosen model against the sum it had when it was chosen. */
  async verify(): Promise<Checked[]> {
    const { env, home, root, cwd } = this.#at;
    const folder = join(root, 'models');
    const sums = join(folder, 'SHA256SUMS');
    if (!existsSync(sums)) return [{ path: sums, state: 'missing' }];
    const checks: Checked[] = [];
    for (const [name, sum] of readSums(sums)) checks.push(await checkSum(join(folder, name), sum));
    const choice = readChoice(home);
    if (choice) checks.push(await checkSum(choice.model.path, choice.sha256));
    const named = env['CHITTA_MODEL'] ? findModel(env['CHITTA_MODEL'], this.#at, cwd).path : undefined;
    if (named !== undefined && !checks.some(({ path }) => path === named))
      checks.push(await checkSum(named, undefined));
    return checks;
  }

  filesOf(repository: string, baseUrl: string, signal?: AbortSignal): Promise<string[]> {
    return listFiles(baseUrl, repository, signal);
  }

  /** Fetches a file of a repository, and its tokenizer.json if it has one. Rejects with E_MODEL. */
  async fetch(remote: RemoteFile, hooks: PullHooks): Promise<Listed> {
    return this.#listed(await pullFile(this.#at.home, remote, hooks), false);
  }
}
