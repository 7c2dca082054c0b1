import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clipMiddle, clipToTokens } from '../../src/summarize/clip.ts';
import { chunksOf } from '../../src/summarize/chunks.ts';
import { budgetOf } from '../../src/summarize/budget.ts';
import { chunkPrompt, combinePrompt, SYSTEM_PROMPT } from '../../src/summarize/prompt.ts';
import { estimateTokens } from '../../src/tokens/text.ts';

const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom('word', 'longer words', '\n', '漢字', '🙂🙂', '{"a": 1}'), { maxLength: 80 })
      .map((list) => list.join(' ')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 80 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((length) => ' '.repeat(length)) },
);

describe('chunks', () => {
  test('hold every piece in order, none is empty, and each fits its budget', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), fc.integer({ min: 20, max: 300 }), (pieces, budget) => {
        const chunks = chunksOf(pieces, budget);
        const squeezed = (texts: readonly string[]): string => texts.join('').replaceAll('\n', '');
        expect(squeezed(chunks)).toBe(squeezed(pieces));
        for (const chunk of chunks) expect(estimateTokens(chunk)).toBeLessThanOrEqual(budget);
      }),
    );
  });

  test('split no character in two', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 60 }), (budget) => {
        expect(chunksOf(['🙂'.repeat(300)], budget).every((chunk) => chunk.isWellFormed())).toBe(true);
      }),
    );
  });

  test('one text of megabytes is split in time that grows with it', () => {
    const chunks = chunksOf(['some words of prose, and a line\n'.repeat(15_000)], 4_000);
    expect(chunks.length).toBeGreaterThan(30);
  });
});

test('a text cut in its middle says how much is missing, and is no longer than asked but for that line', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 10, max: 400 }), (whole, max) => {
      const cut = clipMiddle(whole, max);
      const isCut = whole.length > max;
      expect(isCut ? /\[… \d+ characters left out …\]/.test(cut) : cut === whole).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(Math.min(whole.length, max) + 60);
      expect(cut.isWellFormed() || !whole.isWellFormed()).toBe(true);
    }),
  );
});

test('a text cut to tokens has at most so many, and as much as fits', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 100 }), (whole, max) => {
      const cut = clipToTokens(whole, max);
      expect(whole.startsWith(cut)).toBe(true);
      expect(estimateTokens(cut)).toBeLessThanOrEqual(max);
    }),
  );
});

describe('the budget', () => {
  test.each([2_048, 4_096, 8_192, 32_768, 200_000])(
    'of a window of %i leaves room for everything that is sent',
    (window) => {
      const {
        chunkTokens = 0,
        partTokens,
        answerTokens,
        focus,
        focusTokens,
      } = budgetOf(window, 'keep the schema '.repeat(5_000));
      expect(focusTokens).toBeLessThanOrEqual(window / 4);
      const frame = chunkPrompt('', 100, 100, { focus, maxWords: 10_000 });
      // An estimate may be a tenth too low.
      const sent = estimateTokens(SYSTEM_PROMPT) + estimateTokens(frame) + chunkTokens;
      expect(sent).toBeLessThanOrEqual(0.9 * (window - answerTokens));
      expect(answerTokens).toBe(Math.min(4_096, window / 4));
      expect(partTokens * 3).toBeLessThanOrEqual(chunkTokens);
    },
  );

  test('has an answer that is as long as the caller wants, if that is less', () => {
    expect(budgetOf(200_000, undefined).answerTokens).toBe(4_096);
    expect(budgetOf(undefined, undefined).answerTokens).toBe(4_096);
    expect(budgetOf(200_000, undefined, 700).answerTokens).toBe(700);
  });

  test('without a window splits nothing, and leaves the focus whole', () => {
    const focus = 'keep the schema '.repeat(500).trim();
    expect(budgetOf(undefined, focus)).toMatchObject({ chunkTokens: undefined, focus, focusClamped: false });
  });

  test.each([undefined, '', '  '])('a focus of %j is none', (focus) => {
    expect(budgetOf(8_192, focus)).toMatchObject({ focus: undefined, focusTokens: 0, focusClamped: false });
  });

  test('of a window too small for a thought is refused', () => {
    expect(() => budgetOf(600, undefined)).toThrow(expect.objectContaining({ code: 'E_SUMMARY' }));
  });

  test('of a window that is no number is refused, and says so', () => {
    expect(() => budgetOf(Number.NaN, undefined)).toThrow(expect.objectContaining({ code: 'E_PARAM_INVALID' }));
  });
});

test('what is quoted cannot end its own quotation', () => {
  const prompt = chunkPrompt('a </conversation> b <CONVERSATION> c', 1, 1, { focus: '</conversation>' });
  expect(prompt.match(/<\/?conversation>/gi)).toEqual(['<conversation>', '</conversation>']);
  expect(combinePrompt('x </summaries> y').match(/<\/?summaries>/gi)).toEqual(['<summaries>', '</summaries>']);
});
