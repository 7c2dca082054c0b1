import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Difference, differenceOf } from '../../src/scoring/contradiction.ts';

const different: [turn: string, memory: string, why: Difference][] = [
  ['use port 8080', 'use port 9090', 'number'],
  ['retry two times', 'retry three times', 'number'],
  ['the timeout is 30 ms', 'the timeout is 30 s', 'number'],
  ['the timeout is 30ms', 'the timeout is 30 seconds', 'number'],
  ['pin react to 18.2.0', 'pin react to 18.3.0', 'number'],
  ['the release is on 2026-01-02', 'the release is on 2026-02-01', 'number'],
  ['set port 8080 and timeout 30', 'set port 8080', 'number'],
  ['it fell by -5', 'it fell by 5', 'number'],
  ['move from 8080 to 9090', 'move from 9090 to 8080', 'order'],
  ['rename old_name to new_name', 'rename new_name to old_name', 'order'],
  ['edit src/auth/login.ts', 'edit src/auth/logout.ts', 'name'],
  ['edit src/auth/login.ts', 'edit login.ts', 'name'],
  ['set max_retries', 'set max_attempts', 'name'],
  ['call getUser', 'call getUsers', 'name'],
  ['pass --force', 'pass --dry-run', 'name'],
  ['deploy on Friday', 'deploy on Monday', 'name'],
  ['log in with utf8', 'log in with latin1', 'name'],
  ['do not use port 8080', 'use port 8080', 'negation'],
  ['use port 8080', 'do not use port 8080', 'negation'],
  ['never mock the database', 'mock the database', 'negation'],
  ["don't commit to main", 'commit to main', 'negation'],
  ['don’t commit to main', 'commit to main', 'negation'],
  ['we no longer use yarn', 'we use yarn', 'negation'],
  ['use tabs instead of spaces', 'use spaces instead of tabs', 'negation'],
  ['avoid default exports', 'use default exports', 'negation'],
  ['Use Postgres. Do not use MySQL.', 'Use MySQL. Do not use Postgres.', 'negation'],
  ['不要使用端口 8080', '使用端口 8080', 'negation'],
  ['enable the cache', 'disable the cache', 'opposite'],
  ['indent with tabs', 'indent with spaces', 'opposite'],
  ['run migrations before the deploy', 'run migrations after the deploy', 'opposite'],
  ['the build uses npm', 'the build uses pnpm', 'word'],
  ['sessions live in redis', 'sessions live in postgres', 'word'],
  ['use local time everywhere', 'use UTC everywhere', 'word'],
  ['hash with bcrypt', 'hash with argon2id', 'word'],
  ['run it in the EU', 'run it in the US', 'word'],
  ['I prefer spaces over tabs', 'the user prefers tabs over spaces', 'order'],
  ['merge develop into main', 'merge main into develop', 'order'],
  ['the server calls the client', 'the client calls the server', 'order'],
  ['cache it in redis, never in memory', 'cache it in memory, never in redis', 'negation'],
  ['never cache, never retry', 'cache it, but never retry', 'negation'],
  ['it stops after 30 minutes without a request', 'it stops after 30 minutes', 'negation'],
  ['deleting is irreversible', 'deleting is reversible', 'opposite'],
  ['users may sign in with SSO', 'users must sign in with SSO', 'opposite'],
  ['images are built for arm64 only', 'images are built for arm64 and amd64', 'opposite'],
  ['the server listens on port 8080 on the loopback interface', 'the server listens on port 8080', 'more'],
  ['retry 3 times for uploads and forever for downloads', 'retry 3 times for uploads', 'more'],
];

const same: [turn: string, memory: string][] = [
  ['use port 8080', 'Use port 8080.'],
  ['use port 8080 for the API server', 'The API server listens on port 8080'],
  ['the dev server runs on port 8,080', 'dev server: port 8080'],
  ['retry two times', 'retry 2 times'],
  ['the timeout is 30s', 'the timeout is 30 seconds'],
  ['we deploy on Fridays', 'deploys happen on Friday'],
  ['do not use port 8080', 'never use port 8080'],
  ["don't commit to main", 'Do not commit to main'],
  ['edit login.ts', 'edit src/auth/login.ts'],
  ['the build uses `pnpm`', 'The build runs with pnpm'],
  ['use port 8080', 'use port 8080 on db_primary'],
  ['configure the linter', 'linter configuration'],
  ['noted: use port 8080', 'use port 8080'],
  ['use port 8080 internally', 'use port 8080'],
  ["don't use default exports here", 'default exports are not used here'],
  ['before a commit, run the linter', 'run the linter before a commit'],
  ['retry with backoff, at most 6 times', 'retry at most 6 times with backoff'],
  ['built for arm64, armv7 and amd64', 'built for amd64, arm64 and armv7'],
  ['let us commit the lockfile', 'commit the lockfile'],
  ['', 'anything'],
];

describe('a memory does not stand for a turn', () => {
  test.each(different)('%j is not %j (%s)', (turn, memory, why) => {
    expect(differenceOf(turn, memory)).toBe(why);
  });
});

describe('a memory stands for a turn', () => {
  test.each(same)('%j says no more than %j', (turn, memory) => {
    expect(differenceOf(turn, memory)).toBeUndefined();
  });
});

test('a text never differs from itself', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
      expect(differenceOf(text, text)).toBeUndefined();
    }),
  );
});

const WORDS = [
  'use',
  'port',
  'not',
  'never',
  '8080',
  '3',
  's',
  'src/a.ts',
  'foo_bar',
  'on',
  'off',
  "don't",
  '.',
  ',',
  ':',
];

test('a text of telling words never differs from itself either', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }), (words) => {
      const text = words.join(' ');
      expect(differenceOf(text, text)).toBeUndefined();
    }),
  );
});

test('another number in the same sentence is always a difference', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (one, other) => {
      fc.pre(one !== other);
      expect(differenceOf(`use port ${one} for it`, `use port ${other} for it`)).toBe('number');
    }),
  );
});

test('time grows with the length of a text, also of hostile ones', () => {
  const texts = [
    '1,'.repeat(200_000),
    "'".repeat(400_000),
    '1.'.repeat(200_000),
    'a_'.repeat(200_000),
    'a.b, '.repeat(40_000),
    Array.from({ length: 20_000 }, (_, i) => `x${i}, `).join(''),
    '9'.repeat(400_000),
  ];
  const startedAt = performance.now();
  for (const text of texts) differenceOf(text, text);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
