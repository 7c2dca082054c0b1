/**
 * What of this package makes the plugin, copied to where Claude Code can take it from: it copies whole folders, and the node_modules
 * beside an installed package are large. And what is to be removed when the plugin goes.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { ChittaError } from '../errors.ts';
import type { InstalledPlugin, PluginFiles } from '../ports/host.ts';
import { ownManifest } from './manifest.ts';
import { ORIGIN_FILE } from './native-places.ts';
import { ensurePrivateDir } from './paths.ts';
import { reasonOf } from './small-file.ts';

/** scripts/release.mjs takes the same (a test compares). */
export const PLUGIN_PARTS: readonly string[] = [
  '.claude-plugin',
  '.mcp.json',
  'bin',
  'commands',
  'dist',
  'hooks',
  'models',
  'LICENSE',
  'NOTICE',
  'plugin.json',
];
/** Of the database, in chitta's home: the file and its journals, what waits to go in, and copies of it. */
const DATABASE = /^(?:memory\.db|spool\.ndjson)/;
/** All else that chitta keeps there; anything that is not named here is left to its owner. */
const OWN =
  /^(?:config\.json|chitta\.log|code$|daemon\.log|model\.json|models$|native$|plugin$|plugin-options\.json|vectors\.db|\.installing-)/;

/** Names and contents of what a folder holds, in one text: two trees with the same are the same. Sizes stand for large files. */
function fingerprint(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => {
      const bytes = readFileSync(path);
      return `${relative(folder, path)} ${bytes.length > 1_000_000 ? bytes.length : bytes.toString('base64')}`;
    })
    .join('\n');
}

function copyTo(root: string, folder: string): boolean {
  const fresh = `${folder}.${process.pid}`;
  try {
    ensurePrivateDir(dirname(folder));
    mkdirSync(fresh);
    writeFileSync(join(fresh, 'package.json'), `${JSON.stringify(ownManifest(root), null, 2)}\n`);
    writeFileSync(join(fresh, ORIGIN_FILE), `${root}\n`);
    for (const part of PLUGIN_PARTS)
      cpSync(join(root, part), join(fresh, part), { recursive: true, dereference: true });
    if (fingerprint(fresh) === fingerprint(folder)) return false;
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    return true;
  } catch (cause) {
    throw new ChittaError('E_SETUP', `the plugin could not be copied to ${folder}: ${reasonOf(cause)}`, {
      hint: 'npm run build, if this is a checkout',
      cause,
    });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The folder in the host's cache with all versions of a plugin, if its copy is one of them. */
function cacheOf({ copy, id }: InstalledPlugin): string | undefined {
  if (copy === undefined) return undefined;
  const plugin = dirname(copy);
  const market = dirname(plugin);
  const fits = `${basename(plugin)}@${basename(market)}` === id && basename(dirname(market)) === 'cache';
  return fits ? plugin : undefined;
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds something, or is gone already.
  }
}

/** The plugin's files of a package folder, and chitta's own in a home. */
export function pluginFiles(root: string, home: string): PluginFiles {
  const folder = join(home, 'plugin');
  return {
    folder,
    version: ownManifest(root).version,
    // It may be the copy itself that runs.
    copy: () => root !== folder && copyTo(root, folder),
    removeCached: (plugins) => {
      const caches = [...new Set(plugins.flatMap((one) => cacheOf(one) ?? []))].filter((path) => existsSync(path));
      for (const path of caches) {
        rmSync(path, { recursive: true, force: true });
        removeIfEmpty(dirname(path));
      }
      return caches;
    },
    removeOwn: (purge) => {
      if (!existsSync(home)) return { removed: [], kept: [] };
      const names = readdirSync(home).toSorted();
      const isGoing = (name: string): boolean => OWN.test(name) || (purge && DATABASE.test(name));
      for (const name of names.filter(isGoing)) rmSync(join(home, name), { recursive: true, force: true });
      removeIfEmpty(home);
      const paths = (wanted: boolean): string[] =>
        names.filter((name) => isGoing(name) === wanted).map((name) => join(home, name));
      return { removed: paths(true), kept: paths(false) };
    },
  };
}
