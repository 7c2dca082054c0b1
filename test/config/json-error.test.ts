import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeOfJsonError } from '../../src/config/json-error.ts';

test('what JSON.parse takes has no mistake before its end, and one put into it is found no later than it stands', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, seed) => {
      expect(placeOfJsonError(text)).toBe(`line 1, column ${text.length + 1}`);
      const at = seed % (text.length + 1);
      // A control character is allowed nowhere, neither in a string nor outside.
      const broken = `${text.slice(0, at)}\u0001${text.slice(at)}`;
      const column = Number(placeOfJsonError(broken).split(' ').at(-1));
      expect(column).toBeLessThanOrEqual(at + 1);
    }),
  );
});
