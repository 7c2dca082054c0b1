/** What a key on the command line names: a setting, what is said of a model, or what is said of a host that has tickets. */
import { ChittaError } from '../errors.ts';
import { maskSecrets } from '../redact/mask.ts';
import { fittingField, type ModelField, MODEL_FIELDS, wantedByField } from '../planning/model.ts';
import { loadModels, modelKeyOf, type ModelTable, withModelField } from './models.ts';
import { nearestKey, quoted } from './names.ts';
import { type LoadedSettings, loadSettings, type SettingsPlaces, type Source } from './settings.ts';
import { MODELS_KEY, type Setting, SETTINGS, settingOf, TICKETS_KEY } from './table.ts';
import { trackerKeyOf, trackerValue, withTrackerField } from './tracker-keys.ts';
import {
  fitsTracker,
  HEXADECIMAL,
  type LoadedTrackers,
  loadTrackers,
  type TrackerField,
  TRACKER_FIELDS,
} from './trackers.ts';
import { type Value, valueFromText, wantedBy } from './values.ts';

/** One setting as it is in force, with its line of the table; `models.NAME.FIELD` and `tickets.HOST.FIELD` are some as well. */
export interface ConfigEntry {
  readonly key: string;
  /** Null: not declared, which only what is said of a model or a host can be. */
  readonly value: Value | null;
  readonly source: Source;
  readonly default: Value | null;
  readonly unit: string;
  readonly doc: string;
}

type Entries = Readonly<Record<string, unknown>>;

/** A key that names something. What it cannot do throws E_CONFIG_INVALID, with what to type instead. */
export interface ConfigKey {
  /** What is in force; undefined for a model or a host as a whole. */
  readonly entry: (() => ConfigEntry) | undefined;
  /** The entries of the user's file with what was typed for it. */
  withText(entries: Entries, text: string): Entries;
  /** The entries of the user's file without it. */
  without(entries: Entries): Entries;
}

function entryOf(setting: Setting, { settings, sources }: LoadedSettings): ConfigEntry {
  const { key, name, default: standard, unit, doc } = setting;
  return { key, value: settings[name], source: sources[name], default: standard, unit, doc };
}

/** What is said of one model, as an entry; undefined fields of it have their defaults. */
function modelEntry(model: string, field: ModelField, models: ModelTable): ConfigEntry {
  const given = models.get(model)?.[field.name];
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

function trackerEntry(host: string, field: TrackerField, { trackers }: LoadedTrackers): ConfigEntry {
  const { value, standard } = trackerValue(host, field, trackers.get(host));
  const doc = TRACKER_FIELDS.find(({ key }) => key === field)?.doc ?? '';
  const source = value === standard ? 'default' : 'user';
  return { key: `${TICKETS_KEY}.${host}.${field}`, value, source, default: standard, unit: '', doc };
}

/** Whether any tracker may be asked: hosts are named in the user's file, and a project may switch all of them off. */
function ticketsEntry({ trackers, isOff }: LoadedTrackers): ConfigEntry {
  return {
    key: TICKETS_KEY,
    value: !isOff && trackers.size > 0,
    source: isOff ? 'project' : trackers.size > 0 ? 'user' : 'default',
    default: false,
    unit: '',
    doc: 'Issue trackers may be asked: those that tickets.HOST.kind names.',
  };
}

/** Every entry in force: the settings in the order of their table, then what is said of models and of hosts. */
export function entriesOf(
  loaded: LoadedSettings,
  models: ModelTable,
  trackers: LoadedTrackers,
): readonly ConfigEntry[] {
  return [
    ...SETTINGS.map((setting) => entryOf(setting, loaded)),
    ticketsEntry(trackers),
    ...[...models].flatMap(([model, config]) =>
      MODEL_FIELDS.filter(({ name }) => config[name] !== undefined).map((field) => modelEntry(model, field, models)),
    ),
    ...[...trackers.trackers.keys()].flatMap((host) =>
      TRACKER_FIELDS.map(({ key }) => trackerEntry(host, key, trackers)).filter(({ value }) => value !== null),
    ),
  ];
}

/** The value a person typed for a field of a model, or undefined if it does not fit. */
function fieldFromText(field: ModelField, text: string): Value | undefined {
  const word = text.trim();
  if (field.type === 'name') return fittingField(field, word);
  if (field.type === 'boolean') return word === 'true' ? true : word === 'false' ? false : undefined;
  return /^\d+$/.test(word) ? fittingField(field, Number(word)) : undefined;
}

function misfit(key: string, wanted: string, text: string): ChittaError {
  // A token may have been typed where its name is wanted.
  const typed = HEXADECIMAL.test(text.trim()) ? '[masked]' : maskSecrets(text).text;
  return new ChittaError('E_CONFIG_INVALID', `${key} must be ${wanted}, not ${quoted(typed)}`, { field: key });
}

/** For a key that names a table, something that is not in it, or no part of what it names. */
function misnamed(key: string, table: string, name: string, fields: readonly { readonly key: string }[]): ChittaError {
  const what = key === table ? 'is a table' : `names nothing that can be set in the table ${table}`;
  return new ChittaError('E_CONFIG_INVALID', `${quoted(key)} ${what}`, {
    field: key,
    hint: `${table}.${name}.FIELD, where FIELD is one of ${fields.map((field) => field.key).join(', ')}`,
  });
}

function without(key: string): (entries: Entries) => Entries {
  return (entries) => Object.fromEntries(Object.entries(entries).filter(([name]) => name !== key));
}

function modelKey(key: string, places: SettingsPlaces): ConfigKey {
  const wrong = misnamed(key, MODELS_KEY, 'NAME', MODEL_FIELDS);
  const named = modelKeyOf(key);
  if (named === undefined) throw wrong;
  const { model, field } = named;
  return {
    entry: field && (() => modelEntry(model, field, loadModels(places).models)),
    withText: (entries, text) => {
      if (field === undefined) throw wrong;
      const value = fieldFromText(field, text);
      if (value === undefined) throw misfit(key, wantedByField(field), text);
      return withModelField(entries, named, value);
    },
    without: (entries) => withModelField(entries, named, undefined),
  };
}

function trackerKey(key: string, places: SettingsPlaces): ConfigKey {
  const wrong = misnamed(key, TICKETS_KEY, 'HOST', TRACKER_FIELDS);
  const named = trackerKeyOf(key);
  if (named === undefined) throw wrong;
  const { host, field } = named;
  const wanted = TRACKER_FIELDS.find((one) => one.key === field)?.wanted ?? '';
  return {
    entry: field && (() => trackerEntry(host, field, loadTrackers(places))),
    withText: (entries, text) => {
      if (field === undefined) throw wrong;
      const word = text.trim();
      if (!fitsTracker(field, word)) throw misfit(key, wanted, text);
      if (field !== 'kind' && !loadTrackers(places).trackers.has(host)) {
        throw new ChittaError('E_CONFIG_INVALID', `nothing says yet what kind of tracker ${host} is`, {
          field: key,
          hint: `chitta config set ${TICKETS_KEY}.${host}.kind github (or gitea), then this again`,
        });
      }
      return withTrackerField(entries, named, word);
    },
    without: (entries) => withTrackerField(entries, named, undefined),
  };
}

/** All hosts at once: shown and taken out, not written. */
function ticketsKey(places: SettingsPlaces): ConfigKey {
  return {
    entry: () => ticketsEntry(loadTrackers(places)),
    withText: () => {
      throw misnamed(TICKETS_KEY, TICKETS_KEY, 'HOST', TRACKER_FIELDS);
    },
    without: without(TICKETS_KEY),
  };
}

function settingKey(key: string, places: SettingsPlaces): ConfigKey {
  const setting = settingOf(key);
  if (setting === undefined) {
    const nearest = nearestKey(key);
    throw new ChittaError('E_CONFIG_INVALID', `${quoted(key)} is not a setting`, {
      field: key,
      hint:
        nearest === undefined ? `one of ${SETTINGS.map((one) => one.key).join(', ')}` : `did you mean "${nearest}"?`,
    });
  }
  return {
    entry: () => entryOf(setting, loadSettings(places)),
    withText: (entries, text) => {
      const value = valueFromText(setting, text);
      if (value === undefined) throw misfit(key, wantedBy(setting), text);
      return { ...entries, [key]: value };
    },
    without: without(key),
  };
}

/** What the key names. Throws E_CONFIG_INVALID if it is nothing. */
export function configKey(key: string, places: SettingsPlaces): ConfigKey {
  if (key === TICKETS_KEY) return ticketsKey(places);
  if (key.startsWith(`${TICKETS_KEY}.`)) return trackerKey(key, places);
  if (key === MODELS_KEY || key.startsWith(`${MODELS_KEY}.`)) return modelKey(key, places);
  return settingKey(key, places);
}
