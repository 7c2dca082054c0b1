import { expect, test } from 'vitest';
import { changesSince } from '../../src/hot/changes.ts';
import type { Directive, DirectiveStatus } from '../../src/hot/directives.ts';

const ledger = (...entries: [status: DirectiveStatus, replaces?: number][]): Directive[] =>
  entries.map(([status, replaces], index) => ({
    id: index + 1,
    text: `rule ${index + 1}`,
    status,
    replaces,
    createdMs: index,
  }));

test.each<[string, Directive[], number, [id: number, holds: boolean][]]>([
  ['nothing where nothing is new', ledger(['accepted']), 1, []],
  ['what was added', ledger(['accepted'], ['accepted']), 1, [[2, true]]],
  ['what was amended, by its new text', ledger(['accepted'], ['amended', 1]), 1, [[2, true]]],
  ['what was revoked', ledger(['accepted'], ['revoked', 1]), 1, [[2, false]]],
  ['what was amended and revoked since', ledger(['accepted'], ['amended', 1], ['revoked', 2]), 1, [[3, false]]],
  ['nothing of what came and went since', ledger(['accepted'], ['accepted'], ['revoked', 2]), 1, []],
  ['nothing of what is only proposed', ledger(['accepted'], ['proposed']), 1, []],
  [
    'everything to who was told nothing',
    ledger(['accepted'], ['accepted']),
    0,
    [
      [1, true],
      [2, true],
    ],
  ],
  ['an end even where entries form a ring', ledger(['accepted', 2], ['revoked', 1]), 1, [[2, false]]],
])('tells %s', (_, entries, told, changes) => {
  expect(changesSince(entries, told).map(({ id, holds }) => [id, holds])).toEqual(changes);
});
