import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namesOf, verifySummary } from '../../src/summarize/verify.ts';

const unverified = (summary: string, source: string): readonly string[] => verifySummary(summary, source).unverified;

describe('what stands in the source', () => {
  test.each([
    ['a path', 'see src/app.ts:42', 'error in src/app.ts:42:7'],
    ['the end of a path', 'see app.ts', 'error in /home/x/src/app.ts'],
    ['the end of a longer path', 'see src/app.ts', 'error in /home/x/src/app.ts'],
    ['a folder of a path', 'in test/e2e/', 'test/e2e/rig.ts'],
    ['a name', 'renamed `parseDate`', 'function parseDate(text)'],
    ['a flag', 'ran with --no-cache.', 'npm ci --no-cache'],
    ['an address', 'see https://example.com/a?b=1.', 'at https://example.com/a?b=1'],
    ['a version', 'needs 20.19.0', 'node 20.19.0 or newer'],
    ['a number with separators', 'took 1,234 ms', 'took 1234 ms'],
    ['a number without separators', 'took 1234 ms', 'took 1,234 ms'],
    ['a share', '45% of it', 'coverage: 45%'],
    ['a hash', 'commit 3f2a9c1', 'at 3f2a9c1d'.replace('d', ' ')],
    ['an assignment', 'set port=8080', 'port=8080'],
    ['a range', 'lines 10-20 and 30–40', 'line 10, then 20, 30 and 40'],
    ['a day', 'on 2031-01-15', 'created 2031-01-15T10:00:00Z'],
    ['about so many', '~777 of them', '777'],
    ['a price', '$5 a month', '$5'],
    ['a mark of a secret', 'the key [masked:github-token]', '[masked:github-token]'],
    ['numbers of a list', '1. first\n2. second\n- third', 'nothing of that'],
    ['prose with slashes', 'read/write and/or input/output', ''],
    ['abbreviations', 'e.g. this, i.e. that', ''],
    ['a command', 'ran `npm run build`', '$ npm run build'],
  ])('%s is verified', (_what, summary, source) => {
    expect(unverified(summary, source)).toEqual([]);
  });
});

describe('what does not', () => {
  test.each([
    ['another folder', 'see lib/app.ts', 'src/app.ts', ['lib/app.ts']],
    ['another ending', 'see src/app.js', 'src/app.ts', ['src/app.js']],
    ['part of a longer name', 'calls `parse`', 'parseDate()', ['parse']],
    ['part of a longer number', 'port 808', 'port 8080', ['808']],
    ['a piece of a version', '20.1 is needed', '20.19.0', ['20.1']],
    ['another number', '13 tests pass', '12 tests pass', ['13']],
    ['an end of a range', 'lines 10-999', 'line 10', ['999']],
    ['another day', 'on 2031-01-16', '2031-01-15 and 16', ['2031-01-16']],
    ['about another number', '~777 of them, +8 more', '776', ['777', '8']],
    ['a product', '3*5551 rows', '3', ['5551']],
    ['a number in backticks', 'took `~12` s', '13', ['12']],
    ['a short name in backticks', 'see `v2`', 'v1', ['v2']],
    ['an invented function', 'wrote `validateInput`', 'wrote nothing', ['validateInput']],
    ['an invented flag', 'with --force', 'git push', ['--force']],
    ['another case', 'see readme.md', 'README.md', ['readme.md']],
  ])('%s is listed', (_what, summary, source, names) => {
    expect(unverified(summary, source)).toEqual(names);
  });

  test('names that an earlier summary is not to be believed stay doubtful, though they stand in it', () => {
    expect(verifySummary('uses lib/made-up.ts', 'earlier: lib/made-up.ts', ['lib/made-up.ts']).unverified).toEqual([
      'lib/made-up.ts',
    ]);
  });
});

test('counts each name once, and the rate is theirs', () => {
  const { checked, unverified: left } = verifySummary('a.ts, a.ts and b.ts; 5 and 5', 'a.ts 5');
  expect([checked, left]).toEqual([3, ['b.ts']]);
});

test('a summary that is the source itself has nothing unverified', () => {
  const word = fc.constantFrom(
    'src/app.ts',
    'fooBar',
    '--flag',
    '1,234',
    '42',
    'https://a.b/c',
    'x_y',
    'E_FAIL',
    'C:\\a\\b',
    '`run it`',
    'and/or',
    '漢字',
    'v1.2.3',
    '10%',
    'a=b',
  );
  const text = fc.oneof(
    fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
  );
  fc.assert(
    fc.property(text, (said) => {
      expect(unverified(said, said)).toEqual([]);
    }),
  );
});

test('never throws, and names are well-formed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'binary', maxLength: 300 }),
      (summary, source) => {
        verifySummary(summary, source);
        expect(namesOf(summary).names.every((name) => name.isWellFormed())).toBe(true);
      },
    ),
  );
});
