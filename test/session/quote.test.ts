import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clip, quote, quoteLine } from '../../src/session/quote.ts';

test.each([
  ['short', 10, 'short'],
  ['exactly ten', 11, 'exactly ten'],
  ['a long text', 6, 'a lon…'],
  ['ab 🙂🙂', 5, 'ab…'],
])('clips %j to %i units as %j, never inside a character', (text, max, expected) => {
  expect(clip(text, max)).toBe(expected);
});

test('a secret is masked before the cut, so no half of it shows', () => {
  const token = ['gh', 'p_', 'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j'].join('');
  expect(quote(`use ${token}`, 20)).not.toContain('Ab3d');
  const late = quote(`${'word '.repeat(440)}${token}`, 200);
  expect(late).not.toContain('Ab3d');
});

test.each<[why: string, before: string]>([
  ['blanks that become one', `all of it${' '.repeat(2_150)}`],
  ['line breaks that become one', `all of it${'\n'.repeat(2_150)}`],
  ['control characters that go', `all of it ${'\u0007'.repeat(2_150)}`],
  ["a block of chitta's own", `[chitta:restored]\n${'old words '.repeat(900)}\n[/chitta:restored]\n`],
])('a secret behind %s shows no half of it either', (_why, before) => {
  const token = ['gh', 'p_', 'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j'].join('');
  for (const form of [quote, quoteLine]) {
    const quoted = form(`${before}${token} end`, 160);
    expect(quoted).not.toContain('Ab3d');
    expect(quoted).not.toContain('old words');
  }
});

test('terminal sequences, control and bidirectional characters are left out, line breaks stay', () => {
  expect(quote('\u001b[31mred\u001b[0m\r\nnext\u0007 \u202eline', 100)).toBe('red\nnext line');
  expect(quoteLine('one\n  two\tthree', 100)).toBe('one two three');
});

test("chitta's own marks and blocks are left out", () => {
  expect(quote('before\n[chitta:gap #abcdefg 3 messages]\n[chitta:guide]\nold\n[/chitta:guide]\nafter', 100)).toBe(
    'before\n\nafter',
  );
});

test('a mark that is put on one line with its neighbours is left out too', () => {
  expect(quoteLine('before\n[chitta:gap #abcdefg 3 messages]\nafter', 100)).toBe('before after');
});

test('is at most as long as asked, and well-formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 200 }), (text, max) => {
      const quoted = quote(text, max);
      expect(quoted.length).toBeLessThanOrEqual(max);
      expect(quoted.isWellFormed()).toBe(true);
    }),
  );
});
