/** With no `claude` on the PATH, or one that keeps what it is told in a file. The real one: test/e2e/install.e2e.ts. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addInstallCommand, addUninstallCommand, renderUninstall } from '../../src/commands/install.ts';
import { addSetupCommand, renderSetup } from '../../src/commands/setup.ts';
import { styleFor } from '../../src/terminal/style.ts';
import { type Bench, benchFor } from './context.ts';

let bench: Bench;
beforeEach(() => {
  bench = benchFor(
    (program, ctx) => {
      addInstallCommand(program, ctx);
      addUninstallCommand(program, ctx);
      addSetupCommand(program, ctx);
    },
    { PATH: '' },
  );
});
afterEach(() => {
  bench.remove();
  // What a command left to a person is its exit code, not this test run's.
  process.exitCode = undefined;
});

describe('without Claude Code', () => {
  test('install puts the files in place, says what to type, and exits 1', async () => {
    const said = await bench.run('install');
    expect(said).toContain(`claude plugin marketplace add ${join(bench.home, 'plugin')}\n`);
    expect(said).toContain('claude plugin install chitta@chitta --scope user\n');
    expect(existsSync(join(bench.home, 'plugin', '.claude-plugin', 'marketplace.json'))).toBe(true);
    expect(process.exitCode).toBe(1);
  });

  test('the mode is kept all the same', async () => {
    await bench.run('install', '--mode', 'replace');
    expect(JSON.parse(readFileSync(join(bench.home, 'config.json'), 'utf8'))).toEqual({ mode: 'replace' });
  });

  test('uninstall removes what is chitta’s, and says what to type', async () => {
    await bench.run('install');
    const said = await bench.run('uninstall');
    expect(said).toContain('claude plugin uninstall chitta@chitta\n');
    expect(existsSync(join(bench.home, 'plugin'))).toBe(false);
    expect(process.exitCode).toBe(1);
  });
});

test('--mcp off leaves the tools out of the next session, on brings them back, and mode stays as it was', async () => {
  const saved = (): unknown => JSON.parse(readFileSync(join(bench.home, 'config.json'), 'utf8'));
  await bench.run('install', '--mode', 'replace');
  await bench.run('install', '--mcp', 'off');
  expect(saved()).toEqual({ mode: 'replace', mcp: false });
  await bench.run('install');
  expect(saved()).toEqual({ mode: 'replace', mcp: false });
  await bench.run('install', '--mcp', 'on');
  expect(saved()).toEqual({ mode: 'replace', mcp: true });
  expect(bench.said.err).toBe('');
});

test('--mcp on is said to have no effect where the project leaves it out', async () => {
  writeFileSync(join(bench.project, '.chitta.json'), '{"mcp": false}');
  await bench.run('install', '--mcp', 'on');
  expect(bench.said.err).toBe('chitta: saved, but mcp stays false: .chitta.json goes before your file\n');
});

test.each([
  ['install', '--scope', 'local'],
  ['install', '--mode', 'both'],
  ['install', '--mcp', 'maybe'],
])('%s %s %s is wrong usage', async (...words) => {
  await expect(bench.run(...words)).rejects.toThrow('is invalid');
});

test.skipIf(process.platform === 'win32')(
  'as JSON, the plugin as Claude Code has it (needs a POSIX shell)',
  async () => {
    const bin = join(bench.project, 'bin');
    mkdirSync(bin);
    const listed = join(bench.project, 'listed');
    const entry = {
      id: 'chitta@chitta',
      version: '0.1.0',
      scope: 'user',
      enabled: true,
      installPath: '/cache/chitta/chitta/0.1.0',
    };
    writeFileSync(listed, '[]');
    const script = `#!/bin/sh
case "$*" in
--version) echo '2.1.332 (Claude Code)' ;;
'plugin list --json') cat '${listed}' ;;
'plugin marketplace list --json') echo '[]' ;;
'plugin install chitta@chitta --scope user') echo '${JSON.stringify([entry])}' > '${listed}' ;;
esac
`;
    writeFileSync(join(bin, 'claude'), script);
    chmodSync(join(bin, 'claude'), 0o755);
    const PATH = [bin, '/usr/bin', '/bin', dirname(process.execPath)].join(delimiter);
    const using = benchFor(addInstallCommand, { PATH });
    expect(JSON.parse(await using.run('install', '--json'))).toEqual({
      state: 'installed',
      host: '2.1.332 (Claude Code)',
      plugin: {
        id: 'chitta@chitta',
        version: '0.1.0',
        scope: 'user',
        enabled: true,
        folder: '/cache/chitta/chitta/0.1.0',
        copy: '/cache/chitta/chitta/0.1.0',
      },
      steps: [],
    });
    expect(await using.run('install')).toMatchInlineSnapshot(`
      "chitta@chitta 0.1.0, scope user, was installed already.
      Claude Code 2.1.332 (Claude Code) calls it from its next session on, in mode guide.
      Its MCP server offers the model tools to recall and remember; --mcp off leaves it out.
      "
    `);
    // What is said is what holds then, now and when it is typed again.
    for (const words of [['--mode', 'replace', '--mcp', 'off'], []]) {
      expect(await using.run('install', ...words)).toContain(`from its next session on, in mode replace.
Its MCP server is left out; --mcp on gives`);
    }
    using.remove();
  },
);

test('what uninstall did, for a person', () => {
  const plugin = {
    id: 'chitta@chitta',
    version: '1',
    scope: 'user',
    enabled: true,
    folder: undefined,
    copy: undefined,
    project: undefined,
  };
  expect(
    renderUninstall({ host: '2', plugins: [plugin], removed: ['/h/config.json'], kept: ['/h/memory.db'], steps: [] }),
  ).toMatchInlineSnapshot(`
    "Taken out of Claude Code:
        chitta@chitta, scope user

    Removed:
        /h/config.json

    Left in place (--purge removes the database):
        /h/memory.db
    "
  `);
  expect(renderUninstall({ host: '2', plugins: [], removed: [], kept: [], steps: [] })).toBe(
    'There was nothing to remove.\n',
  );
});

test('setup --check as JSON names both packages and where they would go', async () => {
  const result = JSON.parse(await bench.run('setup', '--check', '--json'));
  expect(result.folder).toBe(join(bench.home, 'native'));
  expect(result.parts.map(({ name }: { name: string }) => name)).toEqual(['better-sqlite3', 'node-llama-cpp']);
  expect(process.exitCode).toBe(result.ok ? undefined : 1);
});

test('what setup did, for a person: a line for each package, and nothing steers the terminal', () => {
  const parts = [
    { name: 'a', purpose: 'memory', state: 'installed', detail: '34 MB' },
    { name: 'bb', purpose: 'embeddings', state: 'failed', detail: 'no \u001b[31mcompiler\ntry: get one' },
  ] as const;
  expect(renderSetup({ ok: false, folder: '/d', parts }, styleFor({}, {}))).toMatchInlineSnapshot(`
    "installed  a   memory: 34 MB
    failed     bb  embeddings: no compiler
        try: get one
    "
  `);
});
