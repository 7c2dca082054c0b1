/** The settings as a person sees and changes them: every value with its source, and the user's own file, written whole. */
import { dirname } from 'node:path';
import { ChittaError } from '../errors.ts';
import { ensurePrivateDir, writePrivateFile } from '../platform/paths.ts';
import { readConfigFile } from './file.ts';
import { fittingField, type ModelField, MODEL_FIELDS, wantedByField } from '../planning/model.ts';
import { loadModels, type ModelKey, modelKeyOf, withModelField } from './models.ts';
import { nearestKey, quoted } from './names.ts';
import {
  type LoadedSettings,
  loadSettings,
  projectFile,
  type SettingsPlaces,
  type Source,
  userFile,
} from './settings.ts';
import { MODELS_KEY, type Setting, SETTINGS, settingOf } from './table.ts';
import { loadTrackers } from './trackers.ts';
import { type Value, valueFromText, wantedBy } from './values.ts';

/** One setting as it is in force, with its line of the table; `models.NAME.FIELD` is one as well. */
export interface ConfigEntry {
  readonly key: string;
  /** Null: not declared, which only what is said of a model can be. */
  readonly value: Value | null;
  readonly source: Source;
  readonly default: Value | null;
  readonly unit: string;
  readonly doc: string;
}

export interface ConfigStore {
  /** The user's file and the project's; neither need exist. */
  readonly paths: { readonly user: string; readonly project: string };
  /** All settings in force, in the order of the table, then what is declared of models; and what is wrong with the files. */
  list(): { readonly entries: readonly ConfigEntry[]; readonly warnings: readonly string[] };
  /** One of them. Throws E_CONFIG_INVALID for a key that is none. */
  get(key: string): ConfigEntry;
  /** Writes the value into the user's file and returns what is then in force. Throws E_CONFIG_INVALID, E_CONFIG_WRITE. */
  set(key: string, text: string): ConfigEntry;
  /**
   * Takes the key out of the user's file and returns what is then in force, nothing for a model as a whole (`models.NAME`).
   * Nothing to take out is fine. Throws as `set`.
   */
  unset(key: string): ConfigEntry | undefined;
}

function entryOf(setting: Setting, { settings, sources }: LoadedSettings): ConfigEntry {
  const { key, name, default: standard, unit, doc } = setting;
  return { key, value: settings[name], source: sources[name], default: standard, unit, doc };
}

/** What is said of one model, as an entry; undefined fields of it have their defaults. */
function modelEntry(model: string, field: ModelField, places: SettingsPlaces): ConfigEntry {
  const given = loadModels(places).models.get(model)?.[field.name];
  const standard = field.default ?? null;
  return {
    key: `${MODELS_KEY}.${model}.${field.key}`,
    value: given ?? standard,
    source: given === undefined ? 'default' : 'user',
    default: standard,
    unit: field.unit,
    doc: field.doc,
  };
}

/** The value a person typed for a field of a model, or undefined if it does not fit. */
function fieldFromText(field: ModelField, text: string): Value | undefined {
  const word = text.trim();
  if (field.type === 'name') return fittingField(field, word);
  if (field.type === 'boolean') return word === 'true' ? true : word === 'false' ? false : undefined;
  return /^\d+$/.test(word) ? fittingField(field, Number(word)) : undefined;
}

function misfit(key: string, wanted: string, text: string): ChittaError {
  return new ChittaError('E_CONFIG_INVALID', `${key} must be ${wanted}, not ${quoted(text)}`, { field: key });
}

/** A key of a model that names one of its fields. */
function fieldNamed(key: string, { field }: ModelKey): ModelField {
  if (field) return field;
  throw new ChittaError('E_CONFIG_INVALID', `${quoted(key)} names nothing of a model`, {
    field: key,
    hint: `${MODELS_KEY}.NAME.FIELD, where FIELD is one of ${MODEL_FIELDS.map(({ key }) => key).join(', ')}`,
  });
}

function known(key: string): Setting {
  const setting = settingOf(key);
  if (setting) return setting;
  const nearest = nearestKey(key);
  throw new ChittaError('E_CONFIG_INVALID', `${quoted(key)} is not a setting`, {
    field: key,
    hint: nearest === undefined ? `one of ${SETTINGS.map(({ key }) => key).join(', ')}` : `did you mean "${nearest}"?`,
  });
}

/** What is in the user's file, to be written back: also keys this version does not know. A broken file is left for its owner. */
function entriesToKeep(path: string): Readonly<Record<string, unknown>> {
  const file = readConfigFile(path);
  if (file.state === 'broken') {
    throw new ChittaError('E_CONFIG_INVALID', file.problem, { hint: 'correct or remove that file, then try again' });
  }
  return file.state === 'read' ? file.entries : {};
}

function write(path: string, entries: Readonly<Record<string, unknown>>): void {
  try {
    ensurePrivateDir(dirname(path));
    writePrivateFile(path, `${JSON.stringify(entries, null, 2)}\n`);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ChittaError('E_CONFIG_WRITE', `cannot write ${path}: ${reason}`, { cause, hint: 'chitta doctor' });
  }
}

/** The settings of a user and a project. Each call reads the files anew. */
export function openConfig(places: SettingsPlaces): ConfigStore {
  const paths = { user: userFile(places.home), project: projectFile(places.projectRoot) };
  const list: ConfigStore['list'] = () => {
    const loaded = loadSettings(places);
    const { models, warnings } = loadModels(places);
    const declared = [...models].flatMap(([model, config]) =>
      MODEL_FIELDS.filter(({ name }) => config[name] !== undefined).map((field) => modelEntry(model, field, places)),
    );
    const entries = [...SETTINGS.map((setting) => entryOf(setting, loaded)), ...declared];
    return { entries, warnings: [...loaded.warnings, ...warnings, ...loadTrackers(places).warnings] };
  };
  const get: ConfigStore['get'] = (key) => {
    const named = modelKeyOf(key);
    return named === undefined
      ? entryOf(known(key), loadSettings(places))
      : modelEntry(named.model, fieldNamed(key, named), places);
  };
  return {
    paths,
    list,
    get,
    set(key, text) {
      const named = modelKeyOf(key);
      if (named !== undefined) {
        const field = fieldNamed(key, named);
        const value = fieldFromText(field, text);
        if (value === undefined) throw misfit(key, wantedByField(field), text);
        write(paths.user, withModelField(entriesToKeep(paths.user), named, value));
        return get(key);
      }
      const setting = known(key);
      const value = valueFromText(setting, text);
      if (value === undefined) throw misfit(key, wantedBy(setting), text);
      write(paths.user, { ...entriesToKeep(paths.user), [key]: value });
      return get(key);
    },
    unset(key) {
      const named = modelKeyOf(key);
      const entries = entriesToKeep(paths.user);
      if (named !== undefined) {
        const left = withModelField(entries, named, undefined);
        if (JSON.stringify(left) !== JSON.stringify(entries)) write(paths.user, left);
        return named.field === undefined ? undefined : get(key);
      }
      known(key);
      if (Object.hasOwn(entries, key)) {
        write(paths.user, Object.fromEntries(Object.entries(entries).filter(([name]) => name !== key)));
      }
      return get(key);
    },
  };
}
