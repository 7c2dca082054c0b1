import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LoadedModels, loadModels } from '../../src/config/models.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { type ConfigStore, openConfig } from '../../src/config/store.ts';
import { MODEL_FIELDS, resolveModel } from '../../src/planning/model.ts';

let home: string;
let projectRoot: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'chitta-models-'));
  projectRoot = join(home, 'project');
  mkdirSync(projectRoot);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function save(entries: unknown, project?: unknown): void {
  writeFileSync(join(home, 'config.json'), JSON.stringify(entries));
  if (project !== undefined) writeFileSync(join(projectRoot, '.chitta.json'), JSON.stringify(project));
}
const load = (): LoadedModels => loadModels({ home, projectRoot });
const store = (): ConfigStore => openConfig({ env: {}, home, projectRoot });
const saved = (): unknown => JSON.parse(readFileSync(join(home, 'config.json'), 'utf8'));

test('every field has the name that its key suggests, and a default of its type', () => {
  expect(MODEL_FIELDS.map(({ name }) => name).sort()).toEqual(Object.keys(resolveModel({})).sort());
  for (const { key, name } of MODEL_FIELDS) {
    expect(key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())).toBe(name);
  }
  expect(resolveModel({})).toEqual({ auto: true, reserved: 8192, tailTurns: 2, prune: true });
});

test('docs/configuration.md lists exactly these fields', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  const rows = MODEL_FIELDS.map((field) => {
    const values =
      field.type === 'integer' ? `${field.min}–${field.max}` : field.type === 'name' ? 'a name' : '`true`, `false`';
    const standard = field.default === undefined ? 'none' : `\`${field.default}\``;
    return `| ${[field.key, values, field.unit || '–', standard, field.doc].join(' | ')} |`;
  });
  const keys = MODEL_FIELDS.map(({ key }) => `| ${key} |`);
  expect(page.split('\n').filter((line) => keys.some((key) => line.startsWith(key)))).toEqual(rows);
});

describe('the file', () => {
  test('may name the fields as files do or as programs do', () => {
    save({
      models: { a: { context_window: 8000, small_model: 'b' }, 'b:7b/x': { contextWindow: 4000, tailTurns: 1 } },
    });
    expect([...load().models]).toEqual([
      ['a', { contextWindow: 8000, smallModel: 'b' }],
      ['b:7b/x', { contextWindow: 4000, tailTurns: 1 }],
    ]);
    expect(load().warnings).toEqual([]);
    expect(loadSettings({ env: {}, home, projectRoot }).warnings).toEqual([]);
  });

  test.each<[string, unknown, RegExp]>([
    ['a table that is none', { models: [] }, /"models" must be an object/],
    ['a model that is none', { models: { a: 8000 } }, /models\."a" must be an object/],
    ['a name with blanks', { models: { 'a b': {} } }, /no name of a model/],
    ['an unknown field', { models: { a: { window: 8000 } } }, /"window" is not one of context_window, auto/],
    [
      'a window of text',
      { models: { a: { context_window: '8000' } } },
      /"context_window" must be a whole number from 1000/,
    ],
    ['a window of nothing', { models: { a: { context_window: 0 } } }, /must be a whole number/],
    ['a switch that is none', { models: { a: { auto: 'no' } } }, /"auto" must be true or false/],
    ['a small model without a name', { models: { a: { small_model: '' } } }, /must be the name of a model/],
  ])('%s is a warning, never an error', (_what, entries, warning) => {
    save(entries);
    const { models, warnings } = load();
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect([...models.values()].every((config) => Object.keys(config).length === 0)).toBe(true);
  });

  test('of a project declares nothing', () => {
    save({}, { models: { a: { context_window: 8000 } } });
    expect([...load().models]).toEqual([]);
    expect(load().warnings).toEqual([expect.stringMatching(/a project may not set it/)]);
  });

  test('that is not there or no JSON declares nothing', () => {
    expect([...load().models]).toEqual([]);
    writeFileSync(join(home, 'config.json'), '{');
    expect([...load().models]).toEqual([]);
  });
});

describe('chitta config', () => {
  test('sets, shows and takes out what is said of a model whose name has dots', () => {
    save({ models: { 'gpt-4.1': { contextWindow: 5000, later: 1 } }, last_turns: 50 });
    const key = 'models.gpt-4.1.context_window';
    expect(store().set(key, '1047576')).toMatchObject({ key, value: 1_047_576, source: 'user', default: null });
    expect(saved()).toEqual({ models: { 'gpt-4.1': { later: 1, context_window: 1_047_576 } }, last_turns: 50 });
    expect(store().get('models.gpt-4.1.reserved')).toMatchObject({ value: 8192, source: 'default' });
    expect(
      store()
        .list()
        .entries.find((entry) => entry.key === key),
    ).toMatchObject({ value: 1_047_576 });
    expect(store().unset(key)).toMatchObject({ value: null, source: 'default' });
    expect(store().unset('models.gpt-4.1')).toBeUndefined();
    expect(saved()).toEqual({ last_turns: 50 });
  });

  test.each([
    ['models.a.auto', 'maybe', /must be true or false/],
    ['models.a.reserved', '-1', /must be a whole number/],
    ['models.a.reserved', '1e3', /must be a whole number/],
    ['models.a.small_model', 'two words', /must be the name of a model/],
    ['models.a', '1', /names nothing that can be set/],
    ['models. .auto', 'true', /names nothing that can be set/],
    ['models', '{}', /is a table/],
  ])('refuses %s %s', (key, text, message) => {
    expect(() => store().set(key, text)).toThrow(message);
  });
});

test.each<[string, Parameters<typeof resolveModel>[0], string]>([
  ['a window of zero', { contextWindow: 0 }, 'contextWindow'],
  ['a window that is no number', { contextWindow: Number.NaN }, 'contextWindow'],
  ['a reserve below zero', { contextWindow: 8192, reserved: -1 }, 'reserved'],
  ['half a turn', { tailTurns: 0.5 }, 'tailTurns'],
])('%s, from a program, is an error that names the field', (_what, config, field) => {
  expect(() => resolveModel(config)).toThrow(expect.objectContaining({ code: 'E_CONFIG_INVALID', field }));
});
