import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activeDirectives, type Directive, type DirectiveStatus } from '../../src/hot/directives.ts';

/** A ledger in the order it was written. */
function ledger(
  ...entries: readonly (readonly [status: DirectiveStatus, replaces?: number | undefined])[]
): Directive[] {
  return entries.map(([status, replaces], index) => ({
    id: index + 1,
    text: `entry ${index + 1}`,
    status,
    replaces,
    createdMs: 1_000 + index,
  }));
}

const idsOf = (entries: readonly Directive[]): number[] => activeDirectives(entries).map(({ id }) => id);

describe('which directives hold', () => {
  test.each<[string, Directive[], number[]]>([
    ['none of none', [], []],
    ['accepted ones, newest first', ledger(['accepted'], ['accepted']), [2, 1]],
    ['proposed ones not yet', ledger(['proposed'], ['accepted']), [2]],
    ['an amended one in place of its origin', ledger(['accepted'], ['accepted'], ['amended', 1]), [3, 2]],
    ['the last of many amendments', ledger(['accepted'], ['amended', 1], ['amended', 2], ['amended', 1]), [4]],
    ['revoked and superseded ones never', ledger(['revoked'], ['superseded']), []],
    ['not one that a later entry revokes', ledger(['accepted'], ['revoked', 1]), []],
    ['not one that a later entry supersedes', ledger(['accepted'], ['superseded', 1], ['accepted']), [3]],
    ['not the origin of a revoked amendment', ledger(['accepted'], ['amended', 1], ['revoked', 2]), []],
    ['not an amendment whose origin is revoked later', ledger(['accepted'], ['amended', 1], ['revoked', 1]), []],
    ['one taken up again', ledger(['accepted'], ['revoked', 1], ['accepted', 1]), [3]],
    ['the old text while a change is only proposed', ledger(['accepted'], ['proposed', 1]), [1]],
    ['the new text once it is accepted', ledger(['accepted'], ['proposed', 1], ['accepted', 2]), [3]],
    ['an amendment whose origin is not in the list', ledger(['amended', 77]), [1]],
    ['the newest of a ring', ledger(['accepted', 2], ['amended', 1]), [2]],
    ['one that names itself', ledger(['accepted', 1]), [1]],
  ])('%s', (_name, entries, expected) => {
    expect(idsOf(entries)).toEqual(expected);
    expect(idsOf(entries.toReversed())).toEqual(expected);
  });

  test('of two of the same time the one that was written later is the newer', () => {
    expect(idsOf(ledger(['accepted'], ['accepted']).map((one) => ({ ...one, createdMs: 5 })))).toEqual([2, 1]);
  });
});

const anyLedger = fc
  .array(
    fc.record({
      status: fc.constantFrom<DirectiveStatus>('proposed', 'accepted', 'amended', 'revoked', 'superseded'),
      replaces: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    }),
    { maxLength: 30 },
  )
  .map((entries) => ledger(...entries.map(({ status, replaces }) => [status, replaces] as const)));

test('whatever the ledger: only accepted or amended entries, newest first, none that another active one replaces', () => {
  fc.assert(
    fc.property(anyLedger, (entries) => {
      const active = activeDirectives(entries);
      const ids = active.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((a, b) => b - a));
      expect(active.every(({ status }) => status === 'accepted' || status === 'amended')).toBe(true);
      const replaced = active.flatMap(({ id, replaces = id }) => (replaces === id ? [] : [replaces]));
      expect(ids.filter((id) => replaced.includes(id))).toEqual([]);
      expect(active.every((one) => entries.includes(one))).toBe(true);
    }),
  );
});

test('a chain of 100,000 amendments is followed in one pass', () => {
  const chain = ledger(['accepted'], ...Array.from({ length: 100_000 }, (_, i) => ['amended', i + 1] as const));
  expect(idsOf(chain)).toEqual([100_001]);
});
