import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { idText, numberIdsIn } from '../../src/rpc/id.ts';

test.each([
  ['a plain number', '{"id":7}', [[0, '7']]],
  ['one that JSON.parse would round', '{"id": 12345678901234567890 }', [[0, '12345678901234567890']]],
  ['one too big for a double', '{"id":1e999}', [[0, '1e999']]],
  ['a fraction', '{"id":-0.5,"a":1}', [[0, '-0.5']]],
  ['an escaped key', '{"\\u0069d":3}', [[0, '3']]],
  ['not the id of something inside', '{"params":{"id":1,"list":[{"id":2}]},"id":3}', [[0, '3']]],
  ['not a text that says id', '{"a":"id","b":["id",4]}', []],
  ['no text id', '{"id":"9"}', []],
  ['the last of two', '{"id":1,"id":2}', [[0, '2']]],
  ['a text id after a number', '{"id":1,"id":"a"}', []],
  [
    'by position in a batch',
    '[{"id":1},5,{"a":[1,2]},{"id":4,"b":[1,2]},[7],{"id":6}]',
    [
      [0, '1'],
      [3, '4'],
      [5, '6'],
    ],
  ],
])('finds %s', (_, text, expected) => {
  expect([...numberIdsIn(text)]).toEqual(expected);
});

test.each([
  ['a text', 'a"b', '"a\\"b"'],
  ['a lone surrogate, repaired', 'a\uD800', '"a\uFFFD"'],
  ['a number', 5, '5'],
  ['a number as written', 2 ** 60, '1152921504606846977'],
  ['null', null, 'null'],
  ['something else', { a: 1 }, 'null'],
])('answers %s', (_, id, expected) => {
  expect(idText(id, () => '1152921504606846977')).toBe(expected);
});

test('reads the same id as JSON.parse, in any object', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('id', 'a', 'b"', '\\'), fc.jsonValue()),
      fc.constantFrom(0, 1),
      (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const id = numberIdsIn(text).get(0);
        const { id: parsed }: { id?: unknown } = JSON.parse(text);
        expect(id === undefined ? undefined : Number(id)).toEqual(typeof parsed === 'number' ? parsed : undefined);
      },
    ),
  );
});
