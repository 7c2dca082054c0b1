/** The packed file, installed where nothing else is: what a user gets, without the optional native packages. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';

const repository = join(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'chitta-package-'));
const folder = join(work, 'empty');
const installed = join(folder, 'node_modules', 'chitta');
const session = join(folder, 'session.jsonl');

// Nothing of this machine's npm settings, cache or chitta: a first install on a machine that is offline.
const env = {
  PATH: process.env['PATH'],
  HOME: work,
  CHITTA_HOME: join(work, 'chitta-home'),
  CHITTA_RUNTIME_DIR: '/dev/null',
  npm_config_cache: join(work, 'npm-cache'),
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
};

function run(file: string, argv: readonly string[], input = ''): string {
  return execFileSync(file, argv, { cwd: folder, env, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
}

function chitta(argv: readonly string[], input = ''): string {
  return run(join(folder, 'node_modules', '.bin', 'chitta'), argv, input);
}

beforeAll(() => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  copyFileSync(join(repository, 'demo', 'session.jsonl'), session);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work], {
    cwd: repository,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [tarball = 'nothing was packed'] = readdirSync(work).filter((name) => name.endsWith('.tgz'));
  run('npm', ['install', '--omit=optional', '--no-audit', '--no-fund', join(work, tarball)]);
}, 120_000);

afterAll(() => {
  rmSync(work, { recursive: true, force: true });
});

test('installs offline with nothing beside it', () => {
  const packages = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(packages).toEqual(['chitta']);
});

test('holds what runs, its licences and its documents, and no sources, tests or measurements', () => {
  const top = readdirSync(installed).sort();
  expect(top).toEqual(
    expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'NOTICE', 'README.md', 'dist', 'package.json']),
  );
  expect(top.filter((name) => ['src', 'test', 'bench', 'scripts', 'vendor', 'node_modules'].includes(name))).toEqual(
    [],
  );
});

test('names the licence of every package bundled into it', () => {
  const notice = readFileSync(join(installed, 'NOTICE'), 'utf8');
  const bundled = new Set<string>();
  for (const name of readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.mjs'))) {
    const code = readFileSync(join(installed, 'dist', name), 'utf8');
    for (const [, found = ''] of code.matchAll(/^\/\/#region .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm))
      bundled.add(found);
  }
  // The bundler marks where each module begins; without marks this test would see nothing.
  expect([...bundled]).toContain('commander');
  expect([...bundled].filter((name) => !notice.includes(`\n${name} `))).toEqual([]);
});

test('says its version', () => {
  // The manifest is ours: an object with a version.
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  expect(chitta(['--version']).trim()).toBe(version);
});

test('compacts a transcript on the command line', () => {
  const { messages, stats } = JSON.parse(chitta(['compact', session, '--ratio', '0.3', '--json']));
  expect(messages.length).toBeGreaterThan(0);
  expect(stats.after_tokens).toBeLessThanOrEqual(stats.before_tokens * 0.3);
});

test('answers JSON-RPC on standard input', () => {
  const messages = [{ role: 'user', content: 'Where does the queue start?' }];
  const params = { name: 'compact_context', arguments: { messages } };
  const reply = JSON.parse(chitta([], JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })));
  expect(reply).toMatchObject({ id: 7, result: { messages, stats: { dropped: 0 } } });
});

test('is a library with types', () => {
  const program = `
    import { compactContext } from 'chitta';
    const messages = [{ role: 'user', content: 'hello' }];
    const result = await compactContext({ messages });
    const dropped: number = result.stats.dropped;
    const same: boolean = result.messages[0] === messages[0];
    process.stdout.write(JSON.stringify({ dropped, same }));
  `;
  writeFileSync(join(folder, 'program.mts'), program);
  const settings = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
  const typeRoots = ['--typeRoots', join(repository, 'node_modules', '@types')];
  run(join(repository, 'node_modules', '.bin', 'tsc'), [...settings, ...typeRoots, 'program.mts']);
  expect(JSON.parse(run(process.execPath, ['program.mjs']))).toEqual({ dropped: 0, same: true });
});

test.each([
  ['estimateTokens', 16_000],
  ['enforceToolRoundTrips', 32_000],
  ['planCompaction', 80_000],
  ['shapeRequest', 80_000],
])('a bundler takes of it for %s only what it needs, and nothing native', async (name, most) => {
  const bundle = await rolldown({
    input: 'program',
    platform: 'node',
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? id : id === 'chitta' ? join(installed, 'dist', 'index.mjs') : null),
        load: (id) => (id === 'program' ? `export { ${name} } from 'chitta';` : null),
      },
    ],
  });
  const { output } = await bundle.generate({ minify: true });
  expect(output).toHaveLength(1);
  expect(output[0].code.length).toBeLessThan(most);
  expect(output[0].code).not.toMatch(/better-sqlite3|node-llama-cpp|child_process|node:net/);
});
