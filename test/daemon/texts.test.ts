import fc from 'fast-check';
import { expect, test } from 'vitest';
import { archiveTurns } from '../../src/actions/archive.ts';
import { clipped } from '../../src/daemon/clip.ts';
import { prepare, preparedOf } from '../../src/daemon/texts.ts';
import { searchTextOf } from '../../src/messages/search-text.ts';
import { viewOf } from '../../src/messages/view.ts';
import { MS, opened } from '../memory/home.ts';
import { conversation } from '../support/conversation.ts';

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

test('what a session was followed by is what the archive has of it, so that a turn finds its vector', async () => {
  const { memory } = opened();
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const messages = [
    ...fc.sample(conversation(), { numRuns: 20, seed: 7 }).flat(),
    { role: 'user', content: `the token is ${secret}, \ud800 and the password=hunter22x` } as const,
  ].map((message, place) => ({ ...message, uuid: `u${place}` }));
  const followed = new Set(messages.map((message) => prepare(searchTextOf(viewOf(message))).hash));
  const turns = messages.map((message) => ({ message, view: viewOf(message), tokens: 1 }));
  await archiveTurns(turns, memory, { session: 's', project: '/p', deadlineMs: MS });
  const range = { project: '/p', above: 0, upTo: Number.MAX_SAFE_INTEGER, maxBytes: 40_960 };
  const archived = (await memory.turnTexts(range, MS)).turns;
  expect(archived.length).toBeGreaterThan(50);
  expect(archived.filter(({ text }) => !followed.has(preparedOf(text).hash))).toEqual([]);
});
