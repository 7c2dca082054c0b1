import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PLUGIN_PARTS, pluginFiles } from '../../src/platform/plugin-files.ts';
import type { InstalledPlugin } from '../../src/ports/host.ts';

const repository = join(import.meta.dirname, '..', '..');
let work: string;
let root: string;
let home: string;

function put(path: string, text = 'x'): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'chitta-files-'));
  [root, home] = [join(work, 'package'), join(work, 'home')];
  for (const part of PLUGIN_PARTS)
    put(part.includes('.json') || /^[A-Z]/.test(part) ? join(root, part) : join(root, part, 'file'));
  put(join(root, 'node_modules', 'big', 'file'));
  const manifest = { name: 'chitta', version: '1.2.3', description: 'd', license: 'MIT', type: 'module' };
  put(
    join(root, 'package.json'),
    JSON.stringify({ ...manifest, scripts: { x: 'y' }, optionalDependencies: { a: '1.0.0' } }),
  );
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

describe('the copy', () => {
  test('holds the parts of the plugin, where it comes from, and neither packages nor scripts', () => {
    const files = pluginFiles(root, home);
    expect([files.folder, files.version, files.copy()]).toEqual([join(home, 'plugin'), '1.2.3', true]);
    expect(readdirSync(files.folder).toSorted()).toEqual(
      [...PLUGIN_PARTS, 'installed-from', 'package.json'].toSorted(),
    );
    expect(readFileSync(join(files.folder, 'installed-from'), 'utf8')).toBe(`${root}\n`);
    const own = JSON.parse(readFileSync(join(files.folder, 'package.json'), 'utf8'));
    expect([own.version, own.optionalDependencies, own.scripts]).toEqual(['1.2.3', { a: '1.0.0' }, undefined]);
  });

  test('is made anew only when something changed, and then without what is gone', () => {
    const files = pluginFiles(root, home);
    files.copy();
    expect(files.copy()).toBe(false);
    put(join(root, 'dist', 'new.mjs'));
    rmSync(join(root, 'dist', 'file'));
    expect(files.copy()).toBe(true);
    expect(readdirSync(join(files.folder, 'dist'))).toEqual(['new.mjs']);
    expect(readdirSync(home)).toEqual(['plugin']);
  });

  test('does not copy itself', () => {
    pluginFiles(root, home).copy();
    expect(pluginFiles(join(home, 'plugin'), home).copy()).toBe(false);
  });

  test('of a package that was not built says what to do, and leaves nothing half made', () => {
    rmSync(join(root, 'dist'), { recursive: true });
    expect(() => pluginFiles(root, home).copy()).toThrow(expect.objectContaining({ code: 'E_SETUP' }));
    expect(readdirSync(home)).toEqual([]);
  });
});

test('the release script takes the same parts', () => {
  const script = readFileSync(join(repository, 'scripts', 'release.mjs'), 'utf8');
  const [, listed = ''] = /const PARTS = \[(.*?)\]/s.exec(script) ?? [];
  expect([...listed.matchAll(/'([^']+)'/g)].map(([, name]) => name)).toEqual(PLUGIN_PARTS);
});

test('the package that npm packs holds all of them', () => {
  const { files } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  expect(PLUGIN_PARTS.filter((part) => !files.includes(part))).toEqual([]);
});

describe('removing', () => {
  const OWN = [
    'config.json',
    'chitta.log',
    'chitta.log.1',
    'code',
    'daemon.log',
    'model.json',
    'plugin-options.json',
    'vectors.db',
    'vectors.db-wal',
  ];
  const DATABASE = ['memory.db', 'memory.db-wal', 'memory.db.backup-v5', 'memory.db.corrupt-1', 'spool.ndjson'];

  beforeEach(() => {
    for (const name of [...OWN, ...DATABASE, 'native/llama/x', 'models/m.gguf', 'plugin/file']) put(join(home, name));
  });

  test('leaves the database', () => {
    const { removed, kept } = pluginFiles(root, home).removeOwn(false);
    expect(kept).toEqual(DATABASE.map((name) => join(home, name)).toSorted());
    expect(readdirSync(home).toSorted()).toEqual(DATABASE.toSorted());
    expect(removed).toHaveLength(OWN.length + 3);
  });

  test('takes it along when asked, and then the folder', () => {
    expect(pluginFiles(root, home).removeOwn(true).kept).toEqual([]);
    expect(existsSync(home)).toBe(false);
  });

  test('leaves what is not chitta’s', () => {
    put(join(home, 'notes.txt'));
    put(join(home, 'models.txt'));
    expect(pluginFiles(root, home).removeOwn(true).kept).toEqual(
      ['models.txt', 'notes.txt'].map((name) => join(home, name)),
    );
    expect(statSync(join(home, 'notes.txt')).isFile()).toBe(true);
  });

  test('where nothing is, there is nothing to remove', () => {
    expect(pluginFiles(root, join(work, 'nowhere')).removeOwn(true)).toEqual({ removed: [], kept: [] });
  });

  const installed = (copy: string): InstalledPlugin => {
    return {
      id: 'chitta@market',
      version: '1',
      scope: 'user',
      enabled: true,
      folder: undefined,
      copy,
      project: undefined,
    };
  };

  test('takes all versions of the plugin out of the host’s cache, and nothing beside it', () => {
    const cache = join(work, 'plugins', 'cache');
    for (const path of ['market/chitta/1.0.0/x', 'market/chitta/0.9.0/x', 'market/other/1/x']) put(join(cache, path));
    const gone = installed(join(cache, 'market', 'chitta', '1.0.0'));
    expect(pluginFiles(root, home).removeCached([gone, gone])).toEqual([join(cache, 'market', 'chitta')]);
    expect(readdirSync(join(cache, 'market'))).toEqual(['other']);
  });

  test('a copy that is not where the host keeps its cache is left alone', () => {
    const copy = join(work, 'src', 'chitta', '1.0.0');
    put(join(copy, 'x'));
    expect(pluginFiles(root, home).removeCached([installed(copy)])).toEqual([]);
    expect(existsSync(copy)).toBe(true);
  });
});
