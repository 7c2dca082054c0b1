/**
 * The two native packages, both optional: whether they are there and fit this Node, and SQLite itself.
 * Nothing here throws: without them chitta does less, and says so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type Database from 'better-sqlite3';
import type { Env } from './env.ts';
import { nodeTag, otherFolders, setUpForOthers } from './native-places.ts';
import { codeOf, reasonOf } from './small-file.ts';

/**
 * Why a native package cannot be used. `wrong-abi`: built for another Node; `broken`: there, but it does not work; `other-node`:
 * `chitta setup` was run with another Node.
 */
export interface NativeAbsence {
  readonly state: 'missing' | 'wrong-abi' | 'broken' | 'other-node';
  readonly reason: string;
}

/** The command that mends it. `name` is the package's. */
export function nativeFix({ state }: NativeAbsence, name: string): string {
  return state === 'missing' || state === 'other-node' ? 'chitta setup' : `chitta setup, or npm rebuild ${name}`;
}

export interface SqliteReady {
  readonly state: 'ok';
  /** Version of SQLite itself, not of the package. */
  readonly version: string;
  /** The binding in use; undefined: the package's own build. */
  readonly binding: string | undefined;
  /** Opens a database with the binding that was found. Throws what SQLite throws. */
  readonly open: (path: string, options?: Database.Options) => Database.Database;
}

let ownRoot: string | undefined;

/** The folder with chitta's own package.json, from the sources and from the bundle alike. */
export function packageRoot(): string {
  ownRoot ??= findRoot(dirname(fileURLToPath(import.meta.url)));
  return ownRoot;
}

function findRoot(here: string): string {
  for (let folder = here; ; folder = dirname(folder)) {
    if (isOwnManifest(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return here;
  }
}

function isOwnManifest(path: string): boolean {
  try {
    return /"name"\s*:\s*"chitta"/.test(readFileSync(path, 'utf8'));
  } catch {
    return false;
  }
}

/** The file of a package's entry, as a module in `file` (a path or an address) would get it. */
function resolveFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}

/** Where a build of better-sqlite3 for this Node would stand if it is not the package's own. */
export function nativeBindingPath(root: string): string {
  return join(root, 'native', nodeTag(), 'better_sqlite3.node');
}

function absenceOf(error: unknown): NativeAbsence {
  // Node's message spans lines; its first one names the file only. A second attempt in the same process is told the other thing.
  if (error instanceof Error && /NODE_MODULE_VERSION|did not self-register/.test(error.message)) {
    return { state: 'wrong-abi', reason: `better-sqlite3 was built for another Node than ${process.version}` };
  }
  return { state: 'broken', reason: reasonOf(error) };
}

interface Package {
  /** Its class, which is built into chitta, unless it is of another version: its dozen files take longer to load than a database to open. */
  readonly Sqlite: typeof Database;
  /** The build that was installed with it. */
  readonly build: string;
}

async function packageAt(entry: string): Promise<Package> {
  const build = join(dirname(dirname(entry)), 'build', 'Release', 'better_sqlite3.node');
  const { Sqlite, version } = await import('./sqlite-class.ts');
  if (manifestAbove(entry)?.version === version) return { Sqlite, build };
  // The same class, of another version.
  return { Sqlite: createRequire(entry)(entry) as typeof Database, build };
}

function tryBuilds({ Sqlite, build }: Package, ownBuild?: string): SqliteReady | NativeAbsence {
  let absence: NativeAbsence | undefined;
  for (const nativeBinding of ownBuild === undefined ? [build] : [ownBuild, build]) {
    if (!existsSync(nativeBinding)) continue;
    try {
      const database = new Sqlite(':memory:', { nativeBinding });
      try {
        const probe = database.prepare<[], { version: string; fts5: number }>(
          "SELECT sqlite_version() AS version, sqlite_compileoption_used('ENABLE_FTS5') AS fts5",
        );
        const { version = '', fts5 } = probe.get() ?? {};
        if (fts5 !== 1) throw new Error('this build of SQLite has no full-text search (FTS5)');
        const open: SqliteReady['open'] = (path, options) => new Sqlite(path, { ...options, nativeBinding });
        return { state: 'ok', version, binding: nativeBinding === build ? undefined : nativeBinding, open };
      } finally {
        database.close();
      }
    } catch (error) {
      // The first reason is the one about the build that was meant for this Node.
      absence ??= absenceOf(error);
    }
  }
  return absence ?? { state: 'missing', reason: 'better-sqlite3 is installed without its native build' };
}

/** Builds that work, by the folder they were looked for from: what is loaded stays loaded until the process ends. */
const proven = new Map<string, SqliteReady>();

/**
 * better-sqlite3, tried out once: a database in memory is opened, asked for full-text search, and closed. Loads the package's build when
 * called, not before. A build for this Node in `native/` goes first, then the package's own, then those that `chitta setup` installed.
 * `root` is chitta's package folder.
 */
export async function loadSqlite(
  root: string = packageRoot(),
  env: Env = process.env,
): Promise<SqliteReady | NativeAbsence> {
  const known = proven.get(root);
  if (known !== undefined) return known;
  const own = await sqliteFrom(import.meta.url, nativeBindingPath(root));
  if (own?.state === 'ok') {
    proven.set(root, own);
    return own;
  }
  let absence: NativeAbsence = own ?? { state: 'missing', reason: 'better-sqlite3 is not installed' };
  for (const folder of otherFolders(env, root)) {
    const found = await sqliteIn(folder);
    if (found?.state === 'ok') return found;
    if (found !== undefined && absence.state === 'missing') absence = found;
  }
  const others = absence.state === 'missing' ? setUpForOthers(env, root) : [];
  if (others.length === 0) return absence;
  const reason = `better-sqlite3 was set up for Node ${others.join(' and ')}, and this is ${process.version} (${process.execPath})`;
  return { state: 'other-node', reason };
}

/** better-sqlite3 as it is installed in a folder, tried out; undefined if it is not there. */
export function sqliteIn(folder: string): Promise<SqliteReady | NativeAbsence | undefined> {
  return sqliteFrom(join(folder, 'package.json'));
}

async function sqliteFrom(file: string, ownBuild?: string): Promise<SqliteReady | NativeAbsence | undefined> {
  try {
    const entry = resolveFrom(file, 'better-sqlite3');
    return entry === undefined ? undefined : tryBuilds(await packageAt(entry), ownBuild);
  } catch (error) {
    return absenceOf(error);
  }
}

/** Packages with llama.cpp's processor build, by `process.platform` and `process.arch`: node-llama-cpp 3.21, bindings/utils/compileLLamaCpp.js. */
const LLAMA_BUILDS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'linux-riscv64': 'linux-riscv64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

export interface LlamaReady {
  readonly state: 'ok';
  readonly version: string;
  /** Name of the prebuilt package in use. */
  readonly build: string;
}

function manifestAbove(path: string): { folder: string; version: string } | undefined {
  for (let folder = dirname(path); dirname(folder) !== folder; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (!existsSync(manifest)) continue;
    const parsed: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
    const version = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
    if (typeof version === 'string') return { folder, version };
  }
  return undefined;
}

/** Name of the prebuilt package for this machine, if there is one. */
export function llamaBuild(): string | undefined {
  const build = LLAMA_BUILDS[`${process.platform}-${process.arch}`];
  return build === undefined ? undefined : `@node-llama-cpp/${build}`;
}

/** Whether node-llama-cpp and its prebuilt package for this machine are installed in a folder or above it. Looks at files only. */
export function llamaIn(from: string): LlamaReady | NativeAbsence {
  const build = llamaBuild();
  if (build === undefined) {
    return {
      state: 'missing',
      reason: `node-llama-cpp has no prebuilt package for ${process.platform}-${process.arch}`,
    };
  }
  const entry = resolveFrom(join(from, 'package.json'), 'node-llama-cpp');
  if (entry === undefined) return { state: 'missing', reason: 'node-llama-cpp is not installed' };
  try {
    const own = manifestAbove(entry);
    const prebuilt = manifestAbove(createRequire(entry).resolve(build));
    const name = build.slice('@node-llama-cpp/'.length);
    if (!own || !prebuilt || !existsSync(join(prebuilt.folder, 'bins', name, 'llama-addon.node'))) {
      return { state: 'broken', reason: `${build} holds no build` };
    }
    return { state: 'ok', version: own.version, build };
  } catch (error) {
    if (codeOf(error) === undefined) return { state: 'broken', reason: reasonOf(error) };
    return { state: 'missing', reason: `node-llama-cpp is installed without ${build}` };
  }
}

/**
 * Whether node-llama-cpp and its prebuilt package for this machine are installed with chitta, or by `chitta setup`. Looks at files only:
 * nothing is loaded, no model is touched. `from` is the folder whose node_modules (and those above) are searched first.
 */
export function probeLlama(from: string = packageRoot(), env: Env = process.env): LlamaReady | NativeAbsence {
  const own = llamaIn(from);
  if (own.state === 'ok') return own;
  const others = otherFolders(env, from).map(llamaIn);
  return others.find(({ state }) => state === 'ok') ?? own;
}

/** node-llama-cpp, from where it is. Loads it. Rejects with what Node says if it is nowhere. */
export async function importLlama(
  root: string = packageRoot(),
  env: Env = process.env,
): Promise<typeof import('node-llama-cpp')> {
  const elsewhere =
    llamaIn(root).state === 'ok' ? undefined : otherFolders(env, root).find((one) => llamaIn(one).state === 'ok');
  const entry = elsewhere === undefined ? undefined : resolveFrom(join(elsewhere, 'package.json'), 'node-llama-cpp');
  if (entry === undefined) return import('node-llama-cpp');
  // The same package in another place.
  return (await import(pathToFileURL(entry).href)) as typeof import('node-llama-cpp');
}
