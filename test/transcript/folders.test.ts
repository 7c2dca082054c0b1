/** In which directory a session was begun, as its transcript says. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { projectFolder, sessionFolder } from '../../src/transcript/folders.ts';

const base = mkdtempSync(join(tmpdir(), 'chitta-folders-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const project = join(base, 'a project');
const env = { CLAUDE_CONFIG_DIR: join(base, 'config'), CLAUDE_CODE_SESSION_ID: '31a1f7e0-0000-4000-8000-000000000000' };
mkdirSync(projectFolder(env, project), { recursive: true });
writeFileSync(join(projectFolder(env, project), `${env.CLAUDE_CODE_SESSION_ID}.jsonl`), '');
const below = join(project, 'src', 'deep');

test('a command of a session is of the directory in which the session was begun, however deep its shell has gone', () => {
  expect([project, join(project, 'src'), below, join(below, 'gone')].map((cwd) => sessionFolder(env, cwd))).toEqual(
    Array.from({ length: 4 }, () => project),
  );
});

test.each([
  ['no session', { CLAUDE_CODE_SESSION_ID: undefined }],
  ['an empty one', { CLAUDE_CODE_SESSION_ID: '' }],
  ['a session that is written nowhere', { CLAUDE_CODE_SESSION_ID: 'another' }],
  ['an id that is a path', { CLAUDE_CODE_SESSION_ID: `../${'x'.repeat(3)}/${env.CLAUDE_CODE_SESSION_ID}` }],
  ['a project that the host has named', { CLAUDE_PROJECT_DIR: project }],
])('with %s it is the working directory', (_, more) => {
  expect(sessionFolder({ ...env, ...more }, below)).toBe(below);
});

test('elsewhere it is the working directory', () => {
  for (const cwd of [base, join(base, 'other'), '/']) expect(sessionFolder(env, cwd)).toBe(cwd);
});
