/**
 * Which model is used: `CHITTA_MODEL`, else the one chosen with `chitta model use` (kept in `model.json`), else the one that comes
 * with chitta. A choice that cannot be honoured is an error, never silently another model.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { ChittaError } from '../errors.ts';
import type { Env } from '../platform/env.ts';
import { ensurePrivateDir, writePrivateFile } from '../platform/paths.ts';
import { readSmallFile, reasonOf } from '../platform/small-file.ts';
import { DEFAULT_MODEL_NAME, defaultModel, inspectModel, type ModelSpec, RECIPE } from './model.ts';

/** Where models are looked for. */
export interface ModelPlaces {
  /** chitta's own folder. */
  readonly home: string;
  /** The package's folder, with the default model in it. */
  readonly root: string;
}

/** What `chitta model use` keeps: the model as it was inspected, so that a hook need not read its header again. */
export interface Choice {
  readonly model: ModelSpec;
  /** Of the whole file at the time, hex. */
  readonly sha256: string;
  /** Size in bytes and time of change by which the file is known to be the same. */
  readonly size: number;
  readonly mtimeMs: number;
  /** `RECIPE` of the chitta that wrote it. */
  readonly recipe: number;
}

const MAX_CHOICE_BYTES = 64 * 1024;
const choicePath = (home: string): string => join(home, 'model.json');
const useDefault = 'chitta model use default';

/** The folder of pulled models; each repository has a folder of its own in it. */
export function modelsFolder(home: string): string {
  return join(home, 'models');
}

/** What was chosen, or undefined. Throws E_MODEL if the file is damaged. */
export function readChoice(home: string): Choice | undefined {
  const path = choicePath(home);
  const file = readSmallFile(path, MAX_CHOICE_BYTES);
  if (file.state === 'missing') return undefined;
  const parsed = file.state === 'read' ? parseChoice(file.text) : undefined;
  if (!parsed) throw new ChittaError('E_MODEL', `${path} cannot be understood`, { hint: useDefault });
  return parsed;
}

function isModelSpec(value: unknown): value is ModelSpec {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const has = (type: string, ...names: readonly string[]): boolean =>
    names.every((name) => typeof fields.get(name) === type);
  const path = fields.get('path');
  return (
    has('string', 'name', 'id', 'path', 'pooling', 'queryPrefix', 'passagePrefix') &&
    has('number', 'dim', 'contextTokens', 'chunkTokens') &&
    (has('string', 'tokenizerPath') || !fields.has('tokenizerPath')) &&
    typeof path === 'string' &&
    isAbsolute(path)
  );
}

function parseChoice(text: string): Choice | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('model' in value) || !isModelSpec(value.model))
      return undefined;
    // JSON has no undefined: a model without a tokenizer has no such key there.
    const model = { ...value.model, tokenizerPath: value.model.tokenizerPath };
    const fields = new Map<string, unknown>(Object.entries(value));
    const number = (name: string): number => Number(fields.get(name));
    const sha256 = String(fields.get('sha256'));
    return { model, sha256, size: number('size'), mtimeMs: number('mtimeMs'), recipe: number('recipe') };
  } catch {
    // The caller says which file it is.
    return undefined;
  }
}

/** Does something to a place in chitta's folder; E_MODEL says which if that does not work. */
export function writing(path: string, deed: () => void): void {
  try {
    deed();
  } catch (cause) {
    const hint = 'set CHITTA_HOME to a folder of your own';
    throw new ChittaError('E_MODEL', `${path} cannot be written: ${reasonOf(cause)}`, { hint, cause });
  }
}

/** Keeps a choice; undefined goes back to the default model. Throws E_MODEL if it cannot be written. */
export function writeChoice(home: string, choice: Choice | undefined): void {
  writing(choicePath(home), () => {
    if (!choice) return rmSync(choicePath(home), { force: true });
    ensurePrivateDir(home);
    writePrivateFile(choicePath(home), `${JSON.stringify(choice, null, 2)}\n`);
  });
}

/** GGUF files that were pulled, absolute, in the order of their names. */
export function pulledModels(home: string): readonly string[] {
  const folder = modelsFolder(home);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.gguf'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * The model that a person means by a name or a path: `default`, the name of a pulled file (with or without `.gguf`), or the path of a
 * GGUF file. Throws E_MODEL if there is none, several, or it is not usable.
 */
export function findModel(nameOrPath: string, { home, root }: ModelPlaces, cwd: string): ModelSpec {
  const standard = defaultModel(root);
  if (['default', DEFAULT_MODEL_NAME, standard.name].includes(nameOrPath)) return standard;
  const path = resolve(cwd, nameOrPath);
  const named = pulledModels(home).filter((pulled) => [`${nameOrPath}.gguf`, nameOrPath].includes(basename(pulled)));
  const [first, second] = named;
  if (second !== undefined) {
    throw new ChittaError('E_MODEL', `${nameOrPath} could be ${named.join(' or ')}`, { hint: 'give the path instead' });
  }
  if (first !== undefined) return inspectModel(first);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new ChittaError('E_MODEL', `there is no model ${nameOrPath}`, { hint: 'chitta model list' });
  }
  return inspectModel(path);
}

/** What `resolveModel` found, and by whose word. */
export interface ResolvedModel {
  readonly model: ModelSpec;
  readonly chosenBy: 'CHITTA_MODEL' | 'model.json' | 'default';
}

/** The model in use. Throws E_MODEL if the one that was asked for is not there or not usable. */
export function resolveModel(env: Env, places: ModelPlaces, cwd: string): ResolvedModel {
  if (env['CHITTA_MODEL']) return { model: findModel(env['CHITTA_MODEL'], places, cwd), chosenBy: 'CHITTA_MODEL' };
  const choice = readChoice(places.home);
  if (!choice) return { model: defaultModel(places.root), chosenBy: 'default' };
  const { path } = choice.model;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new ChittaError('E_MODEL', `the chosen model ${path} is gone`, { hint: useDefault });
  const same = stat.size === choice.size && stat.mtimeMs === choice.mtimeMs && choice.recipe === RECIPE;
  return { model: same ? choice.model : inspectModel(path), chosenBy: 'model.json' };
}
