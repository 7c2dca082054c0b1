import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSqlite, nativeBindingPath, packageRoot, probeLlama, sqliteIn } from '../../src/platform/native.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'chitta-native-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const repository = join(import.meta.dirname, '../..');

function installed(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

test('the package root is the folder with our package.json', () => {
  expect(packageRoot()).toBe(repository);
});

test('the place for a build names the ABI, the system and the processor', () => {
  const { versions, platform, arch } = process;
  const folder = `node-v${versions.modules}-${platform}-${arch}`;
  expect(nativeBindingPath('/p')).toBe(join('/p/native', folder, 'better_sqlite3.node'));
});

describe.runIf(installed('better-sqlite3'))('SQLite (needs better-sqlite3)', () => {
  test('is ready, with full-text search, and opens databases', async () => {
    const sqlite = await loadSqlite();
    expect(sqlite).toMatchObject({ state: 'ok', version: expect.stringMatching(/^3\.\d+/) });
    if (sqlite.state !== 'ok') return;
    const database = sqlite.open(join(dir, 'a.db'));
    database.exec("CREATE VIRTUAL TABLE t USING fts5(x); INSERT INTO t VALUES ('the turns that matter')");
    expect(database.prepare("SELECT count(*) FROM t WHERE t MATCH 'matter'").pluck().get()).toBe(1);
    database.close();
  });

  test('a build for this Node in native/ goes first', async () => {
    const inUse = await loadSqlite();
    const own = join(
      createRequire(import.meta.url).resolve('better-sqlite3'),
      '../../build/Release/better_sqlite3.node',
    );
    const binding = nativeBindingPath(dir);
    mkdirSync(dirname(binding), { recursive: true });
    cpSync((inUse.state === 'ok' ? inUse.binding : undefined) ?? own, binding);
    expect(await loadSqlite(dir)).toMatchObject({ state: 'ok', binding });
  });

  test('a build in native/ that cannot be loaded gives way to the package’s own', async () => {
    const binding = nativeBindingPath(dir);
    mkdirSync(dirname(binding), { recursive: true });
    writeFileSync(binding, 'no library');
    const sqlite = await loadSqlite(dir);
    // The package's own build fits the Node it was installed with, and perhaps not this one.
    expect(sqlite.state === 'ok' ? sqlite.binding : 'broken').toBeOneOf([undefined, 'broken']);
  });
});

describe.runIf(installed('better-sqlite3'))('SQLite installed elsewhere (needs better-sqlite3)', () => {
  const copied = async (version?: string): Promise<string> => {
    const there = join(createRequire(import.meta.url).resolve('better-sqlite3'), '../..');
    const here = join(dir, 'node_modules', 'better-sqlite3');
    for (const part of ['lib', 'package.json']) cpSync(join(there, part), join(here, part), { recursive: true });
    const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
    writeFileSync(join(here, 'package.json'), JSON.stringify({ ...manifest, ...(version && { version }) }));
    return here;
  };
  const buildIn = async (folder: string): Promise<void> => {
    const inUse = await loadSqlite();
    const own = join(createRequire(import.meta.url).resolve('better-sqlite3'), '../../build/Release');
    const build = join(folder, 'build', 'Release', 'better_sqlite3.node');
    mkdirSync(dirname(build), { recursive: true });
    cpSync((inUse.state === 'ok' ? inUse.binding : undefined) ?? join(own, 'better_sqlite3.node'), build);
  };

  test.each([
    ['this version', undefined],
    ['another version', '12.0.99'],
  ])('of %s opens databases with its own build', async (_, version) => {
    await buildIn(await copied(version));
    const sqlite = await sqliteIn(dir);
    expect(sqlite).toMatchObject({ state: 'ok', binding: undefined });
    if (sqlite?.state !== 'ok') return;
    const database = sqlite.open(join(dir, 'a.db'));
    expect(database.prepare('SELECT 1').pluck().get()).toBe(1);
    database.close();
  });

  test('without its native build is missing, and nowhere at all is nothing', async () => {
    expect(await sqliteIn(join(dir, 'empty'))).toBeUndefined();
    await copied();
    expect(await sqliteIn(dir)).toMatchObject({ state: 'missing', reason: expect.stringContaining('native build') });
  });
});

describe('llama.cpp', () => {
  const build = (): string => {
    const found = probeLlama();
    return found.state === 'ok' ? found.build : `@node-llama-cpp/${process.platform}-${process.arch}`;
  };
  const install = (name: string): string => {
    const folder = join(dir, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '9.9.9', main: 'index.js' }));
    writeFileSync(join(folder, 'index.js'), 'throw new Error("must not be loaded")');
    return folder;
  };

  test('that is not installed is missing', () => {
    expect(probeLlama(dir)).toEqual({ state: 'missing', reason: 'node-llama-cpp is not installed' });
  });

  test('without the package for this machine is missing too', () => {
    install('node-llama-cpp');
    expect(probeLlama(dir)).toMatchObject({ state: 'missing', reason: expect.stringContaining('installed without') });
  });

  test('with an empty package for this machine is broken', () => {
    install('node-llama-cpp');
    install(build());
    expect(probeLlama(dir)).toMatchObject({ state: 'broken', reason: expect.stringContaining('holds no build') });
  });

  test('with a build is ready, and nothing was loaded', () => {
    install('node-llama-cpp');
    const bins = join(install(build()), 'bins', build().split('/')[1] ?? '');
    mkdirSync(bins, { recursive: true });
    writeFileSync(join(bins, 'llama-addon.node'), '');
    expect(probeLlama(dir)).toEqual({ state: 'ok', version: '9.9.9', build: build() });
  });

  test.runIf(installed('node-llama-cpp'))('as installed here is ready (needs node-llama-cpp)', () => {
    expect(probeLlama()).toMatchObject({ state: 'ok', version: expect.stringMatching(/^3\./) });
  });
});
