import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { type Setting, SETTINGS } from '../../src/config/table.ts';
import { fitting } from '../../src/config/values.ts';

describe('the table', () => {
  test('has every setting once, under the name that its key suggests', () => {
    const { settings } = loadSettings({ env: {}, home: '/nowhere', projectRoot: '/nowhere' });
    expect(SETTINGS.map(({ name }) => name).sort()).toEqual(Object.keys(settings).sort());
    for (const { key, name } of SETTINGS) {
      expect(key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())).toBe(name);
    }
  });

  test.each(SETTINGS)('has a default for $key that it would accept itself', (setting) => {
    expect(fitting(setting, setting.default)).toBe(setting.default);
  });
});

const PERMITTED: Readonly<Record<Setting['project'], string>> = {
  'may-lower': 'may lower it',
  'may-set-true': 'may set it to `true`',
  'may-set-false': 'may set it to `false`',
  'may-not': 'may not set it',
};

function valuesOf(setting: Setting): string {
  if (setting.type === 'boolean') return '`true`, `false`';
  if (setting.type === 'choice') return setting.choices.map((choice) => `\`${choice}\``).join(', ');
  return `${setting.min}–${setting.max}`;
}

function rowOf(setting: Setting): string {
  const cells = [
    `\`${setting.key}\``,
    valuesOf(setting),
    setting.unit || '–',
    `\`${setting.default}\``,
    PERMITTED[setting.project],
    setting.doc,
  ];
  return `| ${cells.join(' | ')} |`;
}

const page = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| `'));

test('docs/configuration.md lists exactly these settings', () => {
  expect(rows.filter((row) => !/^\| `[A-Z]/.test(row))).toEqual(SETTINGS.map(rowOf));
});

test('docs/configuration.md lists exactly the variables of ours that the sources name', () => {
  const src = join(import.meta.dirname, '../../src');
  const named = readdirSync(src, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').match(/\bCHITTA_[A-Z_]+\b/g) ?? []);
  const listed = rows.flatMap((row) => row.match(/^\| `(CHITTA_[A-Z_]+)`/)?.[1] ?? []);
  expect(listed.sort()).toEqual([...new Set(named)].sort());
});
