import * as fc from 'fast-check';
import { performance } from 'node:perf_hooks';
import { describe, expect, test } from 'vitest';
import { assembleHotContext, HOT_BUDGET, type HotInputs } from '../../src/hot/assemble.ts';
import type { Directive } from '../../src/hot/directives.ts';
import { estimateTokens } from '../../src/tokens/text.ts';

const NOTHING: HotInputs = { focus: [], directives: [], charter: '' };

/** Accepted, in the order given, the last one newest. */
function accepted(...texts: readonly string[]): Directive[] {
  return texts.map((text, index) => ({
    id: index + 1,
    text,
    status: 'accepted',
    replaces: undefined,
    createdMs: index,
  }));
}

const CHARTER_LINE = 'Keep every function small, and say in its comment which promise it makes to the caller.';
const LARGE_CHARTER = Array.from({ length: 1_700 }, (_, i) => `${i}. ${CHARTER_LINE}`).join('\n');

describe('what is in it', () => {
  test('all of it when there is room, most important first', () => {
    const { text, ...report } = assembleHotContext({
      focus: [{ number: 12, title: 'Log in with a passkey' }, { title: 'Tests for it' }],
      directives: accepted('Never touch the public API.', 'Answer in English.\nShortly.'),
      charter: '# Rules\r\n\r\nSmall commits.\n',
    });
    expect(text).toBe(
      [
        '## Focus\n- #12 Log in with a passkey\n- Tests for it',
        '## Directives\n- Answer in English.\n  Shortly.\n- Never touch the public API.',
        '## Charter\n# Rules\n\nSmall commits.',
      ].join('\n\n'),
    );
    expect(report).toEqual({
      tokens: estimateTokens(text),
      budget: HOT_BUDGET,
      focus: { given: 2, shown: 2, cut: false },
      directives: { active: 2, shown: [2, 1] },
      charter: { lines: 3, shown: 3 },
    });
  });

  test('nothing at all for nothing', () => {
    expect(assembleHotContext({ focus: [{ title: ' ' }], directives: accepted('\n'), charter: ' \n' })).toMatchObject({
      text: '',
      tokens: 0,
      focus: { given: 0, shown: 0, cut: false },
      directives: { active: 0, shown: [] },
      charter: { lines: 0, shown: 0 },
    });
  });

  test('a title is one line, so that no body comes along', () => {
    expect(assembleHotContext({ ...NOTHING, focus: [{ title: 'a\n\nb\tc' }] }).text).toBe('## Focus\n- a b c');
  });

  test('only directives that hold', () => {
    const [first, second, third] = accepted('one', 'two', 'three') as [Directive, Directive, Directive];
    const ledger: Directive[] = [
      first,
      { ...second, status: 'amended', replaces: 1 },
      third,
      { ...third, id: 4, status: 'revoked', replaces: 3, createdMs: 9 },
    ];
    expect(assembleHotContext({ ...NOTHING, directives: ledger }).text).toBe('## Directives\n- two');
  });
});

describe('when it does not fit', () => {
  test('the charter is cut behind a line, with an ellipsis line, and fills the rest of the budget', () => {
    const { text, tokens, charter } = assembleHotContext({
      focus: [{ title: 'the login' }],
      directives: accepted('Never touch the public API.'),
      charter: LARGE_CHARTER,
    });
    expect(estimateTokens(LARGE_CHARTER)).toBeGreaterThan(34_000);
    expect(text.startsWith('## Focus\n- the login\n\n## Directives\n- Never touch')).toBe(true);
    const shown = text.slice(text.indexOf('## Charter\n') + '## Charter\n'.length).split('\n');
    expect(shown.at(-1)).toBe('…');
    expect(shown.slice(0, -1)).toEqual(LARGE_CHARTER.split('\n').slice(0, charter.shown));
    expect(tokens).toBeLessThanOrEqual(HOT_BUDGET);
    // Another line would not have had room.
    expect(tokens).toBeGreaterThan(HOT_BUDGET - estimateTokens(`1. ${CHARTER_LINE}\n`) - 2);
  });

  test('a charter of one line that is too long is left out, since it has no line to be cut behind', () => {
    const { text, charter } = assembleHotContext({ ...NOTHING, charter: 'word '.repeat(20_000) });
    expect({ text, charter }).toEqual({ text: '', charter: { lines: 1, shown: 0 } });
  });

  test('directives take two thirds, newest first, and leave the rest to the charter', () => {
    const texts = Array.from({ length: 100 }, (_, i) => `${i}. ${CHARTER_LINE}`);
    const { text, directives, tokens } = assembleHotContext({
      ...NOTHING,
      directives: accepted(...texts),
      charter: LARGE_CHARTER,
    });
    const block = text.slice(0, text.indexOf('\n\n## Charter'));
    expect(estimateTokens(block)).toBeLessThanOrEqual((HOT_BUDGET * 2) / 3);
    expect(estimateTokens(block)).toBeGreaterThan((HOT_BUDGET * 2) / 3 - estimateTokens(`- ${texts[0]}`) - 2);
    expect(directives.active).toBe(100);
    expect(directives.shown).toEqual(directives.shown.map((_, i) => 100 - i));
    expect(tokens).toBeGreaterThan(HOT_BUDGET * 0.97);
  });

  test('a directive that is too large by itself is left out, and keeps no other out', () => {
    const { directives } = assembleHotContext({ ...NOTHING, directives: accepted('short', 'long '.repeat(3_000)) });
    expect(directives).toEqual({ active: 2, shown: [1] });
  });

  test('the focus is shown even when nothing else has room then', () => {
    const focus = Array.from({ length: 100 }, (_, i) => ({ number: i, title: CHARTER_LINE }));
    const {
      text,
      focus: report,
      directives,
      charter,
    } = assembleHotContext(
      { focus, directives: accepted(CHARTER_LINE.repeat(3)), charter: `${CHARTER_LINE.repeat(3)}\nb` },
      1_000,
    );
    const lines = text.split('\n');
    expect(lines[1]).toBe(`- #0 ${CHARTER_LINE}`);
    expect(lines.at(-1)).toBe('…');
    expect(report).toEqual({ given: 100, shown: lines.length - 2, cut: true });
    expect([directives.shown, charter.shown]).toEqual([[], 0]);
  });

  test('one title that is larger than the budget is cut with a mark', () => {
    const { text, focus } = assembleHotContext({ ...NOTHING, focus: [{ title: '漢字'.repeat(5_000) }] }, 50);
    expect(text).toMatch(/^## Focus\n- [漢字]{30,}…$/u);
    expect(focus).toEqual({ given: 1, shown: 1, cut: true });
  });

  test.each([0, 1, 2, 5])('a budget of %i tokens gives nothing', (budget) => {
    const { text, focus } = assembleHotContext({ ...NOTHING, focus: [{ title: 'a title of some words' }] }, budget);
    expect({ text, focus }).toEqual({ text: '', focus: { given: 1, shown: 0, cut: true } });
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom(
    '',
    '\n\n',
    '\ud800',
    'x'.repeat(100_000),
    '漢字かな交じり文。'.repeat(400),
    '한국어 문장입니다.\n'.repeat(200),
    '👩‍💻🚀'.repeat(300),
    ' '.repeat(5_000),
    `${'-'.repeat(5_000)}\n`.repeat(3),
    LARGE_CHARTER,
    '[/chitta:restored]\n[chitta:gap #abcdefg 3]',
  ),
);
const anyDirective = fc.record<Directive>({
  id: fc.integer({ min: 1, max: 8 }),
  text: anyText,
  status: fc.constantFrom('proposed', 'accepted', 'amended', 'revoked', 'superseded'),
  replaces: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  createdMs: fc.integer({ min: 0, max: 5 }),
});
const anyInputs = fc.record<HotInputs>({
  focus: fc.array(fc.record({ number: fc.option(fc.nat(), { nil: undefined }), title: anyText }), { maxLength: 6 }),
  directives: fc.array(anyDirective, { maxLength: 8 }),
  charter: fc.array(anyText, { maxLength: 5 }).map((lines) => lines.join('\n')),
});
const anyBudget = fc.oneof(fc.constantFrom(0, 1, 10, HOT_BUDGET), fc.integer({ min: 0, max: 4_000 }));

describe('for any inputs', () => {
  test('the total never exceeds the budget, and is what is reported', () => {
    fc.assert(
      fc.property(anyInputs, anyBudget, (inputs, budget) => {
        const { text, tokens } = assembleHotContext(inputs, budget);
        expect(tokens).toBe(estimateTokens(text));
        expect(tokens).toBeLessThanOrEqual(budget);
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });

  test('nothing is left out without a mark or a report', () => {
    fc.assert(
      fc.property(anyInputs, anyBudget, (inputs, budget) => {
        const { text, focus, charter, directives } = assembleHotContext(inputs, budget);
        const charterCut = charter.shown > 0 && charter.shown < charter.lines;
        expect(focus.cut || focus.shown === focus.given).toBe(true);
        expect(!(focus.cut && focus.shown > 0) || text.includes('…')).toBe(true);
        expect(!charterCut || text.endsWith('\n…')).toBe(true);
        expect(directives.shown.length).toBeLessThanOrEqual(directives.active);
      }),
    );
  });

  test('a larger budget never loses a line of the focus', () => {
    fc.assert(
      fc.property(anyInputs, anyBudget, (inputs, budget) => {
        const shown = assembleHotContext(inputs, budget).focus.shown;
        expect(assembleHotContext(inputs, budget + 500).focus.shown).toBeGreaterThanOrEqual(shown);
      }),
    );
  });
});

test.each<[string, HotInputs]>([
  ['charter of many lines', { ...NOTHING, charter: 'a line of the charter\n'.repeat(200_000) }],
  ['charter of one line', { ...NOTHING, charter: 'word '.repeat(800_000) }],
  ['ledger', { ...NOTHING, directives: accepted(...Array.from({ length: 50_000 }, (_, i) => `rule ${i}`)) }],
  ['focus', { ...NOTHING, focus: Array.from({ length: 50_000 }, (_, number) => ({ number, title: 'a title' })) }],
  ['title', { ...NOTHING, focus: [{ title: 'x'.repeat(4_000_000) }] }],
])('a huge %s is packed in time that grows with its size', (_name, inputs) => {
  const startedAt = performance.now();
  assembleHotContext(inputs);
  // Some 100 ms on a quiet machine; anything quadratic would take minutes.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
