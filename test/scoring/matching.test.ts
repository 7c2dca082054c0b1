import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchingOf } from '../../src/scoring/matching.ts';
import { cpuMs } from '../support/time.ts';

const TEXTS = [
  'The billing service listens on port 8080.',
  'The mailer service listens on port 9090.',
  'retryDelivery is called by the mailer',
  'the owner of the café is Ada',
];

function best(query: string): string | undefined {
  const { matches } = matchingOf(query, TEXTS);
  const highest = Math.max(...matches.map(({ share }) => share));
  return highest === 0 ? undefined : TEXTS[matches.findIndex(({ share }) => share === highest)];
}

describe('the text that answers is found by', () => {
  test.each<[why: string, query: string, place: number]>([
    ['its rarest words', 'which port does the billing service listen on', 0],
    ['forms of its words', 'who owns the cafes', 3],
    ['words without their accents', 'cafe', 3],
    ['the words that a name is made of', 'retry the delivery', 2],
    ['a name', 'retryDelivery', 2],
    ['a word with a letter too many', 'billling', 0],
    ['a word with a letter too few', 'delivry', 2],
    ['a word with two letters changed over', 'delivrey', 2],
    ['a word with another letter', 'dekivery', 2],
  ])('%s', (_, query, place) => {
    expect(best(query)).toBe(TEXTS[place]);
  });
});

test('a question of which nothing is known has no share and no word known', () => {
  expect(matchingOf('elephants swim', TEXTS)).toMatchObject({
    matches: TEXTS.map(() => ({ share: 0, held: 0 })),
    known: 0,
  });
});

test('words that no text has do not lower a share, but what is known of the question', () => {
  const { matches, known } = matchingOf('billing elephants', TEXTS);
  expect(matches[0]).toMatchObject({ share: 1, held: 1 });
  expect(known).toBe(0.5);
});

test('a word that is a letter off from several stands for none', () => {
  expect(matchingOf('tables', ['table of cables', 'fable']).matches[1]).toMatchObject({ share: 0, held: 0 });
  expect(matchingOf('mabel', ['mabil', 'maben']).known).toBe(0);
});

test('how much a text too long to be read whole holds is not told', () => {
  expect(matchingOf('port', [`${'x '.repeat(10_000)} port`]).matches).toMatchObject([{ share: 0, held: undefined }]);
});

test('shares lie between 0 and 1, whatever is asked of whatever', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.array(fc.string({ unit: 'binary' }), { maxLength: 6 }),
      (query, texts) => {
        const { matches, known } = matchingOf(query, texts);
        expect(matches).toHaveLength(texts.length);
        for (const share of [known, ...matches.map((match) => match.share)]) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1);
        }
      },
    ),
  );
});

test('a million characters are compared within a second', () => {
  const text = 'someWords in_a row, '.repeat(2_500);
  const texts = Array.from({ length: 20 }, () => text);
  expect(cpuMs(() => matchingOf('some row elephant', texts))).toBeLessThan(1_000);
});
