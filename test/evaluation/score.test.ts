import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Score } from '../../src/evaluation/score.ts';
import type { Message } from '../../src/messages/types.ts';
import { call, counter, episode, keysOf, prompt, workedEpisode } from './session.ts';

/** Every share that an episode has, `fill` aside. */
function shares(score: Score): Record<string, number> {
  return Object.fromEntries(
    Object.entries(score).flatMap(([name, value]) => (value === null || name === 'fill' ? [] : [[name, value]])),
  );
}

const all = (score: Score, value: number): Record<string, number> =>
  Object.fromEntries(Object.keys(shares(score)).map((name) => [name, value]));

test('the whole context scores 100 in everything', () => {
  const { context, truth, scorer } = workedEpisode();
  const scored = scorer.score(context, truth.contextTokens);
  expect(scored).toMatchObject({ fault: undefined, overBudget: false, tokens: truth.contextTokens });
  expect(Object.keys(shares(scored.score))).toEqual(
    expect.arrayContaining(['ids', 'idsOld', 'editLines', 'editsWhole', 'errors', 'failures', 'constraints']),
  );
  expect(shares(scored.score)).toEqual(all(scored.score, 1));
});

test('one token over the budget scores 0 in everything', () => {
  const { context, truth, scorer } = workedEpisode();
  const scored = scorer.score(context, truth.contextTokens - 1);
  expect(scored.overBudget).toBe(true);
  expect(shares(scored.score)).toEqual(all(scored.score, 0));
});

test.each<[string, string, (context: readonly Message[]) => Message[]]>([
  [
    'calls without results',
    'a call without its result',
    (context) => context.filter(({ role }) => role === 'assistant'),
  ],
  ['results without calls', 'a result without its call', (context) => context.filter(({ role }) => role === 'user')],
  ['no messages', 'no messages', () => []],
])('%s score 0 in everything', (_name, fault, cut) => {
  const { context, truth, scorer } = workedEpisode();
  const scored = scorer.score(cut(context), truth.contextTokens);
  expect(scored.fault).toBe(fault);
  expect(shares(scored.score)).toEqual(all(scored.score, 0));
});

test('a list of all identifiers scores nothing but the loose share', () => {
  const worked = workedEpisode();
  const list = [prompt([...keysOf(worked), ...keysOf(worked).map((key) => key.split('/').at(-1))].join(' '))];
  const { score } = worked.scorer.score(list, worked.truth.contextTokens);
  expect(score).toMatchObject({ ids: 0, idsLoose: 1, editLines: 0, editsWhole: 0, composite: 0 });
});

test('in a long line an identifier counts with what stands around it', () => {
  const words = 'here and there some plain words stand in one long row of text '.repeat(8);
  const line = `${words}then leaseTime, pollEvery and tailSize come ${words}`;
  const { scorer } = episode(
    call('Read', { file_path: '/r/a.md' }, line),
    call('Grep', { pattern: 'leaseTime|pollEvery|tailSize' }, ''),
  );
  const around = line.slice(words.length - 20, words.length + 60);
  expect(scorer.score([prompt(around)], 10_000).score.ids).toBe(1);
  expect(scorer.score([prompt('leaseTime, pollEvery and tailSize')], 10_000).score.ids).toBe(0);
});

test('a class with fewer than three items says nothing', () => {
  const { scorer } = episode(
    call('Read', { file_path: '/r/a.md' }, 'leaseTime\npollEvery'),
    call('Grep', { pattern: 'leaseTime|pollEvery' }, ''),
  );
  expect(scorer.score([prompt('x')], 1_000).score).toMatchObject({ ids: null, editLines: null, composite: null });
});

const lines = ['const leaseTime = 3000;', 'const pollEvery = 250;', 'const tailSize = 4096;'];
const orders: [why: string, kept: string[], editLines: number, editsWhole: number][] = [
  ['in order', lines, 1, 1],
  ['with short lines in between', [lines[0] ?? '', '}', '', '{', lines[1] ?? '', lines[2] ?? ''], 1, 1],
  ['in another order', lines.toReversed(), 1, 0],
  ['far apart', [lines[0] ?? '', ...'abcdef', lines[1] ?? '', ...'abcdef', lines[2] ?? ''], 1, 0],
  ['one of them', lines.slice(0, 1), 1 / 3, 0],
  ['with line numbers', lines.map((line, index) => `${index + 7}\t${line}`), 1, 1],
];

test.each(orders)('lines of an edit kept %s', (_why, kept, editLines, editsWhole) => {
  const { scorer } = episode(
    call('Read', { file_path: '/r/a.ts' }, lines.join('\n')),
    call('Edit', { old_string: lines.join('\n'), new_string: '' }, 'ok'),
  );
  expect(scorer.score([prompt(kept.join('\n'))], 10_000).score).toMatchObject({ editLines, editsWhole });
});

test('constraints are weighed by their length, and known again in other white space', () => {
  const [long, short] = ['Never touch the schema of the ledger!', 'Use only 12.'];
  const { scorer } = episode([prompt(`${long} ${short}`)], []);
  expect(scorer.score([prompt(long.replaceAll(' ', '\n'))], 1_000).score.constraints).toBeCloseTo(
    long.length / (long.length + short.length),
  );
});

test('keeping more never scores less, and the composite stays between 0 and 1', () => {
  const worked = workedEpisode();
  const [opening, ...rest] = worked.context;
  const pairs = rest.flatMap((message, index) => (message.role === 'assistant' ? [[message, rest[index + 1]]] : []));
  const take = (kept: readonly boolean[]): Message[] =>
    [opening, ...pairs.flatMap((pair, index) => (kept[index] === true ? pair : []))].filter((one) => one !== undefined);
  const some = fc.array(fc.boolean(), { minLength: pairs.length, maxLength: pairs.length });
  fc.assert(
    fc.property(some, some, (one, other) => {
      const more = one.map((kept, index) => kept || other[index] === true);
      const budget = counter.messages(worked.context);
      const [less, all] = [one, more].map((kept) => worked.scorer.score(take(kept), budget).score.composite ?? 0);
      expect(less).toBeLessThanOrEqual(all ?? 0);
      expect(all).toBeLessThanOrEqual(1);
    }),
  );
});
