import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areDuplicates, noveltyOf, withoutProvenance, withProvenance } from '../../src/scoring/novelty.ts';

describe('what a turn is', () => {
  test.each([
    ["That's wrong, the timer fires before the poll.", 'correction'],
    ['No, actually the port belongs to the proxy.', 'correction'],
    ['We decided to keep the old endpoint until May.', 'decision'],
    ["Let's go with a lease of thirty seconds.", 'decision'],
    ['I prefer small commits with plain messages.', 'preference'],
    ['The public API must not change.', 'preference'],
    ['The root cause is a race between timer and poll.', 'fact'],
    ['The server listens on port 8080.', 'fact'],
    ['Let me have a look at the tests next.', undefined],
    ['Done. All tests pass.', undefined],
    ['', undefined],
  ])('%j is a %s', (text, novelty) => {
    expect(noveltyOf(text)).toBe(novelty);
  });
});

describe('two texts', () => {
  test.each([
    ['Sessions are stored in Postgres.', 'The sessions are stored in Postgres', true],
    ['The retry limit is 3 for uploads.', 'the retry limit for uploads is three', true],
    ['The retry limit is 3 for uploads.', 'The retry limit is 4 for uploads.', false],
    ['Always commit the lockfile.', 'Never commit the lockfile.', false],
    ['Sessions are stored in Postgres.', 'Sessions are stored in Redis.', false],
    ['Sessions are stored in Postgres.', 'Sessions are stored in Postgres, tokens in Redis.', false],
    ['好的', '不行', false],
  ])('%j and %j are the same: %j', (one, other, same) => {
    expect(areDuplicates(one, other)).toBe(same);
    expect(areDuplicates(other, one)).toBe(same);
  });

  test('of which one is the other are the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(areDuplicates(text, text)).toBe(true);
      }),
    );
  });
});

test('where a text comes from can be taken off again', () => {
  expect(withProvenance('use tabs', 'preference', 'user')).toBe('[preference by user] use tabs');
  expect(withoutProvenance('[preference by user] use tabs')).toBe('use tabs');
  expect(withoutProvenance('[a link](x) use tabs')).toBe('[a link](x) use tabs');
});
