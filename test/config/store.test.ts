/** Every setting that is documented: settable, shown, taken out again; or refused with what to type instead. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ConfigStore, openConfig } from '../../src/config/store.ts';
import { type Setting, SETTINGS } from '../../src/config/table.ts';
import { MODEL_FIELDS } from '../../src/planning/model.ts';

let root: string;
let store: ConfigStore;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'chitta-store-'));
  for (const name of ['home', 'project']) mkdirSync(join(root, name));
  store = openConfig({ env: {}, home: join(root, 'home'), projectRoot: join(root, 'project') });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'configuration.md'), 'utf8');
const saved = (): Record<string, unknown> => JSON.parse(readFileSync(join(root, 'home', 'config.json'), 'utf8'));
const listed = (key: string): unknown => store.list().entries.find((entry) => entry.key === key);

function another(setting: Setting): unknown {
  if (setting.type === 'boolean') return !setting.default;
  if (setting.type === 'choice') return setting.choices.find((choice) => choice !== setting.default);
  return setting.max;
}

const ROWS: readonly (readonly [key: string, value: unknown])[] = [
  ...SETTINGS.map((setting) => [setting.key, another(setting)] as const),
  ...MODEL_FIELDS.map(
    (field) =>
      [
        `models.llama3.1:8b.${field.key}`,
        field.type === 'name' ? 'small' : field.type === 'boolean' ? false : 5000,
      ] as const,
  ).map(([key, value]) => (key.endsWith('tail_turns') ? ([key, 50] as const) : ([key, value] as const))),
  ['tickets.git.example.com:3000.kind', 'gitea'],
  ['tickets.git.example.com:3000.api', 'http://127.0.0.1:3000/api/v1'],
  ['tickets.git.example.com:3000.token_env', 'MY_TOKEN'],
];

describe('every setting', () => {
  test.each(ROWS)('%s is set to %j, shown with its source, and taken out again', (key, value) => {
    if (key.startsWith('tickets.') && !key.endsWith('.kind')) store.set('tickets.git.example.com:3000.kind', 'github');
    const before = store.get(key);
    expect(store.set(key, String(value))).toMatchObject({ key, value, source: 'user', default: before.default });
    expect(listed(key)).toMatchObject({ value, source: 'user', doc: expect.stringMatching(/.{10}/) });
    expect(store.list().warnings).toEqual([]);
    expect(store.unset(key)).toMatchObject({ value: before.value, source: 'default' });
    expect(JSON.stringify(saved())).not.toContain(JSON.stringify(value));
  });

  test('of the documentation is among them: tables, and keys in its examples', () => {
    const known = [...ROWS.map(([key]) => key), 'tickets'];
    const tabled = [...page.matchAll(/^\| `?([a-z_]+)`? \| .*\|$/gm)].map(([, key = '']) => key);
    const examples = [...page.matchAll(/^\{ .* \}$/gm)].flatMap(([text]) => Object.keys(JSON.parse(text)));
    const commands = [...page.matchAll(/chitta config set\s+(\S+)/g)].map(([, key = '']) => key);
    const strangers = [...tabled, ...examples, ...commands].filter((key) => {
      const last = key.split('.').at(-1);
      return (
        !['key', 'variable', 'models'].includes(key) && !known.some((one) => one === key || one.endsWith(`.${last}`))
      );
    });
    expect(strangers).toEqual([]);
    expect([tabled.length >= ROWS.length - 3, examples.length > 2, commands.length > 2]).toEqual([true, true, true]);
  });
});

describe('tickets', () => {
  test('are off until a host is named, and a project that switches them off is seen', () => {
    expect(store.get('tickets')).toMatchObject({ value: false, source: 'default' });
    store.set('tickets.github.com.kind', 'github');
    expect(store.get('tickets')).toMatchObject({ value: true, source: 'user' });
    expect(listed('tickets.github.com.token_env')).toMatchObject({
      value: 'GITHUB_TOKEN, GH_TOKEN',
      source: 'default',
    });
    writeFileSync(join(root, 'project', '.chitta.json'), '{"tickets": false}');
    expect(store.get('tickets')).toMatchObject({ value: false, source: 'project' });
  });

  test('a host as it is written in the file stays so, with what this version does not know', () => {
    const file = join(root, 'home', 'config.json');
    writeFileSync(file, JSON.stringify({ tickets: { 'Git.Example.com': { kind: 'gitea', later: [1] }, 'b.org': 7 } }));
    store.set('tickets.git.example.com.token_env', 'MINE');
    expect(saved()).toEqual({
      tickets: { 'Git.Example.com': { kind: 'gitea', later: [1], token_env: 'MINE' }, 'b.org': 7 },
    });
    expect(store.unset('tickets.git.example.com')).toBeUndefined();
    expect(saved()).toEqual({ tickets: { 'b.org': 7 } });
    expect(store.unset('tickets')).toMatchObject({ value: false });
    expect(saved()).toEqual({});
  });

  test.each([
    ['tickets', 'true', 'is a table', expect.stringContaining('tickets.HOST.FIELD')],
    ['tickets', '{"github.com":{"kind":"github"}}', 'is a table', expect.stringContaining('tickets.HOST.FIELD')],
    ['tickets.github.com', 'github', 'names nothing that can be set', expect.stringContaining('kind, api, token_env')],
    [
      'tickets.https://github.com.kind',
      'github',
      'names nothing that can be set',
      expect.stringContaining('kind, api, token_env'),
    ],
    [
      'tickets.../../x.kind',
      'github',
      'names nothing that can be set',
      expect.stringContaining('kind, api, token_env'),
    ],
    ['tickets.github.com.kind', 'jira', 'must be "github" or "gitea", not "jira"', undefined],
    ['tickets.github.com.api', 'ftp://x', 'must be an address', undefined],
    ['tickets.github.com.token_env', 'ghp_0123456789-abc', 'must be the name of a variable', undefined],
    [
      'tickets.github.com.token_env',
      'MINE',
      'what kind of tracker',
      expect.stringContaining('chitta config set tickets.github.com.kind'),
    ],
    ['models', '{}', 'is a table', expect.stringContaining('models.NAME.FIELD')],
  ])('refuses %s %s and says what to type', (key, text, message, hint) => {
    const error = expect.objectContaining({
      code: 'E_CONFIG_INVALID',
      field: key,
      message: expect.stringContaining(message),
      hint,
    });
    expect(() => store.set(key, text)).toThrow(error);
    expect(store.list().entries.filter((entry) => entry.key.startsWith('tickets.'))).toEqual([]);
  });

  test.each([
    'ghp_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3',
    'deadbeef0123456789abcdef0123456789abcdef',
    'glpat-a1B2c3D4e5a1B2c3D4e5',
    'github_pat_11ABCDEFG0a1B2c3D4e5f6_a1B2c3D4e5f6a1B2c3D4e5f6a1B2c3D4e5f6a1B2c3D4e5f6a1B2c3D4e5',
  ])('a token where the name of its variable is wanted is neither stored nor printed: %s', (token) => {
    store.set('tickets.github.com.kind', 'github');
    expect(() => store.set('tickets.github.com.token_env', token)).toThrow('must be the name of a variable');
    expect(() => store.set('tickets.github.com.token_env', token)).not.toThrow(token);
    expect(JSON.stringify(saved())).not.toContain(token);
    writeFileSync(
      join(root, 'home', 'config.json'),
      JSON.stringify({ tickets: { 'github.com': { kind: 'github', token_env: token } } }),
    );
    const { entries, warnings } = store.list();
    expect(warnings).toEqual([expect.stringContaining('not a token')]);
    expect(JSON.stringify([entries, warnings])).not.toContain(token);
  });

  test.each(['models', 'models.gpt', 'tickets.github.com'])('%s has no single value', (key) => {
    expect(() => store.get(key)).toThrow(
      expect.objectContaining({ code: 'E_CONFIG_INVALID', hint: expect.any(String) }),
    );
  });
});
