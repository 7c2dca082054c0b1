/** scripts/prepare.mjs in a checkout of its own: one local dependency, and a build that notes each run in a journal. */
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const script = join(import.meta.dirname, '..', '..', 'scripts', 'prepare.mjs');

const BUILD = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('journal', 'built\\n');
mkdirSync('dist', { recursive: true });
for (const name of ['cli.mjs', 'hook.cjs', 'hook-script.cjs', 'index.mjs', 'index.d.mts']) writeFileSync('dist/' + name, '');
`;

let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'chitta-prepare-'));
  const manifest = { name: 'made-up', version: '1.0.0', dependencies: { leaf: 'file:leaf' } };
  const packages = { '': manifest, leaf: { version: '1.0.0' }, 'node_modules/leaf': { resolved: 'leaf', link: true } };
  const files = {
    'package.json': { ...manifest, type: 'module', scripts: { build: 'node build.mjs' } },
    'package-lock.json': { name: 'made-up', version: '1.0.0', lockfileVersion: 3, requires: true, packages },
    'leaf/package.json': { name: 'leaf', version: '1.0.0' },
    'tsconfig.json': {},
  };
  for (const folder of ['src', 'scripts', 'leaf']) mkdirSync(join(checkout, folder));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(checkout, name), JSON.stringify(content));
  writeFileSync(join(checkout, 'src', 'index.ts'), 'export const one = 1;');
  writeFileSync(join(checkout, 'tsdown.config.ts'), '');
  writeFileSync(join(checkout, 'build.mjs'), BUILD);
  writeFileSync(join(checkout, 'scripts', 'hook-script.mjs'), '');
  copyFileSync(script, join(checkout, 'scripts', 'prepare.mjs'));
});

afterEach(() => {
  rmSync(checkout, { recursive: true, force: true });
});

/** What npm notes down at the end of an install. */
function install(): void {
  mkdirSync(join(checkout, 'node_modules'));
  writeFileSync(join(checkout, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: {} }));
}

function prepare(): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, npm_config_offline: 'true', npm_config_cache: join(checkout, 'npm-cache') };
    const child = spawn(process.execPath, [join('scripts', 'prepare.mjs')], { cwd: checkout, env });
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    child.on('close', (code) => resolve({ code, said }));
  });
}

const builds = (): number => readFileSync(join(checkout, 'journal'), 'utf8').split('\n').length - 1;

test('installs and builds a fresh checkout, then has nothing to do and nothing to say', async () => {
  const first = await prepare();
  expect(first).toMatchObject({ code: 0, said: expect.stringMatching(/^installing .*\nbuilding …\n$/) });
  expect(await prepare()).toEqual({ code: 0, said: '' });
  expect(builds()).toBe(1);
});

test('takes what a plain npm install left as installed, and builds when a source changed or the build is gone', async () => {
  install();
  expect(await prepare()).toEqual({ code: 0, said: 'building …\n' });
  writeFileSync(join(checkout, 'src', 'index.ts'), 'export const one = 2;');
  expect(await prepare()).toEqual({ code: 0, said: 'building …\n' });
  rmSync(join(checkout, 'dist'), { recursive: true });
  expect(await prepare()).toEqual({ code: 0, said: 'building …\n' });
});

test('two at once build once', async () => {
  install();
  const both = await Promise.all([prepare(), prepare()]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(builds()).toBe(1);
});

test('takes over from one that was killed', async () => {
  install();
  mkdirSync(join(checkout, '.cache'));
  // A process id that no system gives out.
  writeFileSync(join(checkout, '.cache', 'prepare.lock'), '999999999');
  expect(await prepare()).toMatchObject({ code: 0 });
});

test('a build that fails says so, shows why, and says what to try', async () => {
  install();
  writeFileSync(join(checkout, 'build.mjs'), "process.stderr.write('line 3: no such thing\\n'); process.exit(2);");
  const { code, said } = await prepare();
  expect(code).toBe(1);
  expect(said).toContain('line 3: no such thing\n');
  expect(said).toMatch(/`npm run --silent build` failed \(exit 2\)\ntry: /);
});

test('does not install through a link, which would empty the packages of another checkout', async () => {
  const others = join(checkout, 'others');
  mkdirSync(join(others, 'left-alone'), { recursive: true });
  symlinkSync(others, join(checkout, 'node_modules'));
  const { code, said } = await prepare();
  expect(code).toBe(1);
  expect(said).toMatch(/node_modules is a link.*\ntry: /);
  expect(existsSync(join(others, 'left-alone'))).toBe(true);
});
