/** With an `npm` that copies what is installed here instead of fetching it. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteIn } from '../../src/platform/native.ts';
import { nodeTag, otherFolders, setUpForOthers, setupFolder } from '../../src/platform/native-places.ts';
import { nativeSetup } from '../../src/platform/native-setup.ts';
import type { Env } from '../../src/platform/env.ts';

const repository = join(import.meta.dirname, '..', '..');
const isHere = (await sqliteIn(repository))?.state === 'ok';

let work: string;
let env: Env;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'chitta-setup-'));
  env = { PATH: [join(work, 'bin'), dirname(process.execPath)].join(delimiter), CHITTA_HOME: join(work, 'home') };
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

function npmThat(program: string): void {
  mkdirSync(join(work, 'bin'));
  const path = join(work, 'bin', 'npm');
  writeFileSync(path, `#!${process.execPath}\nconst argv = process.argv.slice(2);\n${program}`);
  chmodSync(path, 0o755);
}

const COPIES = `
const { cpSync, writeFileSync } = require('node:fs');
writeFileSync(${JSON.stringify('WORK')} + '/asked', JSON.stringify(argv));
for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
  cpSync(${JSON.stringify(join(repository, 'node_modules'))} + '/' + name, 'node_modules/' + name, { recursive: true });
}`;

describe.skipIf(process.platform === 'win32')('installing (needs a POSIX shell)', () => {
  test.skipIf(!isHere)(
    'puts a package that works in its place, private, and answers its size (needs the package installed)',
    async () => {
      npmThat(COPIES.replace('WORK', work));
      const setup = nativeSetup(env);
      expect(setup.folder).toBe(join(work, 'home', 'native'));
      expect(await setup.install('better-sqlite3')).toBeGreaterThan(1_000_000);
      const folder = join(setup.folder, nodeTag());
      expect(await sqliteIn(folder)).toMatchObject({ state: 'ok' });
      expect(readdirSync(setup.folder)).toEqual([nodeTag()]);
      const { optionalDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
      const asked: string[] = JSON.parse(readFileSync(join(work, 'asked'), 'utf8'));
      expect(asked.at(-1)).toBe(`better-sqlite3@${optionalDependencies['better-sqlite3']}`);
    },
  );

  test('asks for one build of llama.cpp by name and for no other', async () => {
    npmThat(`require('node:fs').writeFileSync('${work}/asked', JSON.stringify(argv)); process.exit(1);`);
    await nativeSetup(env)
      .install('node-llama-cpp')
      .catch(() => undefined);
    const asked: string[] = JSON.parse(readFileSync(join(work, 'asked'), 'utf8'));
    expect(asked).toEqual(expect.arrayContaining(['--omit=optional', '--ignore-scripts']));
    expect(asked.filter((word) => word.includes('@node-llama-cpp/')).length).toBeLessThanOrEqual(1);
  });

  test('what npm says is in the error, and nothing is left', async () => {
    npmThat("process.stderr.write('npm error no network\\n'); process.exit(1);");
    const setup = nativeSetup(env);
    await expect(setup.install('better-sqlite3')).rejects.toMatchObject({
      code: 'E_SETUP',
      message: expect.stringContaining('npm error no network'),
    });
    expect(readdirSync(setup.folder)).toEqual([]);
  });

  test('a package that was installed but does not work is an error, and what was there before stays', async () => {
    npmThat(`const { mkdirSync, writeFileSync } = require('node:fs');
      mkdirSync('node_modules/better-sqlite3', { recursive: true });
      writeFileSync('node_modules/better-sqlite3/index.js', 'throw new Error("built for a toaster")');`);
    const setup = nativeSetup(env);
    const before = join(setup.folder, nodeTag(), 'was-here');
    mkdirSync(dirname(before), { recursive: true, mode: 0o700 });
    writeFileSync(before, '');
    await expect(setup.install('better-sqlite3')).rejects.toMatchObject({
      message: expect.stringContaining('built for a toaster'),
    });
    expect(existsSync(before)).toBe(true);
  });

  test('without npm the error names it', async () => {
    await expect(nativeSetup({ ...env, PATH: '' }).install('better-sqlite3')).rejects.toMatchObject({
      code: 'E_SETUP',
      hint: expect.stringContaining('npm on the PATH'),
    });
  });
});

describe('where native packages are looked for', () => {
  const HOME = '/home/me/.local/share/chitta';
  const cached = '/home/me/.claude/plugins/cache/market/chitta/0.1.0';

  test.each<[string, Env, string, string]>([
    ['a package or a checkout', {}, '/opt/chitta', `${HOME}/native`],
    ['a hook', { CLAUDE_PLUGIN_DATA: '/d/chitta-inline' }, '/opt/chitta', '/d/chitta-inline/native'],
    ['another plugin’s hook', { CLAUDE_PLUGIN_DATA: '/d/other-market' }, '/opt/chitta', `${HOME}/native`],
    ['the plugin, told nothing', {}, cached, '/home/me/.claude/plugins/data/chitta-market/native'],
  ])('setup of %s', (_name, more, root, folder) => {
    expect(setupFolder({ CHITTA_HOME: HOME, ...more }, root)).toBe(folder);
  });

  test('what is set up for the plugin goes first, then chitta’s home', () => {
    const folders = otherFolders({ CHITTA_HOME: HOME, HOME: work }, cached);
    const data = '/home/me/.claude/plugins/data/chitta-market/native';
    expect(folders).toEqual([data, `${HOME}/native`].flatMap((base) => [join(base, nodeTag()), join(base, 'llama')]));
  });

  test('then all folders for data that the host keeps for a plugin of this name', () => {
    const config = join(work, 'config');
    const data = join(config, 'plugins', 'data');
    for (const name of ['chitta-inline', 'chitta-market', 'other-market'])
      mkdirSync(join(data, name), { recursive: true });
    const folders = otherFolders({ CHITTA_HOME: HOME, CLAUDE_CONFIG_DIR: config }, '/opt/chitta');
    const wanted = [HOME, join(data, 'chitta-inline'), join(data, 'chitta-market')];
    expect(folders.filter((folder) => folder.endsWith(nodeTag()))).toEqual(
      wanted.map((base) => join(base, 'native', nodeTag())),
    );
  });

  test('what was set up for another Node is told, not used', async () => {
    const native = join(work, 'home', 'native');
    for (const tag of ['node-v115', 'node-v141', 'node-v999'].map(
      (abi) => `${abi}-${process.platform}-${process.arch}`,
    )) {
      if (tag !== nodeTag()) mkdirSync(join(native, tag, 'node_modules', 'better-sqlite3'), { recursive: true });
    }
    mkdirSync(join(native, 'node-v141-plan9-mips', 'node_modules', 'better-sqlite3'), { recursive: true });
    const others = setUpForOthers({ ...env, HOME: work }, work);
    expect(others).toEqual(['20', '25', 'with ABI 999'].filter((name) => !process.version.startsWith(`v${name}.`)));
    expect(setUpForOthers({ CHITTA_HOME: join(work, 'none'), HOME: work }, work)).toEqual([]);
  });

  test('a copy of a package looks beside the package, too', () => {
    writeFileSync(join(work, 'installed-from'), '/opt/chitta\n');
    expect(otherFolders({ CHITTA_HOME: HOME, HOME: work }, work)[0]).toBe('/opt/chitta');
  });
});
