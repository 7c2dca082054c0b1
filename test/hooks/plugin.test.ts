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
  const command = (event: string, timeout: number, more: object = {}): object => ({
    hooks: [
      {
        type: 'command',
        command: 'node',
        args: ['${CLAUDE_PLUGIN_ROOT}/dist/cli.mjs', 'hook', event],
        timeout,
        ...more,
      },
    ],
  });
  expect(hooks).toEqual({
    SessionStart: [command('session-start', 10)],
    UserPromptSubmit: [command('user-prompt-submit', 5)],
    // They print nothing, and nobody should wait for them.
    Stop: [command('stop', 60, { async: true })],
    SubagentStop: [command('subagent-stop', 60, { async: true })],
    PreCompact: [command('pre-compact', 10)],
    PostCompact: [command('post-compact', 10)],
    SessionEnd: [command('session-end', 5)],
  });
});
