import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chittaHome, ensurePrivateDir, writePrivateFile } from '../../src/platform/paths.ts';
import { builtModule } from './built.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'chitta-paths-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const posix = process.platform !== 'win32';
const root = process.getuid?.() === 0;

describe('chittaHome', () => {
  test.each([
    ['CHITTA_HOME goes before all', { CHITTA_HOME: '/a', XDG_DATA_HOME: '/x', HOME: '/h' }, '/a'],
    ['a relative CHITTA_HOME is made absolute', { CHITTA_HOME: 'a/b', HOME: '/h' }, resolve('a/b')],
    ['then XDG_DATA_HOME', { XDG_DATA_HOME: '/x', HOME: '/h' }, '/x/chitta'],
    ['a relative XDG_DATA_HOME is ignored', { XDG_DATA_HOME: 'x', HOME: '/h' }, '/h/.local/share/chitta'],
    ['then HOME', { HOME: '/h' }, '/h/.local/share/chitta'],
    ['empty variables count as unset', { CHITTA_HOME: '', XDG_DATA_HOME: '', HOME: '/h' }, '/h/.local/share/chitta'],
  ])('%s', (_why, env, expected) => {
    expect(chittaHome(env)).toBe(expected);
  });

  test.runIf(posix)('asks the user database when HOME is unset (needs POSIX)', () => {
    expect(chittaHome({})).toBe(join(userInfo().homedir, '.local/share/chitta'));
  });

  test.runIf(root)('gives a user without any home a folder in the temporary directory (needs root)', async () => {
    const built = await builtModule('platform/paths.ts');
    try {
      chmodSync(dirname(built), 0o755);
      // A user number without an entry, as containers start programs.
      const script = `const { chittaHome } = await import(${JSON.stringify(built)}); process.setuid(54321);
        process.stdout.write(chittaHome({ TMPDIR: '/somewhere' }));`;
      const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
      expect(said).toBe('/somewhere/chitta-54321');
    } finally {
      rmSync(dirname(built), { recursive: true });
    }
  });
});

describe.runIf(posix)('ensurePrivateDir (needs POSIX modes)', () => {
  test.runIf(process.platform === 'linux')('refuses at once a folder that can never be made (needs Linux)', () => {
    expect(() => ensurePrivateDir('/proc/nowhere/chitta')).toThrow('ENOENT');
  });

  test('makes the folder and its parents for this user alone', () => {
    ensurePrivateDir(join(dir, 'a/b'));
    expect([mode(join(dir, 'a')), mode(join(dir, 'a/b'))]).toEqual(['700', '700']);
  });

  test('closes an open folder that is empty or its own, and can be called again', () => {
    const [empty, own] = [join(dir, 'empty'), join(dir, 'own')];
    for (const path of [empty, own]) mkdirSync(path, { mode: 0o755 });
    writeFileSync(join(own, 'config.json'), '{}');
    for (const path of [empty, own, own]) ensurePrivateDir(path);
    expect([mode(empty), mode(own)]).toEqual(['700', '700']);
  });

  test('leaves a folder alone that is open and holds something else, and says so', () => {
    const path = join(dir, 'work');
    mkdirSync(path, { mode: 0o755 });
    writeFileSync(join(path, 'thesis.tex'), '');
    expect(() => ensurePrivateDir(path)).toThrow(/open to other users/);
    expect(mode(path)).toBe('755');
  });

  test('refuses a public folder even if it is empty', () => {
    const path = join(dir, 'tmp');
    mkdirSync(path);
    chmodSync(path, 0o1777);
    expect(() => ensurePrivateDir(path)).toThrow(/public folder/);
  });

  test('refuses what is no folder', () => {
    const path = join(dir, 'file');
    writeFileSync(path, '');
    expect(() => ensurePrivateDir(path)).toThrow(/EEXIST|not a folder/);
  });

  test.runIf(root)("refuses another user's folder, also behind a link (needs root)", () => {
    const [path, link] = [join(dir, 'theirs'), join(dir, 'link')];
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, 54_321, 54_321);
    symlinkSync(path, link);
    expect(() => ensurePrivateDir(path)).toThrow(/belongs to user 54321/);
    expect(() => ensurePrivateDir(link)).toThrow(/belongs to user 54321/);
  });
});

describe('writePrivateFile', () => {
  test('writes a file only this user can read, whatever its mode was, and leaves nothing beside it', () => {
    const path = join(dir, 'config.json');
    writeFileSync(path, 'old', { mode: 0o644 });
    writePrivateFile(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(dir)).toEqual(['config.json']);
    expect(mode(path)).toBe(posix ? '600' : '666');
  });

  test.runIf(posix)('keeps a link a link and replaces what it points at (needs POSIX links)', () => {
    const [target, link] = [join(dir, 'dotfiles.json'), join(dir, 'config.json')];
    writeFileSync(target, 'old');
    symlinkSync(target, link);
    writePrivateFile(link, 'new');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('new');
  });

  test('cleans up and reports when the file cannot take its place', () => {
    const path = join(dir, 'folder');
    mkdirSync(join(path, 'full'), { recursive: true });
    expect(() => writePrivateFile(path, 'x')).toThrow(/EISDIR|ENOTEMPTY|EPERM|EEXIST/);
    expect(readdirSync(dir)).toEqual(['folder']);
  });
});
