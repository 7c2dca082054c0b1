import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepPluginOptions, OFFERED } from '../../src/config/plugin-options.ts';
import { type LoadedSettings, loadSettings } from '../../src/config/settings.ts';
import type { Env } from '../../src/platform/env.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'chitta-options-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const HOOK: Env = { CLAUDE_PLUGIN_DATA: '/home/me/.claude/plugins/data/chitta-chitta' };
const CHOSEN: Env = {
  ...HOOK,
  CLAUDE_PLUGIN_OPTION_MODE: 'replace',
  CLAUDE_PLUGIN_OPTION_BUDGET_TOKENS: '20000',
  CLAUDE_PLUGIN_OPTION_LAST_TURNS: '30',
  CLAUDE_PLUGIN_OPTION_RECALL: 'false',
};
const AS_CHOSEN = { mode: 'replace', budgetTokens: 20_000, lastTurns: 30, recall: false };
/** Windows has no such modes. */
const modes = process.platform === 'win32' ? 0 : 0o777;
const file = (): string => join(home, 'plugin-options.json');
const load = (env: Env): LoadedSettings => loadSettings({ env, home, projectRoot: join(home, 'project') });

test('the plugin offers exactly the settings that are read from it', () => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../plugin.json'), 'utf8'));
  expect(Object.keys(manifest.userConfig)).toEqual(OFFERED);
});

test('a hook goes by what the host says', () => {
  const { settings, sources, warnings } = load(CHOSEN);
  expect(settings).toMatchObject(AS_CHOSEN);
  expect([sources.mode, sources.recall, sources.targetRatio]).toEqual(['plugin', 'plugin', 'default']);
  expect(warnings).toEqual([]);
});

test('what was not chosen has the default, also where the host says an empty text', () => {
  expect(load({ ...HOOK, CLAUDE_PLUGIN_OPTION_MODE: '' }).settings).toMatchObject({ mode: 'guide', recall: true });
});

test('a hook of another plugin says nothing about ours', () => {
  const env = { ...CHOSEN, CLAUDE_PLUGIN_DATA: '/home/me/.claude/plugins/data/other-market' };
  keepPluginOptions({ env, home });
  expect(load(env).settings).toMatchObject({ mode: 'guide', lastTurns: 60 });
  expect(existsSync(file())).toBe(false);
});

test('options go before the user’s file', () => {
  writeFileSync(join(home, 'config.json'), '{"mode": "guide", "last_turns": 90}');
  expect(load(CHOSEN).settings).toMatchObject({ mode: 'replace', lastTurns: 30 });
});

test.each([
  ['MODE', 'both', 'mode'],
  ['LAST_TURNS', '0', 'last_turns'],
  ['RECALL', 'maybe', 'recall'],
])('%s=%s does not fit: a warning, and the default', (name, value, key) => {
  const { settings, warnings } = load({ ...HOOK, [`CLAUDE_PLUGIN_OPTION_${name}`]: value });
  expect(settings).toMatchObject({ mode: 'guide', lastTurns: 60, recall: true });
  expect(warnings).toEqual([expect.stringMatching(`^the plugin's option "${key}" must be `)]);
});

describe('kept for those whom the host does not tell', () => {
  test('a command of a later moment knows them; the file is private', () => {
    keepPluginOptions({ env: CHOSEN, home });
    expect(load({}).settings).toMatchObject(AS_CHOSEN);
    expect(load({}).sources.mode).toBe('plugin');
    expect(statSync(file()).mode & 0o077 & modes).toBe(0);
  });

  test('what the host says goes before what was kept, and taking all back removes the file', () => {
    keepPluginOptions({ env: CHOSEN, home });
    expect(load(HOOK).settings.mode).toBe('guide');
    keepPluginOptions({ env: HOOK, home });
    expect(existsSync(file())).toBe(false);
  });

  test('the file is written only if something changed', () => {
    keepPluginOptions({ env: CHOSEN, home });
    const { ino } = statSync(file());
    keepPluginOptions({ env: CHOSEN, home });
    expect(statSync(file()).ino).toBe(ino);
  });

  test('a file that was damaged is no mistake of the user, and is written anew', () => {
    writeFileSync(file(), '{"mode"');
    expect(load({})).toMatchObject({ settings: { mode: 'guide' }, warnings: [] });
    keepPluginOptions({ env: CHOSEN, home });
    expect(load({}).settings.mode).toBe('replace');
  });

  test('nothing is made where nothing was chosen', () => {
    rmSync(home, { recursive: true });
    keepPluginOptions({ env: HOOK, home });
    expect(existsSync(home)).toBe(false);
  });
});

test('a project may neither choose the mode nor raise the budget nor switch recall on', () => {
  const root = mkdtempSync(join(tmpdir(), 'chitta-project-'));
  writeFileSync(join(home, 'config.json'), '{"recall": false}');
  writeFileSync(join(root, '.chitta.json'), '{"mode": "replace", "budget_tokens": 90000, "recall": true}');
  const { settings, warnings } = loadSettings({ env: {}, home, projectRoot: root });
  expect(settings).toMatchObject({ mode: 'guide', budgetTokens: 80_000, recall: false });
  expect(warnings.map((warning) => warning.split('; ')[1])).toEqual([
    'a project may not set it',
    'a project may only lower it',
    'a project may only set it to false',
  ]);
  rmSync(root, { recursive: true });
});
