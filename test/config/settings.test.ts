import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LoadedSettings, loadSettings } from '../../src/config/settings.ts';
import type { Env } from '../../src/platform/env.ts';
import { makePipe } from '../platform/pipe.ts';

let home: string;
let projectRoot: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'chitta-config-'));
  projectRoot = join(home, 'project');
  mkdirSync(projectRoot);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Given {
  readonly user?: unknown;
  readonly project?: unknown;
  readonly env?: Env;
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** Settings from files with that content: text as it is, anything else as JSON. */
function load({ user, project, env = {}, flags = {} }: Given): LoadedSettings {
  const write = (path: string, content: unknown): void => {
    if (content !== undefined) writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  };
  write(join(home, 'config.json'), user);
  write(join(projectRoot, '.chitta.json'), project);
  return loadSettings({ env, home, projectRoot, flags });
}

const DEFAULTS = {
  targetRatio: 0.4,
  lastTurns: 60,
  maxReadBytes: 33_554_432,
  disabled: false,
  private: false,
  mode: 'guide',
  budgetTokens: 80_000,
  recall: true,
  mcp: true,
  learn: true,
  archiveMaxMb: 0,
  archiveMaxDays: 0,
  autoSummarize: false,
};

test('with no files at all, the defaults', () => {
  const { settings, sources, warnings } = load({});
  expect(settings).toEqual(DEFAULTS);
  expect(sources).toEqual(Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, 'default'])));
  expect(warnings).toEqual([]);
});

test('a home that does not exist is no mistake', () => {
  const { settings, warnings } = loadSettings({ env: {}, home: join(home, 'gone/away'), projectRoot });
  expect([settings, warnings]).toEqual([DEFAULTS, []]);
});

test('the result cannot be changed', () => {
  expect(Object.isFrozen(load({}).settings)).toBe(true);
});

describe('who goes before whom', () => {
  test.each<[string, Given, number, string]>([
    ['the user before the default', { user: { last_turns: 50 } }, 50, 'user'],
    ['a tighter project before the user', { user: { last_turns: 50 }, project: { last_turns: 40 } }, 40, 'project'],
    ['the user before a looser project', { user: { last_turns: 50 }, project: { last_turns: 55 } }, 50, 'user'],
    ['the default before a looser project', { project: { last_turns: 90 } }, 60, 'default'],
    [
      'a flag before all',
      { user: { last_turns: 50 }, project: { last_turns: 40 }, flags: { last_turns: 99 } },
      99,
      'flag',
    ],
    ['an absent flag before nothing', { user: { last_turns: 50 }, flags: { last_turns: undefined } }, 50, 'user'],
  ])('%s', (_who, given, value, source) => {
    const { settings, sources } = load(given);
    expect([settings.lastTurns, sources.lastTurns]).toEqual([value, source]);
  });

  test.each<[string, Given, boolean, string]>([
    ['the environment switches off', { env: { CHITTA_DISABLE: '1' } }, true, 'environment'],
    ['any other word does too', { env: { CHITTA_DISABLE: 'please' } }, true, 'environment'],
    ['an empty variable says nothing', { user: { disabled: true }, env: { CHITTA_DISABLE: '' } }, true, 'user'],
    [
      'the environment switches on again',
      { project: { disabled: true }, env: { CHITTA_DISABLE: '0' } },
      false,
      'environment',
    ],
    ['a project switches off', { project: { disabled: true } }, true, 'project'],
    ['a project cannot switch on', { user: { disabled: true }, project: { disabled: false } }, true, 'user'],
    ['a flag before the environment', { env: { CHITTA_DISABLE: '1' }, flags: { disabled: false } }, false, 'flag'],
  ])('%s', (_who, given, value, source) => {
    const { settings, sources } = load(given);
    expect([settings.disabled, sources.disabled]).toEqual([value, source]);
  });
});

test.each([
  ['a project asks for it', { project: { private: true } }, true, 'project'],
  ['the environment asks for it', { env: { CHITTA_PRIVATE: '1' } }, true, 'environment'],
  ['nobody asks for it', {}, false, 'default'],
])('a session is private where %s', (_, given, value, source) => {
  const { settings, sources } = load(given);
  expect([settings.private, sources.private]).toEqual([value, source]);
});

test("a project's file can only tighten, and each attempt at more is told", () => {
  const { settings, warnings } = load({
    user: { target_ratio: 0.3, disabled: true },
    project: { target_ratio: 0.9, last_turns: 1_000, max_read_bytes: 1_000_000_000, disabled: false },
  });
  expect(settings).toEqual({ ...DEFAULTS, targetRatio: 0.3, disabled: true });
  expect(warnings).toEqual(
    ['target_ratio', 'last_turns', 'max_read_bytes', 'disabled'].map((key) =>
      expect.stringMatching(new RegExp(`\\.chitta\\.json: "${key}" is ignored; a project may only`)),
    ),
  );
});

describe('a mistake is a warning that helps, and the rest still counts', () => {
  test.each([
    [
      'a misspelt key',
      { target_raito: 0.2 },
      /config\.json: "target_raito" is not a setting; did you mean "target_ratio"\?/,
    ],
    ['a key in the other style', { maxReadBytes: 100_000 }, /did you mean "max_read_bytes"\?/],
    ['a key like none of ours', { colour: 'red' }, /"colour" is not a setting$/],
    ['a wrong type', { target_ratio: '0.2' }, /"target_ratio" must be a number from 0\.05 to 1; it is ignored/],
    ['a value out of range', { target_ratio: 1.5 }, /"target_ratio" must be a number from 0\.05 to 1/],
    [
      'a fraction where a whole number belongs',
      { max_read_bytes: 70_000.5 },
      /"max_read_bytes" must be a whole number from 65536 /,
    ],
    ['null', { disabled: null }, /"disabled" must be true or false/],
    ['__proto__', '{"last_turns":33,"__proto__":{"disabled":true}}', /"__proto__" is not a setting/],
    ['a key that would steer a terminal', { '\u001b[31m\u202e': 1 }, /"\\u001b\[31m\\u202e" is not a setting/],
  ])('%s', (_what, user, warning) => {
    const { settings, warnings } = load({ user: typeof user === 'string' ? user : { ...user, last_turns: 33 } });
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect(settings).toEqual({ ...DEFAULTS, lastTurns: 33 });
  });

  test.each([
    [
      'a missing comma',
      '{\n  "last_turns": 3\n  "disabled": true\n}',
      /config\.json is not JSON from line 3, column 3 on; it is ignored/,
    ],
    ['a comma too many', '{"last_turns": 3,}', /line 1, column 18/],
    ['a bare word', '{"last_turns": many}', /line 1, column 16/],
    ['a comment', '// mine\n{}', /line 1, column 1/],
    ['an end too early', '{"last_turns": 3', /line 1, column 17/],
    ['a second value', '{} {}', /line 1, column 4/],
    ['an array', '[1]', /must hold a JSON object/],
    ['NUL bytes', '\0\0\0\0', /line 1, column 1/],
    ['a string without end', '{"a": "b\n}', /line 1, column 7/],
    ['a million brackets', '['.repeat(60_000), /line 1, column 60001/],
    ['far too much', `{"a": "${'x'.repeat(100_000)}"}`, /larger than 65536 bytes/],
  ])('a broken file: %s', (_what, user, warning) => {
    const { settings, warnings } = load({ user, project: { last_turns: 20 } });
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect(settings).toEqual({ ...DEFAULTS, lastTurns: 20 });
  });

  test('a byte order mark and an empty file are none', () => {
    expect(load({ user: '\uFEFF{"last_turns": 9}', project: ' \n' })).toMatchObject({
      settings: { lastTurns: 9 },
      warnings: [],
    });
  });

  test('a folder in place of the file', () => {
    mkdirSync(join(home, 'config.json'));
    expect(load({}).warnings).toEqual([expect.stringMatching(/config\.json cannot be read: it is not a regular file/)]);
  });

  test.runIf(process.platform !== 'win32')(
    'a pipe in place of the file does not hold anyone up (needs named pipes)',
    () => {
      makePipe(join(projectRoot, '.chitta.json'));
      expect(load({}).warnings).toEqual([expect.stringMatching(/not a regular file/)]);
    },
  );
});

test.each([
  [{ target_ratio: 2 }, 'target_ratio'],
  [{ last_turn: 2 }, 'last_turn'],
])('a flag that does not fit is an error, since someone just typed it: %o', (flags, field) => {
  expect(() => load({ flags })).toThrow(expect.objectContaining({ code: 'E_CONFIG_INVALID', field }));
});
