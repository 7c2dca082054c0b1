import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAbout, passagesOf } from '../../src/actions/passages.ts';
import { estimateTokens } from '../../src/tokens/text.ts';

const numbered = Array.from({ length: 60 }, (_, index) => `line ${index + 1}.`).join('\n');

describe('what is asked for of a text', () => {
  test.each([
    ['lines by number', { lines: [3, 4] as const }, [[3, 4]], 0],
    ['lines beyond the end', { lines: [70, 80] as const }, [], 0],
    ['three lines on each side of a word', { about: '10.' }, [[7, 13]], 0],
    ['a phrase before its single words', { about: 'line 30.' }, [[27, 33]], 0],
    ['the whole of a short text where no word is in it', { about: 'elsewhere' }, [[1, 60]], 0],
    ['the whole where nothing is asked', {}, [[1, 60]], 0],
  ])('%s', (_, asked, runs, more) => {
    const found = passagesOf(numbered, asked);
    expect(found.passages.map(({ first, last }) => [first, last])).toEqual(runs);
    expect(found.more).toBe(more);
  });

  test.each([
    ['a path of which the text has the end', '/home/n/work/src/Queue.ts', 'src/queue.ts'],
    ['a path of which the text has the name', 'other\\queue.ts', 'queue.ts'],
    ['a word beside one that is not there', 'nothing MAX_RETRIES', 'max_retries'],
    ['a word in a long line', 'deep_inside', 'deep_inside'],
  ])('each passage has what was asked for: %s', (_, about, word) => {
    const text = [
      numbered,
      'see src/queue.ts',
      numbered,
      'max_retries = 3',
      numbered,
      `${'x '.repeat(900)}deep_inside`,
    ];
    const { passages } = passagesOf(text.join('\n'), { about });
    expect(passages).toHaveLength(1);
    expect(passages[0]?.text.toLowerCase()).toContain(word);
    expect(isAbout(text.join('\n'), about)).toBe(true);
  });

  test('a name that stands everywhere is shown as far as 1,200 tokens go, and the rest is counted', () => {
    const text = Array.from({ length: 2_000 }, (_, index) => `retries of job ${index} are limited by max_retries`).join(
      '\n',
    );
    const { passages, more } = passagesOf(text, { about: 'max_retries' });
    expect(estimateTokens(passages.map((passage) => passage.text).join('\n'))).toBeLessThan(1_400);
    expect(more).toBeGreaterThan(1_000);
  });

  test.each([
    ['many lines', 'a line of a long dump\n'.repeat(90_000)],
    ['one line without end', 'x'.repeat(2_000_000)],
    ['lines without end', `${'x'.repeat(100_000)}\n`.repeat(20)],
  ])('where no word is in it, the beginning, and that it is so: %s', (_, text) => {
    const found = passagesOf(text, { about: 'max_retires' });
    expect(found.absent).toBe(true);
    expect(found.passages[0]?.first).toBe(1);
    expect(estimateTokens(found.passages[0]?.text ?? '')).toBeLessThan(1_400);
  });

  test('of a line without end that is asked for by number, the beginning, and that it is so', () => {
    const text = `first\n${'x'.repeat(2_000_000)}\nlast`;
    expect(passagesOf(text, { lines: [2, 2] })).toMatchObject({ cut: true, passages: [{ first: 2, last: 2 }] });
    expect(passagesOf(text, { lines: [1, 3] }).passages[0]?.text).toMatch(/^first\nx{5000}…\nlast$/);
    expect(passagesOf(text, { lines: [1, 1] })).toEqual({ passages: [{ first: 1, last: 1, text: 'first' }], more: 0 });
  });

  test('of a line without end only what stands around the word is shown', () => {
    const text = `${'x'.repeat(50_000)} max_retries ${'y'.repeat(50_000)}`;
    const { passages } = passagesOf(text, { about: '`max_retries`' });
    expect(passages[0]?.text).toContain(' max_retries ');
    expect(passages[0]?.text.length).toBeLessThan(600);
  });

  test('passages are in order, do not overlap, and are well-formed', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 40 }), fc.string(), (lines, about) => {
        const { passages } = passagesOf(lines.join('\n').toWellFormed(), { about });
        let before = 0;
        for (const { first, last, text } of passages) {
          expect(first).toBeGreaterThan(before);
          expect(last).toBeGreaterThanOrEqual(first);
          expect(text.isWellFormed()).toBe(true);
          before = last;
        }
      }),
    );
  });
});

test('a long line is never cut inside a character, wherever it is cut', () => {
  const unit = fc.constantFrom('a', ' ', '𐀀', '🙂', 'é');
  const line = fc.array(unit, { minLength: 700, maxLength: 6_000 }).map((units) => units.join(''));
  fc.assert(
    fc.property(line, fc.nat(200), fc.boolean(), (long, before, byNumber) => {
      const text = `${long.slice(0, before).toWellFormed().replaceAll('\ufffd', '')}needle${long}`;
      const { passages } = passagesOf(text, byNumber ? { lines: [1, 1] } : { about: 'needle' });
      const pieces = passages.flatMap((passage) => passage.text.split('…'));
      expect(pieces.filter((piece) => !text.includes(piece) || !piece.isWellFormed())).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
