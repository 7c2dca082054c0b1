/** scripts/release.mjs, on this repository and on one of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PLUGIN_PARTS } from '../../src/platform/plugin-files.ts';

const repository = join(import.meta.dirname, '..', '..');
const work = mkdtempSync(join(tmpdir(), 'chitta-release-'));
const tree = join(work, 'tree');

afterAll(() => rmSync(work, { recursive: true, force: true }));

describe('the tree', () => {
  beforeAll(() => {
    execFileSync(process.execPath, [join(repository, 'scripts', 'release.mjs'), tree]);
  });

  test('holds what runs, its licences and a page about itself, and nothing else', () => {
    expect(readdirSync(tree).toSorted()).toEqual([...PLUGIN_PARTS, 'README.md', 'package.json'].toSorted());
    const names = readdirSync(tree, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => /node_modules|\.ts$|\.d\.mts$|\.map$|(?:^|\/)index\.mjs$/.test(name))).toEqual([]);
  });

  test('says in its package.json which native packages fit, and has nothing to build or to install', () => {
    const own = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
    const { name, version, optionalDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    expect(own).toMatchObject({ name, version, optionalDependencies, private: true, type: 'module' });
    expect(Object.keys(own)).not.toEqual(expect.arrayContaining(['scripts']));
    expect(Object.keys(own)).not.toEqual(expect.arrayContaining(['devDependencies']));
  });

  test.skipIf(process.platform === 'win32')(
    'compacts a session without any package beside it (needs a POSIX shell)',
    () => {
      const env = {
        PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
        HOME: work,
        CHITTA_RUNTIME_DIR: '/dev/null',
      };
      const session = join(repository, 'demo', 'session.jsonl');
      const argv = [join(tree, 'bin', 'chitta'), 'compact', session, '--stats', '--json'];
      const { status, stdout } = spawnSync('/bin/sh', argv, { cwd: work, env, encoding: 'utf8' });
      expect([status, JSON.parse(stdout)]).toEqual([
        0,
        expect.objectContaining({ strategy: 'need', embedding: false }),
      ]);
      expect(statSync(join(tree, 'bin', 'chitta')).mode & 0o111).not.toBe(0);
    },
  );

  test('is not made over a folder with something else in it', () => {
    const folder = join(work, 'precious');
    mkdirSync(folder);
    writeFileSync(join(folder, 'thesis.txt'), '');
    const { status, stderr } = spawnSync(process.execPath, [join(repository, 'scripts', 'release.mjs'), folder], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining('holds something else')]);
    expect(readdirSync(folder)).toEqual(['thesis.txt']);
  });
});

test('a branch gets one commit for each new state, and the checkout stays as it was', () => {
  const checkout = join(work, 'checkout');
  for (const part of PLUGIN_PARTS) {
    const isFolder = statSync(join(repository, part)).isDirectory();
    const path = isFolder ? join(checkout, part, 'file') : join(checkout, part);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'x');
  }
  writeFileSync(join(checkout, 'dist', 'cli.mjs'), '');
  writeFileSync(join(checkout, '.gitignore'), 'dist/\n.cache/\n');
  writeFileSync(join(checkout, 'package.json'), '{"name": "chitta", "version": "9.0.0", "description": "d"}');
  mkdirSync(join(checkout, 'scripts'));
  cpSync(join(repository, 'scripts', 'release.mjs'), join(checkout, 'scripts', 'release.mjs'));
  const who = { GIT_AUTHOR_NAME: 'n', GIT_AUTHOR_EMAIL: 'n@n', GIT_COMMITTER_NAME: 'n', GIT_COMMITTER_EMAIL: 'n@n' };
  const env = { PATH: process.env['PATH'], HOME: work, GIT_CONFIG_NOSYSTEM: '1', ...who };
  const git = (...argv: string[]): string => execFileSync('git', argv, { cwd: checkout, env, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  const release = (): string =>
    execFileSync(process.execPath, ['scripts/release.mjs', '--branch', 'release'], {
      cwd: checkout,
      env,
      encoding: 'utf8',
    });

  expect(release()).toContain('git push origin release');
  expect(release()).toContain('up to date');
  writeFileSync(join(checkout, 'dist', 'cli.mjs'), 'new');
  release();
  expect(git('rev-list', '--count', 'release')).toBe('2');
  expect(git('show', 'release:dist/cli.mjs')).toBe('new');
  expect(git('log', '-1', '--format=%s', 'release')).toBe(
    `chitta 9.0.0, built from ${git('rev-parse', '--short', 'main')}`,
  );
  expect([git('status', '--porcelain'), git('branch', '--show-current')]).toEqual(['', 'main']);
});
