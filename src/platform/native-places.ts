/** Where native packages may be, if not beside chitta: what is copied as a plugin has no node_modules of its own. */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Env } from './env.ts';
import { chittaHome } from './paths.ts';
import { readSmallFile } from './small-file.ts';

/** In a copy of the plugin's files that `chitta install` made: the package folder they come from. */
export const ORIGIN_FILE = 'installed-from';

/** The plugin's own folder for data, if this is one of its processes: told by the host, or beside its cache of plugins. */
function pluginData(env: Env, root: string): string | undefined {
  const told = env['CLAUDE_PLUGIN_DATA'];
  // Another plugin's hook may start us, with a folder of its own.
  if (told && isAbsolute(told) && basename(told).startsWith('chitta-')) return told;
  const plugin = dirname(root);
  const market = dirname(plugin);
  const cache = dirname(market);
  const isCached = basename(cache) === 'cache' && basename(dirname(cache)) === 'plugins';
  return isCached ? join(dirname(cache), 'data', `${basename(plugin)}-${basename(market)}`) : undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // Nobody has put anything there.
    return [];
  }
}

/**
 * The folders for data of chitta's plugin, whatever the marketplace it came from is called: the host tells them to its hooks alone, not to
 * the commands that a person or the model types.
 */
function allPluginData(env: Env): string[] {
  const plugins = join(env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude'), 'plugins', 'data');
  return namesIn(plugins)
    .filter((name) => name.startsWith('chitta-'))
    .map((name) => join(plugins, name));
}

function bases(env: Env, root: string): string[] {
  const data = allPluginData(env).map((folder) => join(folder, 'native'));
  return [...new Set([setupFolder(env, root), join(chittaHome(env), 'native'), ...data])];
}

/** Where `chitta setup` puts the native packages: the plugin's folder for data, else chitta's home. */
export function setupFolder(env: Env, root: string): string {
  return join(pluginData(env, root) ?? chittaHome(env), 'native');
}

/** Name of the folder in there for packages that are built for one Node. */
export function nodeTag(): string {
  const { platform, arch, versions } = process;
  return `node-v${versions.modules}-${platform}-${arch}`;
}

const TAG = /^node-v(\d+)-(.+)$/;
/** Versions of Node by the version of its binary interface, as https://nodejs.org/en/about/previous-releases lists them. */
const NODE_OF_ABI: ReadonlyMap<string, string> = new Map([
  ['115', '20'],
  ['127', '22'],
  ['131', '23'],
  ['137', '24'],
  ['141', '25'],
]);

/** For which other versions of Node packages were set up on this machine, such as `20`, each once. */
export function setUpForOthers(env: Env, root: string): string[] {
  const found = bases(env, root).flatMap((base) =>
    namesIn(base).flatMap((name) => {
      const [, abi = '', machine] = TAG.exec(name) ?? [];
      if (abi === '' || machine !== `${process.platform}-${process.arch}` || name === nodeTag()) return [];
      if (!existsSync(join(base, name, 'node_modules', 'better-sqlite3'))) return [];
      return [NODE_OF_ABI.get(abi) ?? `with ABI ${abi}`];
    }),
  );
  return [...new Set(found)];
}

/** Folders with a node_modules that may hold a native package, besides those that Node itself would look in; likeliest first. */
export function otherFolders(env: Env, root: string): string[] {
  const origin = readSmallFile(join(root, ORIGIN_FILE), 4_096);
  const set = bases(env, root).flatMap((base) => [join(base, nodeTag()), join(base, 'llama')]);
  return [...new Set([...(origin.state === 'read' ? [origin.text.trim()] : []), ...set])];
}
