import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toWellFormed, wellFormedJson } from '../../src/messages/wellformed.ts';

describe('well-formed text', () => {
  test.each<[string, string, number]>([
    ['plain 🙂', 'plain 🙂', 0],
    ['a\uD83Db', 'a\uFFFDb', 1],
    ['\uDC00\uDC00', '\uFFFD\uFFFD', 2],
    ['\uFFFD is no damage', '\uFFFD is no damage', 0],
  ])('%j becomes %j', (text, repaired, replaced) => {
    expect(toWellFormed(text)).toEqual({ text: repaired, replaced });
  });

  test('repairs strings and keys anywhere, and keeps what was whole', () => {
    const whole = { text: 'fine', list: [1, null, true] };
    const { value, replaced } = wellFormedJson({ whole, broken: ['ok', '\uD800'], '\uDFFF': 1 });
    expect(value).toEqual({ whole, broken: ['ok', '\uFFFD'], '\uFFFD': 1 });
    expect(value).toHaveProperty('whole', whole);
    expect(replaced).toBe(2);
    expect(wellFormedJson(whole).value).toBe(whole);
  });

  test('whatever JSON holds, the result is well-formed and repairing it again changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (json) => {
        const once = wellFormedJson(json).value;
        expect(JSON.stringify(once).isWellFormed()).toBe(true);
        expect(JSON.stringify(once)).not.toMatch(/\\ud[89a-f]/i);
        expect(wellFormedJson(once).value).toBe(once);
      }),
    );
  });
});
