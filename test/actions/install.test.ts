import { describe, expect, test } from 'vitest';
import { installPlugin, uninstallPlugin } from '../../src/actions/install.ts';
import { ChittaError } from '../../src/errors.ts';
import type { HostPort, InstalledPlugin, PluginFiles } from '../../src/ports/host.ts';

const FOLDER = '/home/me/.local/share/chitta/plugin';
const PROJECT = '/home/me/ledger';

interface Machine {
  readonly host: HostPort;
  readonly files: PluginFiles;
  /** What was done, in order. */
  readonly log: string[];
  plugins: InstalledPlugin[];
  markets: { name: string; path: string | undefined }[];
  /** Whether the package is newer than the copy of it. */
  stale: boolean;
}

function plugin(more: Partial<InstalledPlugin> = {}): InstalledPlugin {
  const copy = '/home/me/.claude/plugins/cache/chitta/chitta/0.1.0';
  return {
    id: 'chitta@chitta',
    version: '0.1.0',
    scope: 'user',
    enabled: true,
    folder: FOLDER,
    copy,
    project: undefined,
    ...more,
  };
}

/** A host in memory that does what Claude Code was seen to do. */
function machine({ version = '2.1.332', refuses }: { version?: string | undefined; refuses?: string } = {}): Machine {
  const log: string[] = [];
  const at: Machine = {
    log,
    plugins: [],
    markets: [],
    stale: true,
    files: {
      folder: FOLDER,
      version: '0.1.0',
      copy: () => {
        const { stale } = at;
        if (stale) log.push('copy');
        at.stale = false;
        return stale;
      },
      removeCached: (gone) => gone.map(({ copy }) => String(copy)),
      removeOwn: (purge) => {
        log.push(`remove own${purge ? ', purge' : ''}`);
        return { removed: ['config.json'], kept: purge ? [] : ['memory.db'] };
      },
    },
    host: {
      version: async () => version,
      plugins: async () => at.plugins,
      marketplaces: async () => at.markets,
      plugin: async (verb = '', first = '', ...rest) => {
        const line = [verb, first, ...rest].join(' ');
        if (line === refuses) throw new ChittaError('E_HOST', 'no');
        log.push(line);
        const scope = rest.at(-1) ?? 'user';
        if (verb === 'marketplace' && first === 'add') at.markets = [{ name: 'chitta', path: rest[0] }];
        if (verb === 'marketplace' && first === 'remove') at.markets = [];
        if (verb === 'install')
          at.plugins = [...at.plugins, plugin({ scope, project: scope === 'user' ? undefined : PROJECT })];
        if (verb === 'uninstall') at.plugins = at.plugins.filter((one) => one.id !== first || one.scope !== scope);
        if (verb === 'enable') at.plugins = at.plugins.map((one) => ({ ...one, enabled: true }));
        if (verb === 'update') at.plugins = at.plugins.map((one) => ({ ...one, version: '0.1.0' }));
      },
    },
  };
  return at;
}

describe('installing', () => {
  test('adds the marketplace and installs from it; a second time there is nothing to do', async () => {
    const { host, files, log } = machine();
    const options = { scope: 'user', project: PROJECT } as const;
    expect(await installPlugin(host, files, options)).toMatchObject({ state: 'installed', host: '2.1.332' });
    expect(log.splice(0)).toEqual(['copy', `marketplace add ${FOLDER}`, 'install chitta@chitta --scope user']);
    expect(await installPlugin(host, files, options)).toMatchObject({ state: 'present', steps: [] });
    expect(log).toEqual([]);
  });

  test('for a project, although it is installed for the user', async () => {
    const at = machine();
    at.plugins = [plugin()];
    at.markets = [{ name: 'chitta', path: FOLDER }];
    const result = await installPlugin(at.host, at.files, { scope: 'project', project: PROJECT });
    expect(result).toMatchObject({ state: 'installed', plugin: { scope: 'project', project: PROJECT } });
  });

  test('one for another project does not count', async () => {
    const at = machine();
    at.plugins = [plugin({ scope: 'project', project: '/elsewhere' })];
    expect(await installPlugin(at.host, at.files, { scope: 'project', project: PROJECT })).toMatchObject({
      state: 'installed',
    });
  });

  test('brings it up to date when chitta has become newer', async () => {
    const at = machine();
    at.plugins = [plugin({ version: '0.0.9' })];
    at.markets = [{ name: 'chitta', path: FOLDER }];
    expect(await installPlugin(at.host, at.files, { scope: 'user', project: PROJECT })).toMatchObject({
      state: 'updated',
    });
    expect(at.log).toEqual(['copy', 'marketplace update chitta', 'update chitta@chitta --scope user']);
  });

  test('switches on what was switched off', async () => {
    const at = machine();
    at.plugins = [plugin({ enabled: false })];
    at.markets = [{ name: 'chitta', path: FOLDER }];
    at.stale = false;
    expect(await installPlugin(at.host, at.files, { scope: 'user', project: PROJECT })).toMatchObject({
      state: 'updated',
    });
    expect(at.log).toEqual(['enable chitta@chitta --scope user']);
  });

  test('leaves a plugin from a repository as it is, and a marketplace of that name where it comes from', async () => {
    const at = machine();
    at.markets = [{ name: 'chitta', path: undefined }];
    await installPlugin(at.host, at.files, { scope: 'user', project: PROJECT });
    expect(at.log.splice(0)).toEqual(['install chitta@chitta --scope user']);
    await installPlugin(at.host, at.files, { scope: 'user', project: PROJECT });
    expect(at.log).toEqual([]);
  });

  test('without Claude Code the steps are for a person, with the folder as a shell takes it', async () => {
    const { host, files, log } = machine({ version: undefined });
    const spaced = { ...files, folder: "/home/me/it's here/plugin" };
    const absent = { ...host, version: async () => undefined };
    expect(await installPlugin(absent, spaced, { scope: 'project', project: PROJECT })).toEqual({
      state: 'manual',
      host: undefined,
      plugin: undefined,
      steps: [
        "claude plugin marketplace add '/home/me/it'\\''s here/plugin'",
        'claude plugin install chitta@chitta --scope project',
      ],
    });
    expect(log).toEqual(['copy']);
  });

  test('a host that says yes and has nothing is an error', async () => {
    const at = machine();
    const deaf: HostPort = { ...at.host, plugin: async () => undefined };
    await expect(installPlugin(deaf, at.files, { scope: 'user', project: PROJECT })).rejects.toMatchObject({
      code: 'E_HOST',
    });
  });
});

describe('uninstalling', () => {
  const options = { purge: undefined, project: PROJECT, stopDaemon: async () => undefined };

  test('takes it out of every scope, then removes the marketplace and the files', async () => {
    const at = machine();
    at.plugins = [plugin(), plugin({ scope: 'project', project: PROJECT })];
    at.markets = [
      { name: 'chitta', path: FOLDER },
      { name: 'other', path: '/other' },
    ];
    const result = await uninstallPlugin(at.host, at.files, options);
    expect(at.log).toEqual([
      'uninstall chitta@chitta --scope user',
      'uninstall chitta@chitta --scope project',
      'marketplace remove chitta',
      'remove own',
    ]);
    expect(result).toMatchObject({
      plugins: [{ scope: 'user' }, { scope: 'project' }],
      kept: ['memory.db'],
      steps: [],
    });
    expect(result.removed).toContain('/home/me/.claude/plugins/cache/chitta/chitta/0.1.0');
  });

  test('a second time there is nothing to do', async () => {
    const at = machine();
    expect(await uninstallPlugin(at.host, at.files, options)).toMatchObject({ plugins: [], steps: [] });
    expect(at.log).toEqual(['remove own']);
  });

  test('says what to type in other projects, and keeps the marketplace for them', async () => {
    const at = machine();
    at.plugins = [plugin({ scope: 'project', project: '/home/me/other one' })];
    at.markets = [{ name: 'chitta', path: FOLDER }];
    const { steps } = await uninstallPlugin(at.host, at.files, options);
    expect(steps).toEqual(["cd '/home/me/other one' && claude plugin uninstall chitta@chitta --scope project"]);
    expect(at.markets).toHaveLength(1);
  });

  test('a marketplace from elsewhere stays', async () => {
    const at = machine();
    at.plugins = [plugin()];
    at.markets = [{ name: 'chitta', path: undefined }];
    await uninstallPlugin(at.host, at.files, options);
    expect(at.markets).toHaveLength(1);
  });

  test('nothing of ours is removed when Claude Code refuses', async () => {
    const at = machine({ refuses: 'uninstall chitta@chitta --scope user' });
    at.plugins = [plugin()];
    await expect(uninstallPlugin(at.host, at.files, options)).rejects.toMatchObject({ code: 'E_HOST' });
    expect(at.log).toEqual([]);
  });

  test('the daemon is ended before its files go', async () => {
    const { host, files, log } = machine();
    const stopDaemon = async (): Promise<void> => void log.push('stop daemon');
    await uninstallPlugin(host, files, { ...options, purge: async () => void log.push('purge'), stopDaemon });
    expect(log).toEqual(['stop daemon', 'purge', 'remove own, purge']);
  });
});
