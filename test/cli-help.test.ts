/** Help, version, and the pages made from them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../src/errors.ts';
import { cliRig, hasProgram } from './support/cli.ts';

const rig = cliRig();
const repository = join(import.meta.dirname, '..');
const page = (name: string): string => readFileSync(join(repository, 'docs', name), 'utf8');
const hasScript = hasProgram('script');

test('docs/errors.md lists every code with its exit code and meaning, and no other', () => {
  const rows = [...page('errors.md').matchAll(/^\| `(E_\w+)` \| (\d) \| (.+) \|$/gm)];
  const listed = rows.map(([, code, exit, summary]) => [code, Number(exit), summary]);
  expect(listed).toEqual(Object.entries(ERROR_CODES).map(([code, { exit, summary }]) => [code, exit, summary]));
});

describe('help', () => {
  const { stdout: all } = spawnSync(process.execPath, [join(repository, 'dist', 'cli.mjs'), '--help'], {
    encoding: 'utf8',
  });
  const commands = [...all.matchAll(/^ {2}(\w+) {2,}[a-z]/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help');

  test('names the commands', () => {
    expect(commands).toEqual(expect.arrayContaining(['compact', 'transcript', 'hook', 'config', 'doctor']));
  });

  test.each(commands)('chitta %s --help says what for, how, and gives examples', async (command) => {
    const { stdout, stderr, exitCode } = await rig.run([command, '--help']);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toMatch(new RegExp(`^[A-Z].+\\.\n\nUsage: chitta ${command}\\b`));
    expect(stdout).toContain(`\nExamples:\n  chitta `);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test('chitta help COMMAND says the same as chitta COMMAND --help', async () => {
    const [asWord, asOption] = await Promise.all([rig.run(['help', 'compact']), rig.run(['compact', '--help'])]);
    expect(asWord).toEqual(asOption);
  });
});

test.skipIf(!hasScript)('on a terminal, no arguments are a question for help (needs script)', async () => {
  const { stdout } = await rig.shell(
    `script -qec '${process.execPath} ${join(repository, 'dist', 'cli.mjs')}' /dev/null`,
  );
  expect(stdout.replaceAll('\r', '')).toBe((await rig.run(['--help'])).stdout);
});

test('says its version', async () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  expect(await rig.run(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', exitCode: 0 });
});
