import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { originOf, readOrigin } from '../../src/platform/origin.ts';

test.each([
  ['https://github.com/noor/chitta.git', 'github.com', 'noor/chitta'],
  ['https://github.com/noor/chitta', 'github.com', 'noor/chitta'],
  ['https://token@GitHub.com/noor/chitta.git/', 'github.com', 'noor/chitta'],
  ['git@github.com:noor/chitta.git', 'github.com', 'noor/chitta'],
  ['ssh://git@git.example.com:2222/noor/chi.tta.git', 'git.example.com', 'noor/chi.tta'],
  ['http://127.0.0.1:3000/o/r', '127.0.0.1:3000', 'o/r'],
])('%s', (address, host, repository) => {
  expect(readOrigin(address)).toEqual({ host, repository });
});

test.each([
  '/srv/git/chitta.git',
  '../other',
  'file:///srv/git/a/b',
  'https://github.com/noor',
  'https://gitlab.com/group/sub/repo',
  'https://github.com/../x',
  'https://github.com/a/..',
  'git@github.com:a/b?x=1',
  'C:\\git\\a',
  '',
])('%j is none', (address) => {
  expect(readOrigin(address)).toBeUndefined();
});

test('the remote origin, of several, as git writes it', () => {
  const root = mkdtempSync(join(tmpdir(), 'chitta-origin-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  expect(originOf(root)).toBeUndefined();
  mkdirSync(join(root, '.git'));
  writeFileSync(
    join(root, '.git', 'config'),
    '[core]\n\turl = no\n[remote "fork"]\n\turl = git@github.com:x/y.git\n[remote "origin"]\n\tfetch = +refs\n\turl = git@github.com:o/r.git\n',
  );
  expect(originOf(root)).toEqual({ host: 'github.com', repository: 'o/r' });
});
