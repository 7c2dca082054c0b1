/**
 * The settings in force: defaults < user's file < project's file < options of the plugin < environment < flags, merged once into a
 * frozen object.
 * Hooks stand on this: whatever is in the files, it answers, with warnings instead of errors.
 */
import { join } from 'node:path';
import { ChittaError } from '../errors.ts';
import type { Env } from '../platform/env.ts';
import { switchesIn } from './environment.ts';
import { type ConfigFile, readConfigFile } from './file.ts';
import { unknownKey } from './names.ts';
import { pluginOptions } from './plugin-options.ts';
import { MODELS_KEY, type Setting, SETTINGS, type Settings, settingOf, TICKETS_KEY } from './table.ts';
import { fitting, tightens, type Value, wantedBy } from './values.ts';

export type { Settings } from './table.ts';

/** Where a value comes from. */
export type Source = 'default' | 'user' | 'project' | 'plugin' | 'environment' | 'flag';

export interface SettingsPlaces {
  readonly env: Env;
  /** chitta's own folder. */
  readonly home: string;
  readonly projectRoot: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<keyof Settings, Source>>;
  /** Sentences for people, one per mistake in a file. */
  readonly warnings: readonly string[];
}

/** The user's own settings file. */
export function userFile(home: string): string {
  return join(home, 'config.json');
}

/** The settings file that comes with a project. */
export function projectFile(projectRoot: string): string {
  return join(projectRoot, '.chitta.json');
}

class Merge {
  readonly values: Map<keyof Settings, Value> = new Map(SETTINGS.map(({ name, default: value }) => [name, value]));
  readonly sources: Map<keyof Settings, Source> = new Map();
  readonly warnings: string[] = [];

  set(setting: Setting, value: Value, source: Source): void {
    this.values.set(setting.name, value);
    this.sources.set(setting.name, source);
  }

  file(path: string, file: ConfigFile, take: (setting: Setting, value: Value) => void): void {
    if (file.state === 'broken') this.warnings.push(`${file.problem}; it is ignored`);
    if (file.state !== 'read') return;
    for (const [key, raw] of Object.entries(file.entries)) {
      if (key === MODELS_KEY || key === TICKETS_KEY) continue;
      const setting = settingOf(key);
      const value = setting && fitting(setting, raw);
      if (!setting) this.warnings.push(`${path}: ${unknownKey(key)}`);
      else if (value === undefined) this.warnings.push(`${path}: "${key}" must be ${wantedBy(setting)}; it is ignored`);
      else take(setting, value);
    }
  }
}

const PERMITTED: Readonly<Record<Setting['project'], string>> = {
  'may-lower': 'only lower it',
  'may-set-true': 'only set it to true',
  'may-set-false': 'only set it to false',
  'may-not': 'not set it',
};

/**
 * Reads both files and merges. The project's file is a stranger's: it may switch off and tighten, nothing else.
 * `flags` are by key; undefined ones are skipped.
 * Throws E_CONFIG_INVALID for a flag that does not fit, and for nothing else.
 */
export function loadSettings(
  places: SettingsPlaces & { readonly flags?: Readonly<Record<string, unknown>> },
): LoadedSettings {
  const merge = new Merge();
  const [user, project] = [userFile(places.home), projectFile(places.projectRoot)];
  merge.file(user, readConfigFile(user), (setting, value) => merge.set(setting, value, 'user'));
  merge.file(project, readConfigFile(project), (setting, value) => {
    const current = merge.values.get(setting.name) ?? setting.default;
    if (value === current) return;
    if (tightens(setting, current, value)) merge.set(setting, value, 'project');
    else merge.warnings.push(`${project}: "${setting.key}" is ignored; a project may ${PERMITTED[setting.project]}`);
  });
  const plugin = pluginOptions(places);
  merge.warnings.push(...plugin.warnings);
  for (const [setting, value] of plugin.options) merge.set(setting, value, 'plugin');
  for (const [key, value] of switchesIn(places.env)) {
    const setting = settingOf(key);
    if (setting && value !== undefined) merge.set(setting, value, 'environment');
  }
  for (const [key, flag] of Object.entries(places.flags ?? {})) {
    if (flag === undefined) continue;
    const setting = settingOf(key);
    if (!setting) throw new ChittaError('E_CONFIG_INVALID', unknownKey(key), { field: key });
    const value = fitting(setting, flag);
    if (value === undefined) {
      throw new ChittaError('E_CONFIG_INVALID', `${key} must be ${wantedBy(setting)}`, { field: key });
    }
    merge.set(setting, value, 'flag');
  }
  return {
    // The table holds every name of Settings with a default of its type (a test compares), and only fitting values replace one.
    settings: Object.freeze(Object.fromEntries(merge.values)) as unknown as Settings,
    sources: Object.freeze(
      // Same names, same reason.
      Object.fromEntries(SETTINGS.map(({ name }) => [name, merge.sources.get(name) ?? 'default'])) as Record<
        keyof Settings,
        Source
      >,
    ),
    warnings: merge.warnings,
  };
}
