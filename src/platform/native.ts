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

function resolveFrom(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, 'package.json')).resolve(name);
  } catch {
    return undefined;
  }
}

/** Where a build of better-sqlite3 for this Node would stand if it is not the package's own. */
export function nativeBindingPath(root: string): string {
  return join(root, 'native', nodeTag(), 'better_sqlite3.node');
}

function absenceOf(error: unknown): NativeAbsence {
  const reason = reasonOf(error);
  if (codeOf(error) === 'ERR_MODULE_NOT_FOUND' || codeOf(error) === 'MODULE_NOT_FOUND') {
    return { state: 'missing', reason: 'better-sqlite3 is not installed' };
  }
  if (reason.startsWith('Could not locate the bindings file')) {
    return { state: 'missing', reason: 'better-sqlite3 is installed without its native build' };
  }
  // Node's message spans lines; its first one names the file only. A second attempt in the same process is told the other thing.
  if (error instanceof Error && /NODE_MODULE_VERSION|did not self-register/.test(error.message)) {
    return { state: 'wrong-abi', reason: `better-sqlite3 was built for another Node than ${process.version}` };
  }
  return { state: 'broken', reason };
}

function tryBindings(Sqlite: typeof Database, bindings: readonly (string | undefined)[]): SqliteReady | NativeAbsence {
  let absence: NativeAbsence | undefined;
  for (const nativeBinding of bindings) {
    const withBinding = nativeBinding === undefined ? {} : { nativeBinding };
    try {
      const database = new Sqlite(':memory:', withBinding);
      try {
        database.exec('CREATE VIRTUAL TABLE probe USING fts5(text)');
        const version = String(database.prepare('SELECT sqlite_version()').pluck().get());
        const open: SqliteReady['open'] = (path, options) => new Sqlite(path, { ...options, ...withBinding });
        return { state: 'ok', version, binding: nativeBinding, open };
      } finally {
        database.close();
      }
    } catch (error) {
      // The first reason is the one about the build that was meant for this Node.
      absence ??= absenceOf(error);
    }
  }
  return absence ?? { state: 'broken', reason: 'no build of better-sqlite3 could be tried' };
}

/** Builds that work, by the folder they were looked for from: what is loaded stays loaded until the process ends. */
const proven = new Map<string, SqliteReady>();

/**
 * better-sqlite3, tried out once: a database in memory with a full-text index is opened and closed. Loads the package when called, not
 * before. A build for this Node in `native/` goes first, then the package's own, then those that `chitta setup` installed. `root` is
 * chitta's package folder.
 */
export async function loadSqlite(
  root: string = packageRoot(),
  env: Env = process.env,
): Promise<SqliteReady | NativeAbsence> {
  const known = proven.get(root);
  if (known !== undefined) return known;
  const binding = nativeBindingPath(root);
  let absence: NativeAbsence;
  try {
    // The package exports a class; its types are those of the one that this was checked against.
    const Sqlite = createRequire(import.meta.url)('better-sqlite3') as typeof Database;
    const own = tryBindings(Sqlite, existsSync(binding) ? [binding, undefined] : [undefined]);
    if (own.state === 'ok') {
      proven.set(root, own);
      return own;
    }
    absence = own;
  } catch (error) {
    absence = absenceOf(error);
  }
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
export async function sqliteIn(folder: string): Promise<SqliteReady | NativeAbsence | undefined> {
  const entry = resolveFrom(folder, 'better-sqlite3');
  if (entry === undefined) return undefined;
  try {
    // The same class, in another place.
    const Sqlite = createRequire(entry)(entry) as typeof Database;
    return tryBindings(Sqlite, [undefined]);
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
  const entry = resolveFrom(from, 'node-llama-cpp');
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
  const entry = elsewhere === undefined ? undefined : resolveFrom(elsewhere, 'node-llama-cpp');
  if (entry === undefined) return import('node-llama-cpp');
  // The same package in another place.
  return (await import(pathToFileURL(entry).href)) as typeof import('node-llama-cpp');
}
