import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clipped } from '../../src/daemon/clip.ts';
import { prepare, preparedOf } from '../../src/daemon/texts.ts';

test('a long text keeps its beginning and its end; clipping twice is clipping once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.nat(60_000), (end, count) => {
      const text = `${end}${'🦜x'.repeat(count)}${end}`;
      const short = clipped(text);
      expect(short.length).toBeLessThanOrEqual(40_960);
      expect(short.startsWith(end) && short.endsWith(end)).toBe(true);
      expect(clipped(short)).toBe(short);
      expect(short.isWellFormed()).toBe(true);
    }),
  );
});

test('a short text stays as it is', () => {
  expect(clipped('x'.repeat(40_960))).toHaveLength(40_960);
});

test('what is embedded has no secrets and no lone surrogates, and its hash is that of what is left', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const { text, hash } = prepare(`token ${secret} \ud800`);
  expect(text).not.toContain(secret);
  expect(text.isWellFormed()).toBe(true);
  expect(hash).toBe(prepare(text).hash);
});

test('a text that the archive has is the same text as before it went there', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const texts = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(secret, `password=${secret}`, '\ud800')),
    {
      maxLength: 8,
    },
  );
  fc.assert(
    fc.property(texts, (parts) => {
      const { text, hash } = prepare(parts.join(' '));
      expect(preparedOf(text)).toEqual({ text, hash });
      expect(prepare(text).hash).toBe(hash);
    }),
  );
});
