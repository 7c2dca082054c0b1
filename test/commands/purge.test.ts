import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import { purgedNotes, renderCounts } from '../../src/commands/purge.ts';
import { duration } from '../../src/commands/times.ts';
import { CLI, cliRig } from '../support/cli.ts';

const NONE = { memories: 0, directives: 0, turns: 0, episodes: 0, prompts: 0, summaries: 0 };

test.each([
  ['12h', 12 * 3_600_000],
  ['30d', 30 * 86_400_000],
  ['2w', 14 * 86_400_000],
  ['1y', 365 * 86_400_000],
])('%s is a time', (text, ms) => {
  expect(duration(text)).toBe(ms);
});

test.each(['', '0d', '-1d', '5', '5m', '1.5d', 'd', '1d ', '123456d'])('%j is no time', (text) => {
  expect(() => duration(text)).toThrow(InvalidArgumentError);
});

test('counts are said in words, and what is left to do', () => {
  expect(renderCounts(NONE)).toBe('nothing');
  expect(renderCounts({ ...NONE, memories: 1, turns: 140 })).toBe('1 memory, 140 archived turns');
  expect(purgedNotes({ counts: NONE, removedFiles: ['memory.db.backup-v1'], erased: false })).toEqual([
    'removed: nothing',
    'deleted: memory.db.backup-v1',
    expect.stringContaining('run the same again'),
  ]);
});

describe('chitta purge', () => {
  const rig = cliRig();
  const home = rig.env['CHITTA_HOME'] ?? '';
  const holds = (text: string): string[] =>
    readdirSync(home).filter((name) => readFileSync(join(home, name)).includes(text));

  test.each([
    ['nothing that says what', ['purge', '--yes'], 'say what to remove'],
    ['two scopes', ['purge', '--all', '--session', 'x', '--yes'], 'cannot be used with'],
    ['no terminal and no --yes', ['purge', '--all'], 'no terminal to ask on'],
    ['a time that is none', ['purge', '--older-than', 'yesterday'], 'It must be a number and a unit'],
    ['an empty session', ['purge', '--session', '', '--yes'], 'the session has no id'],
  ])('with %s is wrong usage, and removes nothing', async (_, args, problem) => {
    const { exitCode, stderr } = await rig.run(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  test('of a project leaves other projects and what is for all', async () => {
    const other = join(rig.folder, 'other');
    mkdirSync(other);
    await rig.run(['memory', 'add', 'gnomon is of this project']);
    await rig.run(['directives', 'add', 'gnomon rules']);
    await rig.run(['memory', 'add', 'obelus is of another'], { cwd: other });
    await rig.run(['memory', 'add', '--global', 'pilcrow is of all']);
    const counted = await rig.run(['purge', '--project', '--dry-run', '--json']);
    expect(JSON.parse(counted.stdout)).toEqual({ dry_run: true, ...NONE, memories: 1, directives: 1 });
    expect(holds('gnomon')).not.toEqual([]);
    const done = await rig.run(['purge', '--project', '--yes', '--json']);
    expect(JSON.parse(done.stdout)).toMatchObject({ dry_run: false, memories: 1, directives: 1, erased: true });
    expect([holds('gnomon'), holds('obelus'), holds('pilcrow')]).toEqual([[], ['memory.db'], ['memory.db']]);
    const { stdout } = await rig.run(['directives', 'list', '--all']);
    expect(stdout).toContain('(removed)');
    // A folder that is named, from elsewhere.
    expect(await rig.run(['purge', '--project', other, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(holds('obelus')).toEqual([]);
  });

  const hasScript = spawnSync('script', ['--version']).status === 0;
  test.skipIf(!hasScript).each([
    ['n', 1, 'nothing was removed'],
    ['', 1, 'nothing was removed'],
    ['y', 0, 'removed: 1 memory'],
  ])('on a terminal (with `script`; skipped without) asks, and %j decides', async (said, exitCode, words) => {
    await rig.run(['memory', 'add', 'gnomon again']);
    const command = `'${process.execPath}' '${CLI}' purge --project`;
    const result = await rig.shell(`echo '${said}' | script -qec "${command}" /dev/null`);
    expect([result.exitCode, result.stdout]).toEqual([exitCode, expect.stringContaining(words)]);
    expect(result.stdout).toContain('Remove this for good?');
    expect(holds('gnomon').length).toBe(exitCode);
  });
});
