import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ranked, type RankRequest } from '../../src/scoring/ranking.ts';

const QUERY = 'how long do we wait when the mailer does not answer';
const MEMORY = { text: 'Requests to the mailer time out after 40 seconds.', cosine: 0.5 };
const TURN = { text: 'Measured: whoever asks the mailer in vain gives up after 70 seconds.', cosine: 0.8, like: [] };

function order(request: Partial<RankRequest>): string[] {
  return ranked({ query: QUERY, memories: [], turns: [], embedding: true, ...request }).map(
    ({ kind, place }) => `${kind} ${place}`,
  );
}

test('a turn that is more like the question stands above a memory about something else', () => {
  const memories = [{ text: 'Ada owns the mailer module.', cosine: 0.3 }];
  expect(order({ memories, turns: [TURN] })).toEqual(['turn 0', 'memory 0']);
});

test('a turn that is much like a memory stands behind it: it says what once was', () => {
  expect(order({ memories: [MEMORY], turns: [TURN] })).toEqual(['turn 0', 'memory 0']);
  expect(order({ memories: [MEMORY], turns: [{ ...TURN, like: [0] }] })).toEqual(['memory 0', 'turn 0']);
});

test('unless they have no word of the question in common: then it is about another part', () => {
  const memories = [{ text: 'Requests to the gateway time out after 40 seconds.', cosine: 0.4 }];
  expect(order({ memories, turns: [{ ...TURN, like: [0] }] })).toEqual(['turn 0', 'memory 0']);
});

test('likeness takes nothing from a turn that has the words of the question', () => {
  const turns = [
    { text: 'retryQueueOnce came up in the mailer.', cosine: 0.05, like: [] },
    { text: 'Let me look at it before I change anything.', cosine: 0.5, like: [] },
  ];
  expect(order({ query: 'where did retryQueueOnce come up', turns })).toEqual(['turn 0', 'turn 1']);
});

test('what is a little like the question is not about it', () => {
  const text = 'Renamed a local, nothing else.';
  expect(order({ memories: [{ text, cosine: 0.39 }], turns: [{ text, cosine: 0.39, like: [] }] })).toEqual([]);
  expect(order({ turns: [{ text, cosine: 0.41, like: [] }] })).toEqual(['turn 0']);
  expect(order({ memories: [{ text, cosine: 0.41 }] })).toEqual(['memory 0']);
});

const cosine = fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined });
const text = fc.oneof(fc.string(), fc.constantFrom(MEMORY.text, TURN.text, 'mailer', 'the answer'));
const requests = fc.record({
  query: fc.oneof(fc.constant(QUERY), fc.string()),
  memories: fc.array(fc.record({ text, cosine }), { maxLength: 12 }),
  turns: fc.array(fc.record({ text, cosine, like: fc.array(fc.nat(15), { maxLength: 4 }) }), { maxLength: 12 }),
  embedding: fc.boolean(),
});

test('everything stands there once or nothing does, each kind best first, at most two of a kind in a row while there are others', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const all = ranked(request);
      expect(ranked(request)).toEqual(all);
      if (all.length === 0) return;
      for (const kind of ['memory', 'turn'] as const) {
        const mine = all.filter((one) => one.kind === kind);
        const given = kind === 'memory' ? request.memories : request.turns;
        expect(mine.map(({ place }) => place).toSorted((a, b) => a - b)).toEqual(given.map((_, place) => place));
        expect(mine.map(({ score }) => score)).toEqual(mine.map(({ score }) => score).toSorted((a, b) => b - a));
        const others = all.findLastIndex((one) => one.kind !== kind);
        for (let at = 0; at + 2 < others; at++) {
          expect(all.slice(at, at + 3).every((one) => one.kind === kind)).toBe(false);
        }
      }
    }),
  );
});

test('whatever likenesses turns have, a turn much like a memory that has the same words never has the better score', () => {
  fc.assert(
    fc.property(cosine, cosine, (one, other) => {
      const all = ranked({
        query: QUERY,
        memories: [{ text: MEMORY.text, cosine: one }],
        turns: [{ text: TURN.text, cosine: other, like: [0] }],
        embedding: true,
      });
      const scoreOf = (kind: string): number => all.find((found) => found.kind === kind)?.score ?? 0;
      expect(scoreOf('turn')).toBeLessThanOrEqual(scoreOf('memory'));
    }),
  );
});
