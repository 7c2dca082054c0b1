/** A database that this process may not use: its folder or file is closed to it, or the native package is missing or of another Node. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeTag } from '../../src/platform/native-places.ts';
import { sqliteIn } from '../../src/platform/native.ts';
import type { Check } from '../../src/ports/check.ts';
import {
  databaseRig,
  expectHarmless,
  expectNamed,
  HOOKS,
  logOf,
  SEED_TURNS,
  TRANSCRIPT_TURNS,
  turnsHeld,
} from './database.ts';
import { giveTo, isRoot, type RunOptions, STRANGER_UID } from './support/machine.ts';

const rig = databaseRig();
const repository = join(import.meta.dirname, '..', '..');

async function checksOf(home: string, options: RunOptions): Promise<Check[]> {
  const { stdout, stderr } = await rig.start(home, ['doctor', '--json'], options);
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { checks: Check[] }).checks;
}

describe.skipIf(process.platform === 'win32')('closed to its user (needs POSIX modes)', () => {
  // Nothing is closed to root.
  const user: RunOptions = isRoot ? { uid: STRANGER_UID } : {};
  const closedHome = async (close: (home: string) => void): Promise<string> => {
    const home = await rig.seededHome();
    if (isRoot) giveTo(STRANGER_UID, home);
    close(home);
    return home;
  };

  /** As its user, who alone may look. */
  const turnsOf = async (home: string): Promise<number> => {
    const { stdout } = await rig.start(home, ['memory', 'stats', '--json'], user);
    return (JSON.parse(stdout) as { turns: number }).turns;
  };

  test('a folder that may only be read is gone without', async () => {
    const home = await closedHome((path) => chmodSync(path, 0o500));
    const names = readdirSync(home);
    for (const event of HOOKS) await expectHarmless(await rig.hook(home, event, user));
    expectNamed(await rig.start(home, ['memory', 'add', 'the port is 9090'], user), /E_STORE_UNAVAILABLE/);
    const checks = await checksOf(home, user);
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'home', state: 'fail', detail: expect.stringContaining('cannot be written') }),
    );
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'memory', state: 'fail', fix: expect.stringContaining('ls -ld') }),
    );
    expect(readdirSync(home)).toEqual(names);
    chmodSync(home, 0o700);
    await expectHarmless(await rig.hook(home, 'stop', user));
    expect(await turnsOf(home)).toBe(SEED_TURNS + TRANSCRIPT_TURNS);
  });

  test('a file that may only be read has what is to be kept spooled', async () => {
    const home = await closedHome((path) => chmodSync(join(path, 'memory.db'), 0o400));
    for (const event of ['user-prompt-submit', 'pre-compact', 'stop']) {
      await expectHarmless(await rig.hook(home, event, user));
    }
    expectNamed(await rig.start(home, ['memory', 'add', 'the port is 9090'], user), /E_STORE_UNAVAILABLE/);
    expect(logOf(home)).toMatch(/records were spooled: memory\.db cannot be used: .*readonly/);
    expect((await checksOf(home, user)).filter(({ name }) => name === 'memory')).toMatchObject([
      { state: 'fail', detail: expect.stringContaining('readonly'), fix: expect.stringContaining('ls -ld') },
      { state: 'warn', detail: expect.stringContaining('wait to be taken in') },
    ]);
    // Its journal was made as it was: doctor names all of them.
    for (const name of readdirSync(home)) chmodSync(join(home, name), 0o600);
    expect(await turnsOf(home)).toBe(SEED_TURNS + TRANSCRIPT_TURNS);
  });

  test.skipIf(!isRoot)('a folder of another user is not used, and nothing is left in it (needs root)', async () => {
    const home = await rig.seededHome();
    const names = readdirSync(home);
    for (const event of ['session-start', 'pre-compact', 'stop']) {
      await expectHarmless(await rig.hook(home, event, { uid: STRANGER_UID }));
    }
    expectNamed(await rig.start(home, ['memory', 'list'], { uid: STRANGER_UID }), /E_STORE_UNAVAILABLE/);
    expect(readdirSync(home)).toEqual(names);
  });
});

/** The builds of better-sqlite3 on this machine that are for another Node than this one. */
function otherBuilds(): string[] {
  const native = join(repository, 'native');
  const tags = existsSync(native) ? readdirSync(native) : [];
  const own = join(
    dirname(createRequire(import.meta.url).resolve('better-sqlite3')),
    '../build/Release/better_sqlite3.node',
  );
  const others = tags
    .filter((tag) => tag.startsWith('node-v') && tag !== nodeTag())
    .map((tag) => join(native, tag, 'better_sqlite3.node'));
  // Where tests run with another Node than the one it was installed with, the package's own is one.
  return [...others, ...(tags.includes(nodeTag()) ? [own] : [])].filter((path) => existsSync(path));
}

/** chitta as it is built, with no node_modules above it; answers its command line. */
function copyOfChitta(name: string): { root: string; cli: string } {
  const root = join(rig.folder, name);
  mkdirSync(root);
  for (const part of ['dist', 'package.json']) cpSync(join(repository, part), join(root, part), { recursive: true });
  symlinkSync(join(repository, 'models'), join(root, 'models'));
  return { root, cli: join(root, 'dist', 'cli.mjs') };
}

/** Puts better-sqlite3 beside it, with this file as its native build, or with none. */
function installSqlite(root: string, build: string | undefined): void {
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
    const from = join(repository, 'node_modules', name);
    if (!existsSync(from)) continue;
    cpSync(from, join(root, 'node_modules', name), {
      recursive: true,
      filter: (path) => !/better-sqlite3\/(?:build|deps|src)(?:\/|$)/.test(path),
    });
  }
  if (build === undefined) return;
  const folder = join(root, 'node_modules', 'better-sqlite3', 'build', 'Release');
  mkdirSync(folder, { recursive: true });
  cpSync(build, join(folder, 'better_sqlite3.node'));
}

describe('without a native package that works', () => {
  const [other] = otherBuilds();
  /** Once the package is there, nothing is missing. */
  const ALL = SEED_TURNS + TRANSCRIPT_TURNS;

  /** Runs everything with a chitta whose package is not usable, and answers what is to be held when there is one again. */
  async function goWithout(cli: string, reason: RegExp, fix: RegExp): Promise<number> {
    const home = await rig.seededHome();
    for (const event of HOOKS) await expectHarmless(await rig.hook(home, event, { cli }));
    const listed = await rig.start(home, ['memory', 'list'], { cli });
    expectNamed(listed, /E_STORE_UNAVAILABLE/);
    expect(listed.stderr).toMatch(reason);
    expect(logOf(home)).toMatch(/19 of 19 records were spooled: memory\.db cannot be used: better-sqlite3 /);
    const checks = await checksOf(home, { cli });
    for (const [name, state] of [
      ['better-sqlite3', 'warn'],
      ['memory', 'fail'],
    ]) {
      const check = checks.find((one) => one.name === name);
      expect(check).toMatchObject({ state, detail: expect.stringMatching(reason), fix: expect.stringMatching(fix) });
    }
    return turnsHeld(home);
  }

  test('that is missing, hooks go on and doctor says how to install it', async () => {
    const { cli } = copyOfChitta('missing');
    expect(await goWithout(cli, /better-sqlite3 is not installed/, /^chitta setup$/)).toBe(ALL);
  });

  test('that was installed without its build, hooks go on and doctor says how to install it', async () => {
    const { root, cli } = copyOfChitta('unbuilt');
    installSqlite(root, undefined);
    expect(await goWithout(cli, /installed without its native build/, /^chitta setup$/)).toBe(ALL);
  });

  test.skipIf(other === undefined)(
    'that is built for another Node, hooks go on and doctor says how to build it anew (needs such a build in native/)',
    async () => {
      const { root, cli } = copyOfChitta('other-abi');
      installSqlite(root, other);
      expect(await sqliteIn(root)).toMatchObject({ state: 'wrong-abi' });
      expect(await goWithout(cli, /built for another Node/, /chitta setup, or npm rebuild better-sqlite3/)).toBe(ALL);
    },
  );
});
