import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compactMessages, type Compaction, type CompactOptions, STRATEGIES } from '../../src/compaction/compact.ts';
import { isTypedPrompt } from '../../src/messages/typed.ts';
import type { Message } from '../../src/messages/types.ts';
import { brokenConversation, conversation } from '../support/conversation.ts';
import { unpairedIds } from '../support/pairs.ts';

const ratio = fc.double({ min: 0.05, max: 1, noNaN: true });
const scores = fc.array(fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined }), { maxLength: 60 });

function isSubsequence(part: readonly Message[], whole: readonly Message[]): boolean {
  let at = 0;
  for (const message of whole) if (part[at] === message) at += 1;
  return at === part.length;
}

function protectedTokens({ verdicts }: Compaction): number {
  return verdicts.reduce((sum, { item }) => sum + (item.protectedBy === undefined ? 0 : item.tokens), 0);
}

function check(property: fc.IRawProperty<unknown, boolean>): void {
  fc.assert(property, { numRuns: 200 });
}

describe.each(Object.entries(STRATEGIES))('for any conversation of either shape, by %s', (_name, strategy) => {
  const compact = (messages: readonly Message[], options: CompactOptions): Compaction =>
    compactMessages(messages, { strategy, ...options });

  test('survivors are the same objects in the same order', () => {
    check(
      fc.property(brokenConversation(), ratio, scores, (messages, targetRatio, numbers) => {
        const result = compact(messages, { targetRatio, similarity: numbers, coverage: numbers });
        expect(isSubsequence(result.messages, messages)).toBe(true);
        expect(result.verdicts).toHaveLength(messages.length);
      }),
    );
  });

  test('no call loses its answer and no answer its call', () => {
    check(
      fc.property(brokenConversation(), ratio, scores, (messages, targetRatio, coverage) => {
        const before = new Set(unpairedIds(messages));
        const introduced = unpairedIds(compact(messages, { targetRatio, coverage }).messages).filter(
          (id) => !before.has(id),
        );
        expect(introduced).toEqual([]);
      }),
    );
  });

  test('the budget holds unless what must stay exceeds it alone', () => {
    check(
      fc.property(brokenConversation(), ratio, (messages, targetRatio) => {
        const result = compact(messages, { targetRatio });
        expect(result.afterTokens).toBeLessThanOrEqual(Math.max(result.budgetTokens, protectedTokens(result)));
        expect(result.overBudget).toBe(protectedTokens(result) > result.budgetTokens);
      }),
    );
  });

  test('system messages and the last typed prompt are kept', () => {
    check(
      fc.property(brokenConversation(), ratio, (messages, targetRatio) => {
        const kept = new Set(compact(messages, { targetRatio }).messages);
        const must = messages.filter((message) => message.role === 'system' || message.role === 'developer');
        const prompt = messages.findLast(isTypedPrompt);
        expect([...must, ...(prompt === undefined ? [] : [prompt])].every((message) => kept.has(message))).toBe(true);
      }),
    );
  });

  test('the same input gives the same survivors', () => {
    check(
      fc.property(conversation(), ratio, scores, (messages, targetRatio, similarity) => {
        const once = compact(messages, { targetRatio, similarity });
        expect(compact(messages, { targetRatio, similarity }).messages).toEqual(once.messages);
      }),
    );
  });

  test('compacting a result again, at ratio 1 or to the same budget, changes nothing', () => {
    check(
      fc.property(conversation(), ratio, (messages, targetRatio) => {
        const once = compact(messages, { targetRatio });
        expect(compact(once.messages, { targetRatio: 1 }).messages).toEqual(once.messages);
        expect(compact(once.messages, { budgetTokens: once.budgetTokens }).messages).toEqual(once.messages);
      }),
    );
  });

  test('the input is not changed', () => {
    check(
      fc.property(conversation(), ratio, (messages, targetRatio) => {
        const before = structuredClone(messages);
        compact(messages, { targetRatio });
        expect(messages).toEqual(before);
      }),
    );
  });
});

describe('sizes', () => {
  const turns = (count: number): Message[] =>
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0
        ? { role: 'user', content: `prompt ${index}` }
        : { role: 'assistant', content: `answer ${index}` },
    );

  test.each([0, 1, 2, 5000])('%d messages', (count) => {
    const messages = turns(count);
    const result = compactMessages(messages, { targetRatio: 0.4 });
    expect(isSubsequence(result.messages, messages)).toBe(true);
    expect(result.messages.length).toBeLessThanOrEqual(Math.max(1, count));
    expect(compactMessages(messages, { targetRatio: 1 }).messages).toEqual(messages);
  });
});
