import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addDirectivesCommand } from '../../src/commands/directives.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { Bench } from './context.ts';
import { memoryBench } from './memory-bench.ts';

let bench: Bench;
beforeEach(() => {
  bench = memoryBench(addDirectivesCommand);
});
afterEach(() => bench.remove());

const add = (...words: string[]): Promise<string> => bench.run('directives', 'add', ...words);

test('adding prints the number, and says that it holds', async () => {
  expect(await add('never change the public API')).toBe('1\n');
  expect(bench.said.err).toBe('chitta: directive 1 holds from now on\n');
  expect(await add('never change the public API')).toBe('1\n');
  expect(bench.said.err).toBe('chitta: directive 1 was there already\n');
});

describe('listing', () => {
  beforeEach(async () => {
    await add('small commits');
    await add('answer in English', '--global');
    await add('smaller commits', '--amend', '1');
    await add('no new dependencies');
    await bench.run('directives', 'revoke', '4');
  });

  test('shows what holds, newest first', async () => {
    expect(await bench.run('directives')).toBe('3  project     smaller commits\n2  everywhere  answer in English\n');
  });

  test('shows the whole ledger when asked', async () => {
    expect((await bench.run('directives', 'list', '--all')).split('\n')).toEqual([
      '5  revoked 4     project     no new dependencies',
      '4  accepted      project     no new dependencies',
      '3  amended 1     project     smaller commits',
      '2  accepted      everywhere  answer in English',
      '1  accepted      project     small commits',
      '',
    ]);
  });

  test('as JSON has the documented fields', async () => {
    const { directives } = JSON.parse(await bench.run('directives', 'list', '--all', '--json'));
    expect(directives.map(({ id, active }: { id: number; active: boolean }) => [id, active])).toEqual([
      [5, false],
      [4, false],
      [3, true],
      [2, true],
      [1, false],
    ]);
    expect(directives[2]).toEqual({
      id: 3,
      text: 'smaller commits',
      status: 'amended',
      replaces: 1,
      successor: null,
      who: 'person',
      project: bench.project,
      session: null,
      source: null,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      expires: null,
      active: true,
    });
  });
});

test('none says how to add one', async () => {
  expect(await bench.run('directives', 'list')).toBe('');
  expect(bench.said.err).toContain('chitta directives add TEXT');
});

test('revoking names the directive by any of its numbers, and says which it was', async () => {
  await add('small commits');
  await add('smaller commits', '--amend', '1');
  expect(await bench.run('directives', 'revoke', '1')).toBe('');
  expect(bench.said.err).toBe('chitta: directive 2 is revoked\n');
  expect(JSON.parse(await bench.run('directives', 'list', '--json'))).toEqual({ directives: [], proposed: [] });
});

test('secrets are masked', async () => {
  await add('log in with DB_PASSWORD=hunter2');
  expect(await bench.run('directives')).toContain('DB_PASSWORD=[masked:password]');
});

test.each([
  [['revoke', '7'], 'E_NOT_FOUND', 'there is no directive 7 here'],
  [['add', 'a', '--amend', '7'], 'E_NOT_FOUND', 'there is no directive 7 here'],
  [['add', ' '], 'E_PARAM_INVALID', 'the directive has no text'],
  [['add', 'x'.repeat(2_001)], 'E_PARAM_INVALID', 'at most 2000'],
])('%j is refused', async (words, code, message) => {
  await expect(bench.run('directives', ...words)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
});

test('what amends holds where its origin does: --global beside --amend is refused', async () => {
  await expect(add('a', '--amend', '1', '--global')).rejects.toThrow(/cannot be used with/);
});

describe('a proposal', () => {
  const propose = async (...texts: string[]): Promise<void> => {
    const memory = openMemory({ home: bench.home });
    for (const text of texts) {
      await memory.addDirective(
        {
          text,
          status: 'proposed',
          who: 'rule',
          replaces: undefined,
          project: bench.project,
          session: 's1',
          source: '#k3v7q2a',
        },
        5_000,
      );
    }
    memory.close();
  };

  test('is listed behind what holds, with the turn that said it', async () => {
    await add('small commits');
    await propose('Always use tabs.');
    expect(await bench.run('directives')).toBe(
      '1  project     small commits\n2  proposed    #k3v7q2a  Always use tabs.\n',
    );
    expect(bench.said.err).toBe('chitta: one is only proposed: chitta directives accept ID, or revoke ID\n');
    expect(await bench.run('directives', 'list', '--proposed')).toBe('2  proposed    #k3v7q2a  Always use tabs.\n');
    const { directives, proposed } = JSON.parse(await bench.run('directives', '--json'));
    expect([directives.length, proposed]).toMatchObject([
      1,
      [{ id: 2, who: 'rule', active: false, source: '#k3v7q2a' }],
    ]);
  });

  test('is accepted or turned down, several at once', async () => {
    await propose('Always use tabs.', 'Never push.', 'Use pnpm instead of npm.');
    expect(await bench.run('directives', 'accept', '1', '2')).toBe('4\n5\n');
    await bench.run('directives', 'revoke', '3');
    expect(await bench.run('directives')).toBe('5  project     Never push.\n4  project     Always use tabs.\n');
    const shown = await bench.run('directives', 'show', '1');
    expect(shown).toMatch(
      /^1 {2}proposed, .* UTC, by a rule of chitta, session s1, turn #k3v7q2a\n {4}Always use tabs\.\n4 {2}accepted 1, .* by a person/,
    );
  });
});

test('a directive may hold for a time, take the place of another, and be forgotten', async () => {
  await add('small commits');
  await add('no releases', '--expires', '2w', '--supersedes', '1');
  expect(bench.said.err).toMatch(/^chitta: directive 2 holds from now on, until \d{4}-/);
  expect(await bench.run('directives')).toMatch(/^2 {2}project {5}until \d{4}-\d\d-\d\d \d\d:\d\d {2}no releases\n$/);
  expect(await bench.run('directives', 'list', '--all')).toContain('3  superseded 1 by 2  project     small commits');
  await bench.run('directives', 'amend', '2', 'no releases at all', '--expires', 'never');
  expect(JSON.parse(await bench.run('directives', '--json')).directives).toMatchObject([{ id: 4, expires: null }]);
  expect(JSON.parse(await bench.run('directives', 'forget', '4', '--json'))).toEqual({
    id: 4,
    erased: true,
    removed_files: [],
  });
  expect(await bench.run('directives', 'list', '--all')).toBe(
    [
      '6  removed 4     project     ',
      '5  removed 2     project     ',
      '4  amended 2     project     (removed)',
      '3  superseded 1 by 2  project     small commits',
      '2  accepted      project     (removed)',
      '1  accepted      project     small commits',
      '',
    ].join('\n'),
  );
});

test.each([
  [['add', 'a', '--expires', 'soon']],
  [['add', 'a', '--expires', '2020-01-01']],
  [['add', 'a', '--expires', '99999y']],
  [['add', 'a', '--expires', '2030-02-31']],
  [['list', '--all', '--proposed']],
])('%j is a mistake', async (words) => {
  await expect(bench.run('directives', ...words)).rejects.toThrow(/must be|is over|too far away|cannot be used/);
});
