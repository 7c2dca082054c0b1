import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { loadTrackers } from '../../src/config/trackers.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'chitta-trackers-'));
  for (const name of ['home', 'project']) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function loaded(user: unknown, project?: unknown): ReturnType<typeof loadTrackers> {
  writeFileSync(join(root, 'home', 'config.json'), JSON.stringify({ tickets: user }));
  if (project !== undefined) writeFileSync(join(root, 'project', '.chitta.json'), JSON.stringify({ tickets: project }));
  return loadTrackers({ home: join(root, 'home'), projectRoot: join(root, 'project') });
}

test.each([
  ['github.com', { kind: 'github' }, 'https://api.github.com', ['GITHUB_TOKEN', 'GH_TOKEN']],
  ['ghe.example.com', { kind: 'github' }, 'https://ghe.example.com/api/v3', []],
  ['Git.Example.com', { kind: 'gitea', token_env: 'GITEA_TOKEN' }, 'https://git.example.com/api/v1', ['GITEA_TOKEN']],
  ['127.0.0.1:3000', { kind: 'gitea', api: 'http://127.0.0.1:3000/api/v1/' }, 'http://127.0.0.1:3000/api/v1', []],
  ['github.com', { kind: 'github', token_env: 'MINE' }, 'https://api.github.com', ['MINE']],
])('%s, %j', (host, given, api, tokenNames) => {
  const { trackers, isOff, warnings } = loaded({ [host]: given });
  expect([...trackers]).toEqual([[host.toLowerCase(), { kind: given.kind, api, tokenNames }]]);
  expect([isOff, warnings]).toEqual([false, []]);
});

test('without a table there is none', () => {
  expect(loaded(undefined)).toMatchObject({ trackers: new Map(), isOff: false, warnings: [] });
});

test.each([
  ['github', 'must be an object of hosts'],
  [{ 'https://github.com': { kind: 'github' } }, 'is no host'],
  [{ 'github.com': true }, 'must be an object'],
  [{ 'github.com': { kind: 'jira' } }, '"kind" must be'],
  [{ 'github.com': { kind: 'github', api: 'ftp://x' } }, '"api" must be an address'],
  [{ 'github.com': { kind: 'github', api: 'https://me:secret@x' } }, '"api" must be an address'],
  [{ 'github.com': { kind: 'github', token_env: 'ghp-123 456' } }, 'not a token'],
])('%j is a warning', (user, warning) => {
  const { trackers, warnings } = loaded(user);
  expect(trackers.size).toBe(0);
  expect(warnings).toEqual([expect.stringContaining(warning)]);
});

test('a project may switch tickets off, and name nothing', () => {
  const user = { 'github.com': { kind: 'github' } };
  expect(loaded(user, false)).toMatchObject({ isOff: true, warnings: [] });
  const { trackers, isOff, warnings } = loaded(undefined, {
    'evil.example': { kind: 'gitea', token_env: 'GITHUB_TOKEN' },
  });
  expect([trackers.size, isOff]).toEqual([0, false]);
  expect(warnings).toEqual([expect.stringContaining('a project may only set it to false')]);
  expect(loaded(user, true).warnings).toHaveLength(1);
});

test('the table is no setting, and no mistake among them', () => {
  loaded({ 'github.com': { kind: 'github' } }, false);
  const places = { env: {}, home: join(root, 'home'), projectRoot: join(root, 'project') };
  expect(loadSettings(places).warnings).toEqual([]);
});
