import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addDirectivesCommand } from '../../src/commands/directives.ts';
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
      project: bench.project,
      session: null,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
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
  expect(JSON.parse(await bench.run('directives', 'list', '--json'))).toEqual({ directives: [] });
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
