/** The table of models in the user's settings file: read from there, shown and changed by `models.NAME.FIELD`. */
import {
  type ModelConfig,
  type ModelField,
  MODEL_FIELDS,
  fittingField,
  isModelName,
  wantedByField,
} from '../planning/model.ts';
import { readConfigFile } from './file.ts';
import { quoted } from './names.ts';
import { projectFile, userFile } from './settings.ts';
import { MODELS_KEY } from './table.ts';

/** What is declared, by the name of the model. */
export type ModelTable = ReadonlyMap<string, ModelConfig>;

type Entries = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The field of that name: as files have it, or as programs do (`contextWindow`). */
export function fieldOf(word: string): ModelField | undefined {
  return MODEL_FIELDS.find(({ key, name }) => key === word || name === word);
}

const FIELD_KEYS = MODEL_FIELDS.map(({ key }) => key).join(', ');

function configOf(place: string, raw: unknown, warn: (warning: string) => void): ModelConfig | undefined {
  if (!isObject(raw)) {
    warn(`${place} must be an object, { … }; it is ignored`);
    return undefined;
  }
  const values: [string, unknown][] = [];
  for (const [word, given] of Object.entries(raw)) {
    const field = fieldOf(word);
    const value = field && fittingField(field, given);
    if (field === undefined) warn(`${place}: ${quoted(word)} is not one of ${FIELD_KEYS}`);
    else if (value === undefined) warn(`${place}: "${word}" must be ${wantedByField(field)}; it is ignored`);
    else values.push([field.name, value]);
  }
  return Object.fromEntries(values);
}

export interface LoadedModels {
  readonly models: ModelTable;
  /** Sentences for people, one per mistake in a file. */
  readonly warnings: readonly string[];
}

/**
 * The models in the user's file. Never throws: what does not fit is a warning. A project's file is a stranger's and may not
 * declare any.
 */
export function loadModels({
  home,
  projectRoot,
}: {
  readonly home: string;
  readonly projectRoot: string;
}): LoadedModels {
  const [path, strangers] = [userFile(home), projectFile(projectRoot)];
  const models = new Map<string, ModelConfig>();
  const warnings: string[] = [];
  const raw = entryIn(path);
  if (raw !== undefined && !isObject(raw)) {
    warnings.push(`${path}: "${MODELS_KEY}" must be an object of models by name, { … }; it is ignored`);
  }
  for (const [name, given] of Object.entries(isObject(raw) ? raw : {})) {
    const place = `${path}: ${MODELS_KEY}.${quoted(name)}`;
    if (!isModelName(name)) warnings.push(`${place} is no name of a model; it is ignored`);
    else {
      const config = configOf(place, given, (warning) => warnings.push(warning));
      if (config !== undefined) models.set(name, config);
    }
  }
  if (entryIn(strangers) !== undefined)
    warnings.push(`${strangers}: "${MODELS_KEY}" is ignored; a project may not set it`);
  return { models, warnings };
}

/** What stands under `models` in a file. A file that cannot be read is the settings' business to tell. */
function entryIn(path: string): unknown {
  const file = readConfigFile(path);
  return file.state === 'read' ? file.entries[MODELS_KEY] : undefined;
}

/** A model, and one of its fields, as a key on the command line names them. */
export interface ModelKey {
  readonly model: string;
  /** Undefined: the model as a whole. */
  readonly field: ModelField | undefined;
}

/** `models.gpt-4.1.auto` is the field `auto` of the model `gpt-4.1`; undefined for a key that names no model. */
export function modelKeyOf(key: string): ModelKey | undefined {
  const start = `${MODELS_KEY}.`;
  if (!key.startsWith(start)) return undefined;
  const rest = key.slice(start.length);
  const dot = rest.lastIndexOf('.');
  const field = dot < 0 ? undefined : fieldOf(rest.slice(dot + 1));
  const model = field === undefined ? rest : rest.slice(0, dot);
  return isModelName(model) ? { model, field } : undefined;
}

/**
 * The entries of a settings file with that field set, or without it (`value` undefined), or without the model as a whole.
 * Everything else is kept, what this version does not know too.
 */
export function withModelField(entries: Entries, { model, field }: ModelKey, value: unknown): Entries {
  const all = entries[MODELS_KEY];
  const models = new Map(Object.entries(isObject(all) ? all : {}));
  const own = models.get(model);
  if (field === undefined) models.delete(model);
  else {
    const kept = Object.entries(isObject(own) ? own : {}).filter(([word]) => fieldOf(word) !== field);
    const changed = value === undefined ? kept : [...kept, [field.key, value] as const];
    if (changed.length > 0 || own !== undefined) models.set(model, Object.fromEntries(changed));
  }
  // fromEntries defines its keys, so that one named __proto__ stays a key.
  if (models.size > 0) return { ...entries, [MODELS_KEY]: Object.fromEntries(models) };
  return Object.fromEntries(Object.entries(entries).filter(([key]) => key !== MODELS_KEY));
}
