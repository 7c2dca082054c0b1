/** Where native packages may be, if not beside chitta: what is copied as a plugin has no node_modules of its own. */
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

/** Where `chitta setup` puts the native packages: the plugin's folder for data, else chitta's home. */
export function setupFolder(env: Env, root: string): string {
  return join(pluginData(env, root) ?? chittaHome(env), 'native');
}

/** Name of the folder in there for packages that are built for one Node. */
export function nodeTag(): string {
  const { platform, arch, versions } = process;
  return `node-v${versions.modules}-${platform}-${arch}`;
}

/** Folders with a node_modules that may hold a native package, besides those that Node itself would look in; likeliest first. */
export function otherFolders(env: Env, root: string): string[] {
  const origin = readSmallFile(join(root, ORIGIN_FILE), 4_096);
  const bases = [setupFolder(env, root), join(chittaHome(env), 'native')];
  const set = bases.flatMap((base) => [join(base, nodeTag()), join(base, 'llama')]);
  return [...new Set([...(origin.state === 'read' ? [origin.text.trim()] : []), ...set])];
}
