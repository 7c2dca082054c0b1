/** Installs the native packages where a plugin without node_modules finds them, by way of npm. */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ChittaError } from '../errors.ts';
import type { NativePart, NativeSetup } from '../ports/native-setup.ts';
import type { Env } from './env.ts';
import { ownManifest } from './manifest.ts';
import { llamaBuild, llamaIn, loadSqlite, packageRoot, probeLlama, sqliteIn } from './native.ts';
import { nodeTag, setupFolder } from './native-places.ts';
import { ensurePrivateDir } from './paths.ts';

/** Compiling SQLite takes two minutes, a slow line more. */
const TIMEOUT_MS = 1_200_000;
const LAST_LINES = 6;

interface Recipe {
  readonly name: string;
  readonly purpose: string;
  /** Measured on Linux x64. */
  readonly megabytes: number;
  readonly folder: string;
  readonly argv: () => readonly string[];
  readonly state: () => Promise<{ readonly state: string; readonly reason?: string; readonly version?: string }>;
  /** What was installed in a folder, tried out. */
  readonly check: (folder: string) => Promise<{ readonly state: string; readonly reason?: string } | undefined>;
}

function recipesFor(env: Env): readonly Recipe[] {
  const root = packageRoot();
  const base = setupFolder(env, root);
  const { optionalDependencies: versions } = ownManifest(root);
  const build = llamaBuild();
  const pinned = (name: string, like = name): string => `${name}@${versions[like] ?? 'latest'}`;
  return [
    {
      name: 'better-sqlite3',
      purpose: 'memory',
      megabytes: 35,
      folder: join(base, nodeTag()),
      argv: () => [pinned('better-sqlite3')],
      state: () => loadSqlite(root, env),
      check: sqliteIn,
    },
    {
      name: 'node-llama-cpp',
      purpose: 'embeddings, on the processor',
      megabytes: 85,
      folder: join(base, 'llama'),
      // Its other builds, some 650 MB for graphics cards, are optional dependencies; the one for this machine is asked for by name.
      argv: () => [
        '--omit=optional',
        '--ignore-scripts',
        pinned('node-llama-cpp'),
        ...(build === undefined ? [] : [pinned(build, 'node-llama-cpp')]),
      ],
      state: async () => probeLlama(root, env),
      check: async (folder) => llamaIn(folder),
    },
  ];
}

function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

async function npm(argv: readonly string[], cwd: string, env: Env): Promise<void> {
  const { execa } = await import('execa');
  const flags = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', '--prefix', cwd];
  const ran = await execa('npm', ['install', ...flags, ...argv], {
    cwd,
    env: { ...env },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    all: true,
    timeout: TIMEOUT_MS,
  });
  if (!ran.failed) return;
  const said = ran.all?.trim().split('\n').slice(-LAST_LINES).join('\n');
  const why = said || ran.shortMessage || 'no reason given';
  throw new ChittaError('E_SETUP', `npm could not install it: ${why}`, {
    hint: 'is npm on the PATH, and the package registry in reach? better-sqlite3 may need a C++ compiler, make and Python 3',
  });
}

/** Beside its place first, and there only once it works: whoever looks meanwhile finds all or nothing. */
async function install({ name, folder, argv, check }: Recipe, env: Env): Promise<number> {
  const base = dirname(folder);
  ensurePrivateDir(dirname(base));
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const work = mkdtempSync(join(base, '.installing-'));
  try {
    const content = { name: 'chitta-native', private: true, allowScripts: { 'better-sqlite3': true } };
    writeFileSync(join(work, 'package.json'), `${JSON.stringify(content)}\n`);
    await npm(argv(), work, env);
    const found = await check(work);
    if (found?.state !== 'ok') {
      throw new ChittaError(
        'E_SETUP',
        `${name} was installed, but does not work: ${found?.reason ?? 'it is not there'}`,
        {
          hint: 'chitta doctor',
        },
      );
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
    return bytesIn(folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The native parts of an environment: what is there, and a way to install what is not. */
export function nativeSetup(env: Env): NativeSetup {
  const recipes = recipesFor(env);
  return {
    folder: setupFolder(env, packageRoot()),
    parts: () =>
      Promise.all(
        recipes.map(async (recipe): Promise<NativePart> => {
          const { name, purpose, megabytes } = recipe;
          const found = await recipe.state();
          const ok = found.state === 'ok';
          return { name, purpose, megabytes, ok, detail: (ok ? found.version : found.reason) ?? found.state };
        }),
      ),
    install: async (name) => {
      const recipe = recipes.find((one) => one.name === name);
      if (recipe === undefined) throw new Error(`${basename(name)} is no native part`);
      return install(recipe, env);
    },
  };
}
