import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sanitize, sanitizeLine } from '../../src/terminal/sanitize.ts';
import { cpuMs } from '../support/time.ts';

test.each([
  ['plain text, tabs, line ends and every script', 'a\tb\nc é 漢 עברית 😀', 'a\tb\nc é 漢 עברית 😀'],
  ['colour', '\u001b[1;31mred\u001b[0m', 'red'],
  ['cursor and screen', 'a\u001b[2J\u001b[3;4H\u001b[?25lb', 'ab'],
  ['a window title, with either end', '\u001b]0;evil\u0007a\u001b]2;evil\u001b\\b', 'ab'],
  ['a link', '\u001b]8;;https://example.org\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a device string', 'a\u001bPq#0\u001b\\b', 'ab'],
  ['8-bit controls', 'a\u009b31mb\u009d0;evil\u009cc\u0085d', 'abcd'],
  ['short escapes', '\u001b7a\u001b(Bb\u001bc', 'ab'],
  ['an escape that never ends keeps the text', '\u001b]0;text goes on', '0;text goes on'],
  ['an escape at the end', 'a\u001b', 'a'],
  ['carriage returns and backspaces', 'good\rbad\b\b\r\nnext', 'goodbad\nnext'],
  ['bidirectional overrides, isolates and marks', 'a\u202eb\u2066c\u2069\u200e\u200f\u061cd', 'abcd'],
  ['an escape made by removing another', '\u001b\u001b[31m[31mx', '[31mx'],
])('%s', (_what, text, expected) => {
  expect(sanitize(text)).toBe(expected);
});

test('one line is one line', () => {
  expect(sanitizeLine('a\r\n\tb  \u001b[31mc\u2028d')).toBe('a b c d');
});

describe('of any text', () => {
  const nasty = fc.string({
    unit: fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '\u0007',
      '\\',
      'P',
      '3',
      ';',
      'm',
      'x',
      '\n',
      '\u009b',
      '\u009d',
      '\u202e',
    ),
  });

  test('nothing that steers a terminal is left, and doing it twice changes nothing', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const clean = sanitize(text);
        // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
        expect(clean).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        expect(sanitize(clean)).toBe(clean);
      }),
    );
  });

  test.each(['\u001b]', '\u001b[', '\u001b[1', '\u009d', '\u001bP', '\u001b]0;aaaa', '\u001b[ ', '\u001b ', '0'])(
    'the time grows with the length: %j repeated',
    (piece) => {
      const time = (count: number): number => {
        const text = `\u001b[${piece.repeat(count)}`;
        return cpuMs(() => sanitize(text));
      };
      time(1_000);
      // A quadratic pattern takes minutes here.
      expect(time(500_000)).toBeLessThan(2_000);
    },
  );
});
