/** Gives the plugin to Claude Code, and takes it back, by its own commands: its settings are its own business. */
import { ChittaError } from '../errors.ts';
import type { HostPort, InstalledPlugin, PluginFiles, Scope } from '../ports/host.ts';

/** The marketplace that `PluginFiles.copy` makes has the name of the plugin. */
const MARKET = 'chitta';
const PLUGIN = 'chitta@chitta';

export interface InstallResult {
  /** `manual`: there is no `claude`; the steps are for a person. */
  readonly state: 'installed' | 'updated' | 'present' | 'manual';
  readonly host: string | undefined;
  readonly plugin: InstalledPlugin | undefined;
  readonly steps: readonly string[];
}

/** The one that counts in a project: of that scope, and of that project if it is installed for one. */
function installedIn(plugins: readonly InstalledPlugin[], scope: Scope, project: string): InstalledPlugin | undefined {
  return plugins.find((one) => one.scope === scope && (scope === 'user' || one.project === project));
}

export interface InstallOptions {
  readonly scope: Scope;
  /** The folder in which Claude Code is asked, and for which scope project is meant. */
  readonly project: string;
}

/** Installs the plugin, or brings it up to date, or finds that all is done. Rejects with E_HOST. */
export async function installPlugin(
  host: HostPort,
  files: PluginFiles,
  { scope, project }: InstallOptions,
): Promise<InstallResult> {
  const version = await host.version();
  const where = ['--scope', scope] as const;
  if (version === undefined) {
    files.copy();
    const add = `claude plugin marketplace add ${quote(files.folder)}`;
    return {
      state: 'manual',
      host: undefined,
      plugin: undefined,
      steps: [add, `claude plugin install ${PLUGIN} --scope ${scope}`],
    };
  }
  const before = installedIn(await host.plugins(), scope, project);
  const market = (await host.marketplaces()).find(({ name }) => name === MARKET);
  // One of that name from elsewhere, such as a repository, is as good, and has its own way of getting newer.
  const isOurs = market === undefined || market.path === files.folder;
  let changed = false;
  if (before === undefined) {
    if (isOurs) files.copy();
    if (market === undefined) await host.plugin('marketplace', 'add', files.folder);
    await host.plugin('install', PLUGIN, ...where);
  } else if (before.id === PLUGIN && isOurs) {
    changed = files.copy() || before.version !== files.version;
    if (changed) {
      await host.plugin('marketplace', 'update', MARKET);
      await host.plugin('update', PLUGIN, ...where);
    }
  }
  if (before?.enabled === false) await host.plugin('enable', before.id, ...where);
  const plugin = installedIn(await host.plugins(), scope, project);
  if (plugin === undefined || !plugin.enabled) {
    throw new ChittaError('E_HOST', 'Claude Code said yes, but does not list the plugin as installed and enabled', {
      hint: 'claude plugin list',
    });
  }
  const state = before === undefined ? 'installed' : changed || !before.enabled ? 'updated' : 'present';
  return { state, host: version, plugin, steps: [] };
}

export interface UninstallResult {
  readonly host: string | undefined;
  readonly plugins: readonly InstalledPlugin[];
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  readonly steps: readonly string[];
}

/** Takes it back from every scope that reaches `project`, then removes chitta's files. Rejects with E_HOST; nothing of ours is removed then. */
export async function uninstallPlugin(
  host: HostPort,
  files: PluginFiles,
  {
    purge,
    project,
    stopDaemon,
  }: {
    /** Removes what is stored, before its files are deleted; undefined: it stays. */
    purge: (() => Promise<void>) | undefined;
    project: string;
    stopDaemon: () => Promise<void>;
  },
): Promise<UninstallResult> {
  const version = await host.version();
  const steps: string[] = [];
  const gone: InstalledPlugin[] = [];
  if (version === undefined) {
    steps.push(`claude plugin uninstall ${PLUGIN}`, `claude plugin marketplace remove ${MARKET}`);
  } else {
    const plugins = await host.plugins();
    for (const one of plugins) {
      // Of another project Claude Code speaks only there.
      if (one.project !== undefined && one.project !== project) {
        steps.push(`cd ${quote(one.project)} && claude plugin uninstall ${one.id} --scope ${one.scope}`);
        continue;
      }
      await host.plugin('uninstall', one.id, '--scope', one.scope);
      gone.push(one);
    }
    const left = plugins.filter((one) => !gone.includes(one));
    const markets = await host.marketplaces();
    if (left.length === 0) {
      for (const { name, path } of markets) {
        if (name === MARKET && path === files.folder) await host.plugin('marketplace', 'remove', name);
      }
    }
  }
  await stopDaemon();
  await purge?.();
  const { removed, kept } = files.removeOwn(purge !== undefined);
  return { host: version, plugins: gone, removed: [...files.removeCached(gone), ...removed], kept, steps };
}

function quote(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
