import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsIn } from '../../src/providers/events.ts';

async function read(pieces: readonly Uint8Array[]): Promise<string[]> {
  async function* flow(): AsyncGenerator<Uint8Array> {
    yield* pieces;
  }
  const events: string[] = [];
  for await (const event of eventsIn(flow())) events.push(event);
  return events;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ['data: a\n\ndata: b\n\n', ['a', 'b']],
  ['data:a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  [': a comment\nevent: x\nid: 1\ndata: a\n\n', ['a']],
  ['data: two\ndata: lines\n\n', ['two\nlines']],
  ['data: without an end', ['without an end']],
  ['\n\n\n', []],
  ['', []],
])('%j holds %j', async (text, events) => {
  expect(await read([bytes(text)])).toEqual(events);
});

test('a line in very many pieces takes time that grows with it', async () => {
  const piece = bytes('x'.repeat(64));
  const startedAt = performance.now();
  const [event] = await read([bytes('data: '), ...Array.from({ length: 30_000 }, () => piece), bytes('\n\n')]);
  expect(event).toHaveLength(1_920_000);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('finds the same events however the bytes are cut', async () => {
  const lines = fc.array(
    fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat(200), { maxLength: 8 }), async (texts, cuts) => {
      const all = bytes(texts.map((text) => `data: ${text}\n\n`).join(''));
      const places = [0, ...cuts.map((cut) => cut % (all.length + 1)).sort((a, b) => a - b), all.length];
      const pieces = places.slice(1).map((end, index) => all.subarray(places[index], end));
      expect(await read(pieces)).toEqual(texts);
    }),
  );
});
