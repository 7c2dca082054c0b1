/** The settings as a person sees and changes them: every value with its source, and the user's own file, written whole. */
import { dirname } from 'node:path';
import { ChittaError } from '../errors.ts';
import { ensurePrivateDir, writePrivateFile } from '../platform/paths.ts';
import { readConfigFile } from './file.ts';
import { type ConfigEntry, configKey, entriesOf } from './keys.ts';
import { loadModels } from './models.ts';
import { quoted } from './names.ts';
import { loadSettings, projectFile, type SettingsPlaces, userFile } from './settings.ts';
import { loadTrackers } from './trackers.ts';

export type { ConfigEntry } from './keys.ts';

export interface ConfigStore {
  /** The user's file and the project's; neither need exist. */
  readonly paths: { readonly user: string; readonly project: string };
  /** All settings in force, in the order of the table, then what is said of models and hosts; and what is wrong with the files. */
  list(): { readonly entries: readonly ConfigEntry[]; readonly warnings: readonly string[] };
  /** One of them. Throws E_CONFIG_INVALID for a key that is none. */
  get(key: string): ConfigEntry;
  /** Writes the value into the user's file and returns what is then in force. Throws E_CONFIG_INVALID, E_CONFIG_WRITE. */
  set(key: string, text: string): ConfigEntry;
  /**
   * Takes the key out of the user's file and returns what is then in force, nothing for a model or a host as a whole
   * (`models.NAME`). Nothing to take out is fine. Throws as `set`.
   */
  unset(key: string): ConfigEntry | undefined;
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
  const get: ConfigStore['get'] = (key) => {
    const { entry } = configKey(key, places);
    if (entry !== undefined) return entry();
    throw new ChittaError('E_CONFIG_INVALID', `${quoted(key)} has several values`, {
      field: key,
      hint: 'chitta config prints all of them',
    });
  };
  return {
    paths,
    get,
    list: () => {
      const loaded = loadSettings(places);
      const [models, trackers] = [loadModels(places), loadTrackers(places)];
      return {
        entries: entriesOf(loaded, models.models, trackers),
        warnings: [...loaded.warnings, ...models.warnings, ...trackers.warnings],
      };
    },
    set(key, text) {
      const named = configKey(key, places);
      write(paths.user, named.withText(entriesToKeep(paths.user), text));
      return get(key);
    },
    unset(key) {
      const named = configKey(key, places);
      const entries = entriesToKeep(paths.user);
      const left = named.without(entries);
      if (JSON.stringify(left) !== JSON.stringify(entries)) write(paths.user, left);
      return named.entry?.();
    },
  };
}
