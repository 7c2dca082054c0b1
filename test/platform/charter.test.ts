import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readNamedCharter, readProjectCharter, readUnloadedCharter } from '../../src/platform/charter.ts';

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

const OLD = 'claude-code_2-1-197_harness';

test.each([
  ['a host that leaves AGENTS.md to others', OLD, { 'AGENTS.md': 'a' }, 'a'],
  ['the last before modules', 'claude-code_2-1-286_agent', { 'AGENTS.md': 'a' }, 'a'],
  ['one before that', 'claude-code_1-9-999', { 'AGENTS.md': 'a' }, 'a'],
  ['one that has a charter of its own', OLD, { 'AGENTS.md': 'a', 'CLAUDE.md': 'c' }, undefined],
  ['a project without rules', OLD, {}, undefined],
  ['a host that loads AGENTS.md', 'claude-code_2-1-332_harness', { 'AGENTS.md': 'a' }, undefined],
  ['the first with modules', 'claude-code_2-1-287', { 'AGENTS.md': 'a' }, undefined],
  ['a newer one', 'claude-code_2-2-0_agent', { 'AGENTS.md': 'a' }, undefined],
  ['one newer still', 'claude-code_3-0-1_agent', { 'AGENTS.md': 'a' }, undefined],
  ['one that does not say its version', undefined, { 'AGENTS.md': 'a' }, undefined],
  ['another agent', 'other_2-1-197', { 'AGENTS.md': 'a' }, undefined],
])('what no host has loaded yet: %s', (_name, host, files, text) => {
  expect(readUnloadedCharter(project(files), host)?.text).toBe(text);
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
