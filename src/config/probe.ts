/** What `chitta doctor` says about the settings. */
import { existsSync } from 'node:fs';
import type { Check, Probe } from '../ports/check.ts';
import { loadSettings, projectFile, type SettingsPlaces, userFile } from './settings.ts';
import { loadTrackers } from './trackers.ts';

function checksOf(places: SettingsPlaces): readonly Check[] {
  const { settings, sources, warnings } = loadSettings(places);
  const checks: Check[] = [...warnings, ...loadTrackers(places).warnings].map((warning) => {
    return {
      name: 'settings',
      state: 'warn',
      detail: warning,
      fix: 'correct that file; docs/configuration.md lists all settings',
    };
  });
  if (settings.disabled) {
    const fix = { environment: 'unset CHITTA_DISABLE', project: 'remove "disabled" from .chitta.json' };
    checks.push({
      name: 'settings',
      state: 'warn',
      detail: `chitta is switched off (${sources.disabled})`,
      fix:
        sources.disabled === 'environment' || sources.disabled === 'project'
          ? fix[sources.disabled]
          : 'chitta config unset disabled',
    });
  }
  if (checks.length > 0) return checks;
  const files = [userFile(places.home), projectFile(places.projectRoot)].filter((path) => existsSync(path));
  return [{ name: 'settings', state: 'ok', detail: files.length > 0 ? files.join(', ') : 'no files, all defaults' }];
}

/** One check per mistake in a settings file, or one that all is well. */
export function configProbe(places: SettingsPlaces): Probe {
  return { name: 'settings', run: () => checksOf(places) };
}
