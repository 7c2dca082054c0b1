import { describe, expect, test } from 'vitest';
import { type Compaction, compactMessages, type CompactOptions } from '../../src/compaction/compact.ts';
import { formula } from '../../src/compaction/formula.ts';
import { writeMark } from '../../src/messages/marks.ts';
import type { Message } from '../../src/messages/types.ts';

/** Ten tokens a message unless it says otherwise: budgets can then be read off. */
const countTokens = (message: Message): number => (typeof message['cost'] === 'number' ? message['cost'] : 10);

function compact(messages: readonly Message[], options: CompactOptions): Compaction {
  return compactMessages(messages, { strategy: formula, countTokens, ...options });
}

function outcome(messages: readonly Message[], options: CompactOptions): string[] {
  const { verdicts } = compact(messages, options);
  return verdicts.map(({ choice }) => `${choice.action} ${choice.reason}`);
}

const user = (content: string, extra: Record<string, unknown> = {}): Message => ({ role: 'user', content, ...extra });
const say = (content: string, extra: Record<string, unknown> = {}): Message => ({
  role: 'assistant',
  content,
  ...extra,
});
const call = (id: string, extra: Record<string, unknown> = {}): Message => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'Read', input: {} }],
  ...extra,
});
const answer = (id: string, extra: Record<string, unknown> = {}): Message => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'text' }],
  ...extra,
});

describe('compaction by the formula', () => {
  test('scores each message as worked out by hand', () => {
    const messages = [user('a'), call('x'), answer('x'), say('b'), user('c')];
    const { verdicts } = compact(messages, {
      targetRatio: 1,
      similarity: [0, 1, 0.5, 0.25, 1],
      coverage: [1, 0, 0.5, 0, 0],
    });
    // Recency of five messages: 0.1, 0.325, 0.55, 0.775, 1.
    const expected = [
      1.0 * (0.3 * 0.1),
      0.8 * (0.3 * 0.325 + 0.4 * 1 + 0.3 * 1),
      0.5 * (0.3 * 0.55 + 0.4 * 0.5 + 0.3 * 0.5),
      0.8 * (0.3 * 0.775 + 0.4 * 0.25 + 0.3 * 1),
      1.0 * (0.3 * 1 + 0.4 * 1 + 0.3 * 1),
    ];
    expected.forEach((score, index) => {
      expect(verdicts[index]?.choice.score).toBeCloseTo(score, 12);
    });
  });

  test('keeps the best units that fit, in their old order, as the same objects', () => {
    const messages = [user('oldest'), say('old'), user('newer'), say('new'), user('last')];
    const result = compact(messages, { budgetTokens: 30 });
    expect(result.messages.map((message) => message.content)).toEqual(['newer', 'new', 'last']);
    expect(result.messages.every((message) => messages.includes(message))).toBe(true);
    expect(result).toMatchObject({ beforeTokens: 50, afterTokens: 30, overBudget: false });
  });

  test('passes over a unit that does not fit and goes on with the next', () => {
    const messages = [say('small'), say('huge', { cost: 100 }), user('last')];
    expect(outcome(messages, { budgetTokens: 20 })).toEqual([
      'keep within-budget',
      'drop over-budget',
      'keep last-prompt',
    ]);
  });

  test('a unit scores as the token-weighted mean of its messages', () => {
    // The call alone would win against the prose; its bulky result pulls the unit below it.
    const messages = [
      user('go', { cost: 1 }),
      say('prose', { cost: 50 }),
      call('a', { cost: 1 }),
      answer('a', { cost: 49 }),
      user('last', { cost: 1 }),
    ];
    expect(outcome(messages, { budgetTokens: 53 })).toEqual([
      'keep within-budget',
      'keep within-budget',
      'drop over-budget',
      'drop over-budget',
      'keep last-prompt',
    ]);
  });

  test('what the memory covers goes before what stands nowhere else', () => {
    const messages = [user('covered'), user('novel'), user('last')];
    const options = { budgetTokens: 20, coverage: [0.9, 0, 0] };
    expect(outcome(messages, options)).toEqual(['drop covered', 'keep within-budget', 'keep last-prompt']);
    expect(compact(messages, { ...options }).covered).toBe(1);
  });

  test.each<[why: string, messages: Message[], reasons: string[]]>([
    [
      'system and developer messages',
      [{ role: 'system', content: 's' }, { role: 'developer', content: 'd' }, say('x')],
      ['keep system', 'keep system', 'drop over-budget'],
    ],
    [
      'the last typed prompt, not a later echo',
      [user('go'), say('x'), user('<command-name>/cost</command-name>')],
      ['keep last-prompt', 'drop over-budget', 'drop over-budget'],
    ],
    [
      'a call still waiting for its answer',
      [user('go'), call('a'), answer('a'), call('b')],
      ['keep last-prompt', 'drop over-budget', 'drop over-budget', 'keep waiting-call'],
    ],
    [
      'the answers that are already there, when a parallel one is awaited',
      [
        user('go'),
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'a', name: 'R', input: {} },
            { type: 'tool_use', id: 'b', name: 'R', input: {} },
          ],
        },
        answer('a'),
      ],
      ['keep last-prompt', 'keep waiting-call', 'keep pair'],
    ],
    [
      'parallel calls that came one by one, some answered',
      [user('go'), call('a'), answer('a'), call('b'), call('c'), call('d'), answer('d')],
      [
        'keep last-prompt',
        'drop over-budget',
        'drop over-budget',
        'keep waiting-call',
        'keep waiting-call',
        'drop over-budget',
        'drop over-budget',
      ],
    ],
    [
      'not a call whose answer was lost before the model spoke again',
      [user('go'), call('a'), call('b'), answer('b'), say('on we go')],
      ['keep last-prompt', 'drop over-budget', 'drop over-budget', 'drop over-budget', 'drop over-budget'],
    ],
    [
      'not a call given up long ago',
      [call('a'), user('never mind'), say('fine')],
      ['drop over-budget', 'keep last-prompt', 'drop over-budget'],
    ],
  ])('protects %s', (_why, messages, reasons) => {
    expect(outcome(messages, { budgetTokens: 1 })).toEqual(reasons);
  });

  test('keeps what the caller pins, with the rest of its unit', () => {
    const messages = [call('plan'), answer('plan', { plan: true }), user('last')];
    const pinned = (message: Message): boolean => message['plan'] === true;
    expect(outcome(messages, { budgetTokens: 10, pinned })).toEqual(['keep pair', 'keep pinned', 'keep last-prompt']);
  });

  test('keeps the last prompt even when it alone exceeds the budget, and says so', () => {
    const { messages, overBudget } = compact([say('x'), user('long', { cost: 500 })], {
      budgetTokens: 100,
    });
    expect(messages.map((message) => message.content)).toEqual(['long']);
    expect(overBudget).toBe(true);
  });

  test("chitta's own marks are the first to go", () => {
    const mark = user(writeMark('gap', ['#abcdefg'], '3 messages'));
    expect(outcome([say('old'), say('older'), mark, user('last')], { budgetTokens: 30 })).toEqual([
      'keep within-budget',
      'keep within-budget',
      'drop own-mark',
      'keep last-prompt',
    ]);
  });

  test.each<unknown>([Number.NaN, -5, Number.POSITIVE_INFINITY, '12', undefined, Promise.resolve(12)])(
    'a counter that answers %s is an error of its owner, not a message without a price',
    (price) => {
      // What a caller without types may pass.
      const countTokens = (() => price) as () => number;
      const failure = expect.objectContaining({ code: 'E_PARAM_INVALID', field: 'countTokens' });
      expect(() => compact([say('x')], { countTokens })).toThrow(failure);
    },
  );

  test('numbers outside 0..1 are clamped, and no number counts as unknown', () => {
    const { verdicts } = compact([say('x'), say('y')], {
      similarity: [-1, 7],
      coverage: [Number.NaN, 2],
    });
    expect(verdicts.map(({ item }) => [item.similarity, item.coverage])).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });
});
