import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ValueSplitter, type Piece } from '../../src/rpc/split.ts';

function split(chunks: readonly (string | Buffer)[], maxBytes?: number): Piece[] {
  const splitter = new ValueSplitter(maxBytes);
  const pieces = chunks.flatMap((chunk) => splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
  return [...pieces, ...splitter.end()];
}

const short = ({ kind, text }: Piece): string => `${kind}: ${text}`;

const PING_1 = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const PING_2 = '{"jsonrpc":"2.0","id":2,"method":"ping"}';
const PRETTY = JSON.stringify({ jsonrpc: '2.0', id: 1, params: { list: [1, { a: '}' }], empty: {} } }, null, 2);

describe('values in a stream', () => {
  test.each([
    ['one on a line', `${PING_1}\n`, [`value: ${PING_1}`]],
    ['one without a line end', PING_1, [`value: ${PING_1}`]],
    ['one a line', `${PING_1}\n${PING_2}\n`, [`value: ${PING_1}`, `value: ${PING_2}`]],
    [
      'lines that end with CR and LF, blank ones between',
      `${PING_1}\r\n\r\n  \n${PING_2}\r\n`,
      [`value: ${PING_1}`, `value: ${PING_2}`],
    ],
    [
      'several on one line',
      `${PING_1}${PING_2} ${PING_1}`,
      [`value: ${PING_1}`, `value: ${PING_2}`, `value: ${PING_1}`],
    ],
    ['one pretty-printed', PRETTY, [`value: ${PRETTY}`]],
    [
      'pretty-printed ones, concatenated',
      `${PRETTY}${PRETTY}\n${PRETTY}`,
      Array.from({ length: 3 }, () => `value: ${PRETTY}`),
    ],
    ['a batch with one request a line', `[\n${PING_1},\n${PING_2}\n]\n`, [`value: [\n${PING_1},\n${PING_2}\n]`]],
    ['brackets and quotes inside texts', '{"a":"]}\\"{["}\n[1]', ['value: {"a":"]}\\"{["}', 'value: [1]']],
    ['a backslash at the end of a text', '{"a":"\\\\"}\n[1]', ['value: {"a":"\\\\"}', 'value: [1]']],
    ['a byte order mark', `\uFEFF${PING_1}`, [`value: ${PING_1}`]],
    ['nothing', '', []],
    ['only blanks', ' \n\r\n\t', []],
  ])('%s', (_, input, expected) => {
    expect(split([input]).map(short)).toEqual(expected);
  });

  test('gives a value as soon as it is closed, before its line ends', () => {
    const splitter = new ValueSplitter();
    expect(splitter.push(Buffer.from(PING_1)).map(short)).toEqual([`value: ${PING_1}`]);
    expect(splitter.push(Buffer.from('\n'))).toEqual([]);
    expect(splitter.end()).toEqual([]);
  });
});

describe('what is no value', () => {
  test.each([
    ['a line of words', `${PING_1}\nnot json\n${PING_2}`, [`value: ${PING_1}`, 'value: not json', `value: ${PING_2}`]],
    ['each line of words by itself', 'one\ntwo\n', ['value: one', 'value: two']],
    [
      'words after a value',
      `${PING_1} and so on\n${PING_2}`,
      [`value: ${PING_1}`, 'value: and so on', `value: ${PING_2}`],
    ],
    ['a bracket too many', `${PING_1}}\n${PING_2}`, [`value: ${PING_1}`, 'value: }', `value: ${PING_2}`]],
    ['a value cut off before its end', `{"a":[1,2]\n${PING_2}`, ['broken: {"a":[1,2]', `value: ${PING_2}`]],
    ['a value cut off in a text', `{"a":"b\n${PING_2}`, ['broken: {"a":"b', `value: ${PING_2}`]],
    [
      'a value cut off after a colon',
      `{"a":\n${PING_1}\n${PING_2}`,
      ['broken: {"a":', `value: ${PING_1}`, `value: ${PING_2}`],
    ],
    ['a value cut off after a comma', `{"a":1,\n${PING_2}`, ['broken: {"a":1,', `value: ${PING_2}`]],
    [
      'a list cut off after a comma',
      `[1,\n${PING_1}\n${PING_2}`,
      ['broken: [1,', `value: ${PING_1}`, `value: ${PING_2}`],
    ],
    ['a value cut off, then words', `{"a":1\nwords\n${PING_2}`, ['broken: {"a":1', 'value: words', `value: ${PING_2}`]],
    [
      'a text cut off, then words',
      `{"a":"b\nwords\n${PING_2}`,
      ['broken: {"a":"b', 'value: words', `value: ${PING_2}`],
    ],
    ['a batch without its end', `[\n${PING_1},\n${PING_2}\n`, ['broken: [', `value: ${PING_1}`, `value: ${PING_2}`]],
    ['a value that never ends', '{"a":[', ['broken: {"a":[']],
    [
      'a pretty-printed value with a text cut off, as one piece',
      `{\n  "a": "b\n  "c": [\n    {}\n  ]\n}\n${PING_2}`,
      ['broken: {\n  "a": "b', `value: ${PING_2}`],
    ],
    [
      'a request cut off among messages, one a line: the messages are no requests',
      `{"messages":[\n{"role":"user","content":"a"},\n{"role":"user","content":"b"}\n`,
      ['broken: {"messages":[\n{"role":"user","content":"a"},\n{"role":"user","content":"b"}'],
    ],
  ])('%s', (_, input, expected) => {
    expect(split([input]).map(short)).toEqual(expected);
  });

  test('refuses a value longer than the limit, then goes on', () => {
    const pieces = split([`{"a":"${'x'.repeat(50)}`, 'y'.repeat(60), `"}\n${PING_2}`], 100);
    expect(pieces.map(short)).toEqual(['too-large: ', `value: ${PING_2}`]);
  });
});

/** Any way to cut a buffer, also inside characters. */
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 12 });

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const borders = [0, ...at.filter((border) => border < bytes.length).sort((a, b) => a - b), bytes.length];
  return borders.slice(1).map((end, index) => bytes.subarray(borders[index] ?? 0, end));
}

/** Objects and lists: what a request can be. */
const container = fc.oneof(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), fc.array(fc.jsonValue()));
const line = fc.oneof(
  container.map((value) => JSON.stringify(value)),
  container.map((value) => JSON.stringify(value, null, 2)),
  fc.constantFrom('words', '{"cut":', '{"cut":"o', ']', '漢字 🙂', '"', ','),
);

describe('whatever the chunking', () => {
  test('gives the same pieces', () => {
    fc.assert(
      fc.property(fc.array(line), cuts, (lines, at) => {
        const bytes = Buffer.from(lines.join('\n'));
        expect(split(cut(bytes, at))).toEqual(split([bytes]));
      }),
    );
  });

  test('gives back the values that went in', () => {
    fc.assert(
      fc.property(
        fc.array(container),
        fc.constantFrom('', '\n', ' ', '\r\n'),
        fc.constantFrom(0, 2),
        cuts,
        (values, glue, indent, at) => {
          const bytes = Buffer.from(values.map((value) => JSON.stringify(value, null, indent)).join(glue));
          const pieces = split(cut(bytes, at));
          expect(pieces.map(({ text }) => JSON.parse(text))).toEqual(
            values.map((value) => JSON.parse(JSON.stringify(value))),
          );
        },
      ),
    );
  });

  test('answers the request after one that was cut off anywhere', () => {
    const text = 'c, d: e "f" \\ \u0000\n[1]';
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, params: { a: [1, { b: text, [text]: 1 }], f: {} } });
    for (let end = 1; end < request.length; end++) {
      const pieces = split([`${request.slice(0, end)}\n${PING_2}\n`]);
      expect(pieces.at(-1)).toEqual({ kind: 'value', text: PING_2 });
      expect(pieces).toHaveLength(2);
    }
  });
});

test('reads megabytes of nested and of cut-off input in time that grows with their length', () => {
  const shapes = ['[\n', '{"a":\n', '{"a":1\n', `${PING_1}\n`, '"'];
  for (const shape of shapes) {
    const bytes = Buffer.from(shape.repeat(Math.ceil(2_000_000 / shape.length)));
    const startedAt = performance.now();
    split(
      Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) => bytes.subarray(i * 65_536, (i + 1) * 65_536)),
    );
    // Ten times what a slow machine needs; anything quadratic takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  }
});
