import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMark } from '../../src/messages/marks.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { capToolResult, cutResults, resultCap } from '../../src/shaping/cap.ts';
import { estimateTokens } from '../../src/tokens/text.ts';
import { frozen } from '../support/laws.ts';
import { cpuMs } from '../support/time.ts';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at}: the queue keeps each job until its handler returns`).join('\n');
const block = (content: unknown): Block => ({ type: 'tool_result', tool_use_id: 'a', content });
const IMAGE: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

test('a result may have two fifths of the budget, and never less than 512 tokens', () => {
  expect([0, 1_000, 1_280, 2_000, 10_000].map(resultCap)).toEqual([512, 512, 512, 800, 4_000]);
});

test('what is under the cap is the same object', () => {
  const small = frozen({ role: 'user', content: [block(lines(20)), block([IMAGE, IMAGE])] });
  expect(capToolResult(small, 2_000)).toBe(small);
  const one = frozen(block(lines(20)));
  expect(capToolResult(one, 2_000)).toBe(one);
});

test.each([Number.NaN, undefined, null, '900'])(
  'a budget of %s is refused: nothing of the result would be left',
  (budget) => {
    // As a caller without types may pass it.
    expect(() => capToolResult({ role: 'tool', tool_call_id: 'c', content: 'x' }, budget as number)).toThrow(
      expect.objectContaining({ code: 'E_PARAM_INVALID', field: 'budgetTokens' }),
    );
  },
);

test.each([null, undefined, 5, 'text', [], {}])('%j is no result, and comes back', (none) => {
  // As above.
  expect(capToolResult(none as object, 1)).toBe(none);
});

test.each<[why: string, result: Message]>([
  ['a prompt', { role: 'user', content: lines(2_000) }],
  ['a text beside results', { role: 'user', content: [{ type: 'text', text: lines(2_000) }] }],
  ['an answer', { role: 'assistant', content: lines(2_000) }],
  [
    'search results with their sources',
    { role: 'user', content: [block([{ type: 'search_result', content: lines(2_000) }])] },
  ],
  [
    'the result of a server tool',
    { role: 'assistant', content: [{ type: 'web_fetch_tool_result', tool_use_id: 's', content: lines(2_000) }] },
  ],
])('is no business of the cap: %s', (_, message) => {
  expect(capToolResult(message, 1_000)).toBe(message);
});

describe('cuts once', () => {
  const whole = lines(500);
  const cut = capToolResult<Message>({ role: 'tool', tool_call_id: 'a', content: whole }, 2_000);
  const text = String(cut.content);

  test('header, beginning, mark, end, in whole lines', () => {
    const [header = '', ...rest] = text.split('\n');
    expect(header).toMatch(/^\[chitta:cut #[a-z2-7]{7} kept \d+ of \d+ tokens, \d+ of 500 lines\]$/);
    const all = whole.split('\n');
    const gap = rest.findIndex(isMark);
    expect(rest.slice(0, gap)).toEqual(all.slice(0, gap));
    const tail = rest.slice(gap + 1);
    expect(tail).toEqual(all.slice(-tail.length));
    expect(Math.abs(gap - tail.length)).toBeLessThan(4);
  });

  test('to the cap, and not much below it', () => {
    expect(estimateTokens(text)).toBeLessThanOrEqual(800);
    expect(estimateTokens(text)).toBeGreaterThan(650);
  });

  test('and never again, also where there is less room now', () => {
    expect(capToolResult(cut, 2_000)).toBe(cut);
    expect(capToolResult(cut, 100)).toBe(cut);
  });

  test('but a file that begins with such a header is cut', () => {
    const quoted = `[chitta:cut #aaaaaaa kept 5 of 9 tokens, 1 of 2 lines]\n${whole}`;
    expect(capToolResult(block(quoted), 2_000)['content']).not.toBe(quoted);
  });
});

test('a block comes back as a block, with all it had', () => {
  const given = { ...block(lines(500)), is_error: true, cache_control: { type: 'ephemeral' }, mine: 1 };
  const cut = capToolResult(frozen(given), 2_000);
  expect({ ...cut, content: '' }).toEqual({ ...given, content: '' });
});

test('images stay, texts of one result share the room, and each result has its own', () => {
  const content = [
    { type: 'text', text: lines(300), mine: 1 },
    IMAGE,
    { type: 'text', text: lines(300) },
    { type: 'text', text: lines(300) },
  ];
  const cut = capToolResult<Message>({ role: 'user', content: [block(content), block(lines(300))] }, 2_000);
  const [first, second] = cut.content as Block[];
  const inner = first!['content'] as Block[];
  expect(inner.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
  expect(inner[0]).toHaveProperty('mine', 1);
  expect(inner[1]).toBe(IMAGE);
  const texts = inner.flatMap((one) => (typeof one['text'] === 'string' ? [one['text']] : []));
  expect(estimateTokens(texts.join('\n'))).toBeLessThanOrEqual(800);
  expect(estimateTokens(String(second!['content']))).toBeGreaterThan(650);
  expect(capToolResult(cut, 2_000)).toBe(cut);
});

test('the handle of the header may be given', () => {
  expect(String(capToolResult(block(lines(500)), 100, { handle: 'file 7' })['content'])).toMatch(
    /^\[chitta:cut file 7 kept /,
  );
});

const long: [why: string, text: string][] = [
  ['a megabyte on one line', 'x'.repeat(1_000_000)],
  ['words on one line', 'word '.repeat(200_000)],
  ['blanks', ' '.repeat(1_000_000)],
  ['line feeds', '\n'.repeat(1_000_000)],
  ['emoji of several characters each', '👩‍👩‍👧‍👦'.repeat(40_000)],
  ['joiners and nothing else', '\u200d'.repeat(200_000)],
  ['lone surrogates', '\ud83d'.repeat(200_000)],
  ['Windows line ends', 'one line\r\n'.repeat(50_000)],
  ['one short line, then a long one', `short\n${'漢'.repeat(100_000)}`],
];

test.each(long)('holds in a moment: %s', (_, text) => {
  let cut: ReturnType<typeof block> = block('');
  expect(cpuMs(() => (cut = capToolResult(block(text), 2_000)))).toBeLessThan(3_000);
  const after = String(cut['content']);
  expect(estimateTokens(after)).toBeLessThanOrEqual(800);
  expect(after.isWellFormed()).toBe(text.isWellFormed());
  expect(capToolResult(cut, 2_000)).toBe(cut);
});

test('whatever the text, the cap holds, characters stay whole, and a second time changes nothing', () => {
  const piece = fc.oneof(
    fc.constantFrom('\n', 'word ', '漢字', '🙂', 'e\u0301', '0x3f2a', '{"a":1},', '\r\n', '   '),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  );
  const text = fc.tuple(fc.array(piece, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 300 }));
  fc.assert(
    fc.property(text, fc.integer({ min: 128, max: 2_000 }), ([pieces, times], tokens) => {
      const whole = pieces.join('').repeat(times);
      const message = frozen({ role: 'tool', tool_call_id: 'a', content: whole });
      const cut = cutResults(message, tokens);
      expect(cut === message).toBe(estimateTokens(whole) <= tokens);
      const after = String(cut.content);
      expect(estimateTokens(after)).toBeLessThanOrEqual(tokens);
      expect(after.isWellFormed()).toBe(true);
      expect(cutResults(cut, tokens)).toBe(cut);
      const parts = after.split('\n').filter((line) => !isMark(line));
      for (const part of parts) expect(whole.includes(part)).toBe(true);
    }),
    { numRuns: 60 },
  );
});
