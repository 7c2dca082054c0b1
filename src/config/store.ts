/** The settings as a person sees and changes them: every value with its source, and the user's own file, written whole. */
import { dirname } from 'node:path';
import { ChittaError } from '../errors.ts';
import { ensurePrivateDir, writePrivateFile } from '../platform/paths.ts';
import { readConfigFile } from './file.ts';
import { nearestKey, quoted } from './names.ts';
import {
  type LoadedSettings,
  loadSettings,
  projectFile,
  type SettingsPlaces,
  type Source,
  userFile,
} from './settings.ts';
import { type Setting, SETTINGS, settingOf } from './table.ts';
import { type Value, valueFromText, wantedBy } from './values.ts';

/** One setting as it is in force, with its line of the table. */
export interface ConfigEntry {
  readonly key: string;
  readonly value: Value;
  readonly source: Source;
  readonly default: Value;
  readonly unit: string;
  readonly doc: string;
}

export interface ConfigStore {
  /** The user's file and the project's; neither need exist. */
  readonly paths: { readonly user: string; readonly project: string };
  /** All settings in force, in the order of the table, and what is wrong with the files. */
  list(): { readonly entries: readonly ConfigEntry[]; readonly warnings: readonly string[] };
  /** One of them. Throws E_CONFIG_INVALID for a key that is none. */
  get(key: string): ConfigEntry;
  /** Writes the value into the user's file and returns what is then in force. Throws E_CONFIG_INVALID, E_CONFIG_WRITE. */
  set(key: string, text: string): ConfigEntry;
  /** Takes the key out of the user's file and returns what is then in force; nothing to take out is fine. Throws as `set`. */
  unset(key: string): ConfigEntry;
}

function entryOf(setting: Setting, { settings, sources }: LoadedSettings): ConfigEntry {
  const { key, name, default: standard, unit, doc } = setting;
  return { key, value: settings[name], source: sources[name], default: standard, unit, doc };
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
    return { entries: SETTINGS.map((setting) => entryOf(setting, loaded)), warnings: loaded.warnings };
  };
  const get: ConfigStore['get'] = (key) => entryOf(known(key), loadSettings(places));
  return {
    paths,
    list,
    get,
    set(key, text) {
      const setting = known(key);
      const value = valueFromText(setting, text);
      if (value === undefined) {
        throw new ChittaError('E_CONFIG_INVALID', `${key} must be ${wantedBy(setting)}, not ${quoted(text)}`, {
          field: key,
        });
      }
      write(paths.user, { ...entriesToKeep(paths.user), [key]: value });
      return get(key);
    },
    unset(key) {
      known(key);
      const entries = entriesToKeep(paths.user);
      if (Object.hasOwn(entries, key)) {
        write(paths.user, Object.fromEntries(Object.entries(entries).filter(([name]) => name !== key)));
      }
      return get(key);
    },
  };
}
