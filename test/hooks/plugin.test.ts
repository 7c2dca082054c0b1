import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('the manifest that Claude Code reads is the one at the top', () => {
  expect(read('.claude-plugin/plugin.json')).toBe(read('plugin.json'));
});

test('the plugin says of itself what the package says', () => {
  const manifest = JSON.parse(read('plugin.json'));
  const { name, version, description, license, keywords } = JSON.parse(read('package.json'));
  expect(manifest).toMatchObject({ name, version, description, license, keywords });
});

test('every hook is started without a shell, from the built file, with a timeout above its own deadline', () => {
  const { hooks } = JSON.parse(read('hooks/hooks.json'));
  expect(Object.keys(hooks)).toEqual(['PreCompact']);
  expect(hooks.PreCompact).toEqual([
    {
      hooks: [
        {
          type: 'command',
          command: 'node',
          args: ['${CLAUDE_PLUGIN_ROOT}/dist/cli.mjs', 'hook', 'pre-compact'],
          timeout: 10,
        },
      ],
    },
  ]);
});
