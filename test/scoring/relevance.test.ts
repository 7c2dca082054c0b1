import { describe, expect, test } from 'vitest';
import { relevanceTo, tellingNames } from '../../src/scoring/relevance.ts';

const PROMPT = 'On which port does the staging database listen? See src/db.ts.';

test.each<[string, string, number | undefined, boolean]>([
  ['is alike enough by itself', 'Something else entirely.', 0.7, true],
  ['is somewhat alike and shares two words', 'The staging database was moved.', 0.4, true],
  ['is somewhat alike and shares a name', 'Look into src/db.ts.', 0.36, true],
  ['is somewhat alike, no more', 'Something else entirely.', 0.45, false],
  ['shares words without being alike', 'The staging database listens on port 5433.', 0.2, false],
  [
    'shares most of its words, where there are no vectors',
    'The staging database listens on port 5433.',
    undefined,
    true,
  ],
  ['shares a name, where there are no vectors', 'Look into src/db.ts.', undefined, true],
  [
    'shares two words only, where there are no vectors',
    'The staging database was moved to Frankfurt.',
    undefined,
    false,
  ],
])('a text that %s', (_, text, cosine, relevant) => {
  expect(relevanceTo(PROMPT)(text, cosine)).toBe(relevant);
});

describe('names that tell', () => {
  test.each([
    ['paths, symbols, flags', 'in src/db.ts call openPool with --dry-run', ['src/db.ts', 'openPool', '--dry-run']],
    ['no numbers, no phrases', 'the "quoted phrase here" and 12345', []],
    ['no compound words of the language', 'a well-known and long-running job', []],
    ['each once', 'openPool openPool', ['openPool']],
  ])('are %s', (_, text, names) => {
    expect(tellingNames(text, 10)).toEqual(names);
  });

  test('are at most as many as asked for', () => {
    expect(tellingNames('open_a open_b open_c', 2)).toEqual(['open_a', 'open_b']);
  });
});
