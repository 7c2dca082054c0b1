/**
 * Wiring: the one place where adapters meet use cases. Opening it reads the settings; everything heavier is imported
 * by the call that needs it, so that a hook pays only for what it uses.
 */
import type { CompactDeps } from './actions/compact.ts';
import type { DoctorReport } from './actions/doctor.ts';
import type { ModelShelf } from './actions/model.ts';
import { loadSettings, type Settings, type SettingsPlaces } from './config/settings.ts';
import type { ConfigStore } from './config/store.ts';
import type { Env } from './platform/env.ts';
import { appendLog } from './platform/log.ts';
import { chittaHome } from './platform/paths.ts';
import { projectRoot } from './platform/project.ts';
import type { CompactParams } from './protocol/compact-params.ts';
import type { CompactResult } from './protocol/compact-result.ts';
import type { ReadOptions, Transcript } from './transcript/index.ts';

/** What the edges (commands, hooks, RPC) work with. */
export interface App {
  readonly settings: Settings;
  /** What was wrong with the settings, for a person. */
  readonly warnings: readonly string[];
  /** Folder of chitta's own files; it need not exist. */
  readonly home: string;
  /** Key of the project: the repository's root (worktrees share it), else the working directory. */
  readonly project: string;
  readonly debug: boolean;
  readTranscript(path: string, options?: ReadOptions): Promise<Transcript>;
  /** Reads transcript bytes that are no file, such as standard input. */
  parseTranscript(source: AsyncIterable<Buffer> | Buffer, options?: ReadOptions): Promise<Transcript>;
  /** Compacts checked parameters. */
  compact(params: CompactParams, session?: string): Promise<CompactResult>;
  /** Compacts parameters from outside; rejects with E_PARAM_INVALID or E_MESSAGE_INVALID naming the field. */
  compactContext(params: unknown): Promise<CompactResult>;
  /** The settings as a person sees and changes them. */
  openConfig(): Promise<ConfigStore>;
  /** The embedding models on this machine. */
  openModels(): Promise<ModelShelf>;
  /** Looks over the installation; changes nothing. */
  doctor(): Promise<DoctorReport>;
  /** One line to the log file; never throws. */
  log(line: string): void;
}

export interface AppOptions {
  readonly env: Env;
  readonly cwd: string;
  /** Settings from the command line, by their names in the settings file; they go before everything else. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** Reads the settings and joins the parts. Never throws on a broken settings file: that becomes a warning. */
export function createApp({ env, cwd, flags = {} }: AppOptions): App {
  const home = chittaHome(env);
  const project = projectRoot(cwd);
  const places: SettingsPlaces = { env, home, projectRoot: project };
  const { settings, warnings } = loadSettings({ ...places, flags });
  const log = (line: string): void => appendLog(home, line);
  const deps: CompactDeps = { targetRatio: settings.targetRatio, project, log };
  return {
    settings,
    warnings,
    home,
    project,
    debug: env['CHITTA_DEBUG'] === '1',
    log,
    readTranscript: async (path, options) => (await import('./transcript/index.ts')).readTranscript(path, options),
    parseTranscript: async (source, options) =>
      (await import('./transcript/index.ts')).parseTranscript(source, options),
    compact: async (params, session) =>
      (await import('./actions/compact.ts')).compactChecked(params, { ...deps, session }),
    openConfig: async () => (await import('./config/store.ts')).openConfig(places),
    openModels: async () => {
      const [{ Shelf }, { packageRoot }] = await Promise.all([
        import('./embedding/shelf.ts'),
        import('./platform/native.ts'),
      ]);
      return new Shelf({ env, home, root: packageRoot(), cwd });
    },
    doctor: async () => {
      const [{ runDoctor }, { platformProbes }, { configProbe }, { modelProbe }, { packageRoot }] = await Promise.all([
        import('./actions/doctor.ts'),
        import('./platform/probes.ts'),
        import('./config/probe.ts'),
        import('./embedding/probe.ts'),
        import('./platform/native.ts'),
      ]);
      return runDoctor([
        ...platformProbes(places),
        modelProbe({ env, home, root: packageRoot(), cwd }),
        configProbe(places),
      ]);
    },
    compactContext: async (params) => (await import('./actions/compact.ts')).compactContext(params, deps),
  };
}
