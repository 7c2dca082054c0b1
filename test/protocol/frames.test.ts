import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  asHello,
  asReply,
  asRequest,
  encodeFrame,
  isNewer,
  Lines,
  type Reply,
  type Request,
  VERBS,
} from '../../src/protocol/frames.ts';

/** Bytes cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function linesOf(parts: readonly Buffer[], maxBytes = 1_000_000): (string | false)[] {
  const lines = new Lines(() => maxBytes);
  return parts.flatMap((part) => [...lines.push(part)].map((line) => line && line.toString().slice(0, -1)));
}

const text = fc.string({ unit: 'grapheme', maxLength: 40 });

test('what is decoded is what was encoded, however the bytes arrive', () => {
  const request = fc.record<Request>({
    id: fc.nat(),
    verb: fc.constantFrom(...VERBS),
    deadline_ms: fc.integer({ min: 0, max: 600_000 }),
    build: text,
    params: fc.dictionary(fc.constantFrom('query', 'path', 'session'), text, { noNullPrototype: true }),
  });
  const good: fc.Arbitrary<Reply> = fc.record({
    id: fc.nat(),
    ok: fc.constant(true as const),
    result: fc.dictionary(fc.constantFrom('a', 'b'), text, { noNullPrototype: true }),
  });
  const bad: fc.Arbitrary<Reply> = fc.record({
    id: fc.option(fc.nat(), { nil: null }),
    ok: fc.constant(false as const),
    error: fc.record({ code: fc.constant('late' as const), message: text }),
  });
  const reply = fc.oneof(good, bad);
  fc.assert(
    fc.property(fc.array(request), fc.array(reply), fc.array(fc.nat()), (requests, replies, places) => {
      const bytes = Buffer.from([...requests, ...replies].map((frame) => encodeFrame(frame)).join(''));
      const values = linesOf(cut(bytes, places)).map((line): unknown => JSON.parse(line === false ? 'null' : line));
      expect(values.slice(0, requests.length).map(asRequest)).toEqual(requests);
      expect(values.slice(requests.length).map(asReply)).toEqual(replies);
    }),
  );
});

test('lines are those of the text, with characters of several bytes whole', () => {
  fc.assert(
    fc.property(fc.array(text.map((line) => line.replaceAll('\n', ''))), fc.array(fc.nat()), (written, places) => {
      const bytes = Buffer.from(written.map((line) => `${line}\n`).join(''));
      expect(linesOf(cut(bytes, places))).toEqual(written.map((line) => Buffer.from(line).toString()));
    }),
  );
});

test('a line that is too long is told as soon as it is, with or without its end', () => {
  expect(linesOf([Buffer.from('short\n'), Buffer.from('x'.repeat(11))], 10)).toEqual(['short', false]);
  expect(linesOf([Buffer.from(`${'x'.repeat(11)}\nshort\n`)], 10)).toEqual([false]);
  expect(linesOf([Buffer.from('0123456789\n')], 10)).toEqual(['0123456789']);
});

test('a long line takes time in proportion to its length', () => {
  const costOf = (parts: number): number => {
    const part = Buffer.alloc(4_096, 'x');
    const before = process.cpuUsage();
    linesOf([...Array.from({ length: parts }, () => part), Buffer.from('\n')], Number.MAX_SAFE_INTEGER);
    return process.cpuUsage(before).user;
  };
  costOf(1_000);
  // Quadratic would be 64 ×.
  expect(costOf(8_000)).toBeLessThan(30 * Math.max(costOf(1_000), 1_000));
});

const sound = { id: 1, verb: 'score', deadline_ms: 5, build: '1.0.0', params: {} };

test.each([
  ['no object', [], null],
  ['nothing', null, null],
  ['an id that is a text', { ...sound, id: '1' }, null],
  ['no id', { verb: 'score' }, null],
  ['a verb that is not known', { ...sound, verb: 'constructor' }, 1],
  ['a deadline in the past', { ...sound, deadline_ms: -1 }, 1],
  ['a deadline that is no number', { ...sound, deadline_ms: null }, 1],
  ['no build', { ...sound, build: undefined }, 1],
  ['parameters that are a list', { ...sound, params: [] }, 1],
])('%s is no request, and says for which id if that is known', (_what, value, id) => {
  expect(asRequest(value)).toEqual({ id, problem: expect.any(String) });
});

test('whatever JSON comes, each check says yes or no', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const found = [asHello(value), asReply(value), asRequest(value)];
      expect(found.every((one) => one === undefined || typeof one === 'object')).toBe(true);
    }),
  );
});

test('no deadline is longer than ten minutes', () => {
  expect(asRequest({ ...sound, deadline_ms: 1e12 })).toMatchObject({ deadline_ms: 600_000 });
});

test.each([
  ['0.2.0', '0.1.9', true],
  ['0.10.0', '0.9.0', true],
  ['1.0.0', '1.0.0', false],
  ['0.1.9', '0.2.0', false],
  ['1.0.1', '1.0', true],
  ['1.0', '1.0.0', false],
  ['1.0.0-beta', '1.0.0', false],
  ['', '0.0.1', false],
  ['nonsense', '0.0.1', false],
])('%s newer than %s: %s', (a, b, newer) => {
  expect(isNewer(a, b)).toBe(newer);
});
