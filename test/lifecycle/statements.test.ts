import fc from 'fast-check';
import { expect, test } from 'vitest';
import { statementsIn, topicOfText } from '../../src/lifecycle/statements.ts';
import { MORE_WORTH, MORE_WORTHLESS, WORTH, WORTHLESS } from './labelled.ts';

/** Of what is taken, this share at least is worth it; and so much of what is worth it is taken. */
const PRECISION = 0.97;
const RECALL = 0.8;

test('takes what a person would want remembered, and hardly anything else', () => {
  const taken = WORTH.map(({ text, kind }) => ({ text, kind, found: statementsIn(text) }));
  const right = taken.filter(({ kind, found }) => found.length === 1 && found[0]?.kind === kind);
  const wrong = WORTHLESS.filter((text) => statementsIn(text).length > 0);
  const missed = taken.filter(({ found }) => found.length === 0).map(({ text }) => text);
  const misnamed = taken
    .filter(({ found, kind }) => found.length > 0 && found[0]?.kind !== kind)
    .map(({ text }) => text);
  expect({ wrong, misnamed }).toEqual({ wrong: [], misnamed: [] });
  expect(right.length / (right.length + wrong.length)).toBeGreaterThanOrEqual(PRECISION);
  expect({ missed, share: right.length / WORTH.length >= RECALL }).toMatchObject({ share: true });
});

test('does so with sentences that came later', () => {
  expect(MORE_WORTHLESS.filter((text) => statementsIn(text).length > 0)).toEqual([]);
  const taken = MORE_WORTH.filter((text) => statementsIn(text).length === 1);
  expect(taken.length / MORE_WORTH.length).toBeGreaterThanOrEqual(RECALL);
});

test.each([
  ['the port is 8080', 'The port is now 9090.', 'port', 'port'],
  [
    'The dev server listens on port 5173',
    'no, the dev server listens on port 5174',
    'dev server listens',
    'dev server listens',
  ],
  ['Our staging host is a.example.org', 'the staging host is b.example.org', 'stag host', 'stag host'],
  ['the port is 8080', 'the admin port is 9090', 'port', 'admin port'],
  ['the session timeout is 30 s', 'the request timeout is 30 s', 'session timeout', 'request timeout'],
  ['the schema lives in db/a.sql', 'the schema is called main.v2', 'schema lives', 'schema'],
])('%j and %j are about: %s, %s', (one, other, here, there) => {
  expect([topicOfText(one), topicOfText(other)]).toEqual([here, there]);
});

test('a prompt that says very much is pasted, and nothing is taken of it', () => {
  const many = Array.from({ length: 12 }, (_, index) => `The ${'abcdefghijkl'[index]}-queue limit is ${index}.`).join(
    '\n',
  );
  expect(statementsIn(many)).toEqual([]);
});

test('takes nothing of code, logs and quotations', () => {
  const pasted =
    '```\nThe port is 8080.\n```\n> The port is 8080.\n2026-01-01 INFO The port is 8080.\n    The port is 8080.\nHe wrote "the port is 8080".';
  expect(statementsIn(pasted)).toEqual([]);
});

test('what is taken stands in the prompt, whatever the prompt is', () => {
  const word = fc.constantFrom(
    'the',
    'port',
    'is',
    '8080',
    'No,',
    'we decided to',
    'use',
    '`x`',
    '.',
    '\n',
    'src/a.ts',
    'not',
    '"',
    '🙂',
    'holds',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const prompt = words.join(' ');
      const flat = prompt.replaceAll(/\s+/g, ' ');
      for (const { text, confidence } of statementsIn(prompt)) {
        expect(flat).toContain(text);
        expect(confidence).toBeGreaterThan(0);
      }
    }),
  );
});
