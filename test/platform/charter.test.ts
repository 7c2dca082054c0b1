import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readNamedCharter, readProjectCharter } from '../../src/platform/charter.ts';

function project(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'chitta-charter-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

test.each([
  ['AGENTS.md goes first', { 'AGENTS.md': 'a', 'CLAUDE.md': 'c' }, 'a'],
  ['CLAUDE.md is next', { 'CLAUDE.md': 'c' }, 'c'],
  ['there may be none', { 'README.md': 'r' }, undefined],
])('of a project: %s', (_name, files, text) => {
  expect(readProjectCharter(project(files))?.text).toBe(text);
});

test('a link within the project is followed, one out of it is not', () => {
  const secret = project({ key: 'secret' });
  const root = project({ 'rules.md': 'r' });
  symlinkSync('rules.md', join(root, 'CLAUDE.md'));
  expect(readProjectCharter(root)?.text).toBe('r');
  symlinkSync(join(secret, 'key'), join(root, 'AGENTS.md'));
  expect(() => readProjectCharter(root)).toThrow(
    /AGENTS\.md cannot be used as a charter: it is a link out of the project/,
  );
});

test('a named file is looked for from the working directory, wherever it leads', () => {
  const root = project({ 'rules.md': '\uFEFFr' });
  expect(readNamedCharter(root, 'rules.md')).toEqual({ file: join(root, 'rules.md'), text: 'r' });
});

test('a named file must be there, and be a small file', () => {
  const root = project({ 'large.md': 'x'.repeat((1 << 20) + 1) });
  mkdirSync(join(root, 'folder'));
  expect(() => readNamedCharter(root, 'none.md')).toThrow('there is no file none.md');
  expect(() => readNamedCharter(root, 'folder')).toThrow('not a regular file');
  expect(() => readNamedCharter(root, 'large.md')).toThrow('larger than');
});
