import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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

test('the marketplace offers this folder, in the words of the package and with no version of its own', () => {
  const { name, description, license, keywords } = JSON.parse(read('package.json'));
  const { author } = JSON.parse(read('plugin.json'));
  const market = JSON.parse(read('.claude-plugin/marketplace.json'));
  expect(market).toMatchObject({ name, owner: author, metadata: { description } });
  expect(market.plugins).toEqual([
    expect.objectContaining({ name, source: './', description, license, keywords, author }),
  ]);
  expect(market.plugins[0]).not.toHaveProperty('version');
});

test('no option of the plugin has a default there: hooks would not be told of it', () => {
  const { userConfig } = JSON.parse(read('plugin.json'));
  expect(Object.values(userConfig).filter((option) => Object.hasOwn(Object(option), 'default'))).toEqual([]);
});

test('every hook is started without a shell string, by the launcher, with a timeout above its own deadline', () => {
  const { hooks } = JSON.parse(read('hooks/hooks.json'));
  const command = (event: string, timeout: number, more: object = {}): object => ({
    hooks: [
      {
        type: 'command',
        command: 'sh',
        args: ['${CLAUDE_PLUGIN_ROOT}/bin/chitta', 'hook', event],
        timeout,
        ...more,
      },
    ],
  });
  expect(hooks).toEqual({
    SessionStart: [command('session-start', 6)],
    UserPromptSubmit: [command('user-prompt-submit', 3)],
    // They print nothing, and nobody should wait for them.
    Stop: [command('stop', 25, { async: true })],
    SubagentStop: [command('subagent-stop', 25, { async: true })],
    PreCompact: [command('pre-compact', 6)],
    PostCompact: [command('post-compact', 5)],
    SessionEnd: [command('session-end', 3)],
  });
});

test('the MCP server is started by the launcher, and told every option as hooks are', () => {
  const { userConfig } = JSON.parse(read('plugin.json'));
  const env = Object.keys(userConfig).map((key) => [
    `CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`,
    `\${user_config.${key}}`,
  ]);
  expect(JSON.parse(read('.mcp.json'))).toEqual({
    mcpServers: {
      chitta: { command: 'sh', args: ['${CLAUDE_PLUGIN_ROOT}/bin/chitta', 'mcp'], env: Object.fromEntries(env) },
    },
  });
});

const commands = readdirSync(join(root, 'commands'));

test('the plugin has the slash commands status, show, remember, recall and why', () => {
  expect(commands.toSorted()).toEqual(['recall.md', 'remember.md', 'show.md', 'status.md', 'why.md']);
});

test.each(commands)(
  '%s: what is typed behind it is handed over as data, and the model does not start it by itself',
  (name) => {
    const text = read(join('commands', name));
    expect(text).toContain('\ndisable-model-invocation: true\n');
    const [before = '', block = ''] = text.split('```!\n');
    expect(before.replaceAll('${CLAUDE_PLUGIN_ROOT}', '')).not.toContain('$');
    const lines = block.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^sh "\$\{CLAUDE_PLUGIN_ROOT\}\/hooks\/typed" [a-z ]+ <<'END_OF_WHAT_WAS_TYPED'$/);
    expect(lines.slice(1).filter((line) => line !== '$ARGUMENTS')).toEqual([
      'ALL_THAT_WAS_TYPED',
      'END_OF_WHAT_WAS_TYPED',
      '```',
    ]);
    // Nothing else may run without a question, neither by what is typed nor by the model in the turn that follows.
    const [command] = lines[0]!.split(' <<');
    expect(before).toContain(`\nallowed-tools: Bash(${command}:*)\n`);
  },
);

test('each slash command runs a command that there is', () => {
  for (const name of commands) {
    const [, words = ''] = /hooks\/typed" ([a-z ]+) </.exec(read(join('commands', name))) ?? [];
    const { status } = spawnSync(process.execPath, [join(root, 'dist', 'cli.mjs'), ...words.split(' '), '--help']);
    expect([name, status]).toEqual([name, 0]);
  }
});
