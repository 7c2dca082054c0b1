/** With a `claude` that answers as Claude Code was seen to. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pluginsIn } from '../../src/platform/claude.ts';
import { pluginProbe } from '../../src/platform/plugin-probe.ts';
import type { Check } from '../../src/ports/check.ts';

let work: string;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'chitta-probe-'));
  mkdirSync(join(work, 'bin'));
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

interface Given {
  readonly listed?: unknown;
  readonly version?: string;
  readonly launcher?: string;
  readonly mode?: 'guide' | 'replace';
  readonly mcp?: boolean;
}

const ANSWERS = `[ "$1" = mcp ] && echo '{"result":{"instructions":""}}' || echo 0.1.0`;

async function checks({
  listed = [],
  version = '2.1.332',
  launcher = ANSWERS,
  mode = 'guide',
  mcp = true,
}: Given): Promise<readonly Check[]> {
  const claude = join(work, 'bin', 'claude');
  writeFileSync(join(work, 'listed'), typeof listed === 'string' ? listed : JSON.stringify(listed));
  writeFileSync(claude, `#!/bin/sh\n[ "$1" = --version ] && echo '${version} (Claude Code)' || cat '${work}/listed'\n`);
  chmodSync(claude, 0o755);
  mkdirSync(join(work, 'plugin', 'bin'), { recursive: true });
  writeFileSync(join(work, 'plugin', 'bin', 'chitta'), `${launcher}\n`);
  writeFileSync(join(work, 'plugin', '.mcp.json'), '{}');
  const env = { PATH: [join(work, 'bin'), '/usr/bin', '/bin', dirname(process.execPath)].join(delimiter) };
  return pluginProbe({ env, cwd: work, version: '0.1.0', settings: () => ({ mode, mcp }) }).run();
}

const entry = (more: object = {}): object => {
  return {
    id: 'chitta@chitta',
    version: '0.1.0',
    scope: 'user',
    enabled: true,
    installPath: join(work, 'plugin'),
    ...more,
  };
};

describe.skipIf(process.platform === 'win32')('the plugin in Claude Code (needs a POSIX shell)', () => {
  test('that is installed, switched on and answers is well', async () => {
    expect(await checks({ listed: [{ id: 'other@x' }, entry()] })).toEqual([
      { name: 'plugin', state: 'ok', detail: 'chitta@chitta 0.1.0, scope user' },
      { name: 'hooks', state: 'ok', detail: `answer from ${join(work, 'plugin')}` },
      { name: 'mcp', state: 'ok', detail: 'the server answers' },
      { name: 'mode', state: 'ok', detail: 'guide' },
    ]);
  });

  test.each<[string, () => Given, Partial<Check>]>([
    ['not installed', () => ({}), { name: 'plugin', state: 'warn', fix: 'chitta install' }],
    [
      'installed for another project',
      () => ({ listed: [entry({ scope: 'project', projectPath: '/other' })] }),
      { state: 'warn', detail: 'not installed in Claude Code' },
    ],
    [
      'switched off',
      () => ({ listed: [entry({ enabled: false })] }),
      { state: 'warn', fix: 'claude plugin enable chitta@chitta --scope user' },
    ],
    [
      'of another version',
      () => ({ listed: [entry({ version: '0.0.9' })] }),
      { state: 'warn', detail: 'chitta@chitta 0.0.9, scope user: this is 0.1.0', fix: 'chitta install' },
    ],
    ['a list that is not JSON', () => ({ listed: 'oops' }), { name: 'plugin', state: 'warn', fix: 'claude doctor' }],
  ])('%s', async (_name, given, wanted) => {
    expect((await checks(given()))[0]).toMatchObject(wanted);
  });

  test('hooks that cannot be answered fail the whole, with the reason', async () => {
    const found = await checks({ listed: [entry()], launcher: "echo 'chitta: there is no node' >&2; exit 127" });
    expect(found[1]).toMatchObject({ name: 'hooks', state: 'fail', detail: 'cannot answer: chitta: there is no node' });
  });

  test('a server that cannot be started, or offers nothing, fails; one that is switched off is not started', async () => {
    const broken = await checks({ listed: [entry()], launcher: "echo 'chitta: there is no node' >&2; exit 0" });
    expect(broken[2]).toMatchObject({
      name: 'mcp',
      state: 'fail',
      detail: expect.stringContaining('there is no node'),
    });
    const off = await checks({ listed: [entry()], launcher: 'echo 0.1.0', mcp: false });
    expect(off[2]).toMatchObject({ name: 'mcp', state: 'ok', detail: expect.stringContaining('switched off') });
  });

  test.each([
    ['2.1.286', 'warn'],
    ['2.1.287', 'ok'],
    ['3.0.0', 'ok'],
    ['2.1.197', 'warn'],
  ])('mode replace with Claude Code %s: %s', async (version, state) => {
    expect((await checks({ listed: [entry()], version, mode: 'replace' })).at(-1)).toMatchObject({
      name: 'mode',
      state,
    });
  });
});

test('of what the host lists, only entries of ours are taken, whatever else they hold', () => {
  const listed = [
    null,
    3,
    { id: 'chitta' },
    { id: 'chitta@x', version: 7, enabled: 'yes', readFromFolder: '/a', installPath: '/b' },
  ];
  expect(pluginsIn(JSON.stringify(listed))).toEqual([
    { id: 'chitta@x', version: 'unknown', scope: 'user', enabled: false, folder: '/a', copy: '/b', project: undefined },
  ]);
});
