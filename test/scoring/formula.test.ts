import { describe, expect, test } from 'vitest';
import { viewOf } from '../../src/messages/view.ts';
import type { Message, Role } from '../../src/messages/types.ts';
import { formulaScore, recencies, ROLE_WEIGHT, roleWeightOf } from '../../src/scoring/formula.ts';

describe('the formula', () => {
  // Worked out by hand: W × (0.3·recency + 0.4·similarity + 0.3·(1 − coverage)).
  test.each<[role: Role, recency: number, similarity: number, coverage: number, score: number]>([
    ['user', 1, 1, 0, 1.0],
    ['user', 0.1, 0.5, 0, 0.53],
    ['user', 0.1, 0, 1, 0.03],
    ['assistant', 0.55, 0.5, 0.5, 0.412],
    ['assistant', 1, 0.25, 0, 0.56],
    ['tool', 0.4, 0.5, 0, 0.31],
    ['tool', 0.1, 0, 1, 0.015],
    ['tool', 1, 1, 0, 0.5],
    ['system', 1, 0.5, 0, 1.6],
    ['other', 0.7, 0.2, 0.9, 0.192],
  ])('%s, recency %d, similarity %d, coverage %d scores %d', (role, recency, similarity, coverage, score) => {
    expect(formulaScore(ROLE_WEIGHT[role], { recency, similarity, coverage })).toBeCloseTo(score, 12);
  });

  test('recency runs from 0.1 to 1 over the messages that are not system', () => {
    const roles: Role[] = ['system', 'user', 'assistant', 'system', 'tool', 'user'];
    [1, 0.1, 0.4, 1, 0.7, 1].forEach((expected, index) => {
      expect(recencies(roles)[index]).toBeCloseTo(expected, 12);
    });
    expect(recencies(['user'])).toEqual([1]);
    expect(recencies([])).toEqual([]);
  });

  test.each<[why: string, message: Message, weight: number]>([
    ['a user message weighs 1', { role: 'user', content: 'hi' }, 1],
    ['a developer message weighs as system', { role: 'developer', content: 'hi' }, 2],
    ['an OpenAI tool message weighs as tool', { role: 'tool', tool_call_id: 'a', content: 'x' }, 0.5],
    ['an unknown role weighs as other', { role: 'critic', content: 'hi' }, 0.6],
    [
      'a user message of results alone weighs as tool',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '' }] },
      0.5,
    ],
    [
      'half a result, half text weighs between',
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '1234' },
          { type: 'text', text: 'abcd' },
        ],
      },
      0.75,
    ],
  ])('%s', (_why, message, weight) => {
    expect(roleWeightOf(viewOf(message))).toBeCloseTo(weight, 12);
  });
});
