import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchExpression } from '../../src/memory/fulltext.ts';
import { fact, MS, opened, turn } from './home.ts';

describe('the expression', () => {
  const cases: [text: string, expression: string | undefined][] = [
    ['login test', '"login" OR "test" OR "logintest"*'],
    ['why did the login test fail', '"login" OR "test" OR "fail" OR "logintest"* OR "testfail"*'],
    ['where is retryDelivery', '"retrydelivery" OR "retry Delivery"'],
    ['a retry delivery', '"retry" OR "delivery" OR "retrydeliver"*'],
    ['who are you', '"who" OR "are" OR "you"'],
    ['src/login.ts', '"src" OR "login" OR "ts" OR "src login ts" OR "srclogin"*'],
    [
      'a" OR text:b NEAR(c, 2) -d ^e f*',
      '"text" OR "b" OR "near" OR "c" OR "2" OR "d" OR "e" OR "f" OR "text b" OR "NEAR c"',
    ],
    ['', undefined],
    ['?!… "" * ()', undefined],
  ];
  test.each(cases)('of %j is %j', (text, expression) => {
    expect(matchExpression(text)).toBe(expression);
  });

  test('of a very long text stays short', () => {
    const words = Array.from({ length: 100_000 }, (_, i) => `word${i}`).join(' ');
    expect(matchExpression(words)?.split(' OR ')).toHaveLength(32);
  });
});

test('no text is an error to SQLite, and none reaches another column or project', { timeout: 60_000 }, async () => {
  const { memory } = opened();
  await memory.archive([turn(1, { text: 'secret plans', project: '/other' }), turn(2, { text: 'plans here' })], MS);
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .array(
        fc.constantFrom(
          '"',
          "'",
          'plans',
          'OR',
          'AND',
          'NOT',
          'NEAR(',
          ')',
          '*',
          ':',
          'project',
          '^',
          '-',
          '{',
          '}',
          '\0',
          ' ',
        ),
      )
      .map((parts) => parts.join('')),
  );
  await fc.assert(
    fc.asyncProperty(hostile, async (text) => {
      const { turns } = await memory.searchText(text, '/project', 5, MS);
      expect(turns.every(({ project }) => project === '/project')).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('finds by word, word form, accent-free form, and by the parts of an identifier', async () => {
  const { memory } = opened();
  const texts = ['retries are set in max_retries', 'the café closes', 'useAuth lives in src/hooks/use-auth.ts'];
  for (const text of texts) await memory.remember(fact(text), MS);
  const hit = async (query: string): Promise<string | undefined> =>
    (await memory.searchText(query, '/project', 1, MS)).memories[0]?.text;
  expect(await hit('how often does it retry?')).toBe(texts[0]);
  expect(await hit('MAX_RETRIES')).toBe(texts[0]);
  expect(await hit('cafe')).toBe(texts[1]);
  expect(await hit('hooks/use-auth')).toBe(texts[2]);
  expect(await hit('nothing of that kind')).toBeUndefined();
});

test('finds a name by words that it begins with, and words by the name that they make', async () => {
  const { memory } = opened();
  const texts = ['it came from retryDeliveryQueue', 'the batch window is open'];
  for (const text of texts) await memory.remember(fact(text), MS);
  const hits = async (query: string): Promise<string[]> =>
    (await memory.searchText(query, '/project', 5, MS)).memories.map(({ text }) => text);
  expect(await hits('retry delivery')).toEqual([texts[0]]);
  expect(await hits('batchWindow')).toEqual([texts[1]]);
});

test('a forgotten memory is found no more', async () => {
  const { memory } = opened();
  const { memory: row } = await memory.remember(fact('use port 8080'), MS);
  await memory.forget(row.id, MS);
  expect((await memory.searchText('port', '/project', 5, MS)).memories).toEqual([]);
});
