/** Everything that `chitta doctor` looks at, in the order in which a person would ask. */
import { windowsProbe } from '../config/model-probe.ts';
import { configProbe } from '../config/probe.ts';
import { loadSettings, type SettingsPlaces } from '../config/settings.ts';
import { daemonProbe } from '../daemon/probe.ts';
import { modelProbe } from '../embedding/probe.ts';
import { vectorsProbe } from '../embedding/vectors-probe.ts';
import { memoryProbe } from '../memory/probe.ts';
import { packageRoot } from '../platform/native.ts';
import { pluginProbe } from '../platform/plugin-probe.ts';
import { platformProbes } from '../platform/probes.ts';
import type { Probe } from '../ports/check.ts';
import { type DaemonPlaces, daemonPort } from './daemon.ts';
import { summariesProbe } from './summaries.ts';

export function probesOf(places: SettingsPlaces, daemon: DaemonPlaces): readonly Probe[] {
  return [
    ...platformProbes(places),
    pluginProbe({ ...daemon, settings: () => loadSettings(places).settings }),
    modelProbe({ ...daemon, root: packageRoot() }),
    memoryProbe(places.home, () => {
      const { archiveMaxMb, archiveMaxDays } = loadSettings(places).settings;
      return archiveMaxMb > 0 || archiveMaxDays > 0;
    }),
    vectorsProbe(places.home),
    daemonProbe(() => daemonPort(daemon)),
    configProbe(places),
    windowsProbe(places),
    summariesProbe(places),
  ];
}
