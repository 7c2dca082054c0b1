import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formula } from '../../src/compaction/formula.ts';
import { compactMessages, type Compaction, type CompactOptions } from '../../src/compaction/compact.ts';
import { need } from '../../src/need/need.ts';
import { parseMessages } from '../../src/messages/parse.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { anthropicProblems, lostThinking, openAiProblems } from '../support/api-rules.ts';
import { keepsWhole, wrongBeginnings } from '../support/beginnings.ts';
import { brokenConversation, conversation } from '../support/conversation.ts';
import { breachesOf, frozen, looseHalves } from '../support/laws.ts';
import { anyMessage } from '../support/messages.ts';
import { unpairedIds } from '../support/pairs.ts';
import { openAiRequest, thinkingRequest } from '../support/requests.ts';

const ratio = fc.oneof(fc.constantFrom(0.05, 0.1, 0.2, 0.4, 0.7, 1), fc.double({ min: 0.05, max: 1, noNaN: true }));
const counters: readonly (((message: Message) => number) | undefined)[] = [
  undefined,
  (message): number => JSON.stringify(message).length / 4,
  (): number => 10,
  ({ content }): number => (Array.isArray(content) ? content.length : 1),
];
const options = fc.record({
  targetRatio: ratio,
  detail: fc.constantFrom('whole' as const, 'excerpt' as const),
  countTokens: fc.constantFrom(...counters),
  query: fc.constantFrom(undefined, 'src/app.ts fails with 漢字'),
});
const excerpts = fc.record({ targetRatio: ratio, detail: fc.constant('excerpt' as const) });

function compact(messages: readonly Message[], given: CompactOptions): Compaction {
  return compactMessages(frozen(messages), given);
}

function check<T extends [unknown, ...unknown[]]>(property: fc.IProperty<T>, ...examples: T[]): void {
  fc.assert(property, { numRuns: 300, examples });
}

/** Whether a message is valid, and all that read it must agree which calls and results stand in it. */
function isClear(message: Message): boolean {
  try {
    parseMessages([message]);
  } catch {
    return false;
  }
  const { role, content, tool_calls: calls, tool_call_id: answered } = message;
  const blocks = Array.isArray(content) ? content : [];
  const isResult = role === 'tool' || role === 'function';
  if (isResult && (blocks.some(({ type }) => type.includes('tool')) || calls || message['function_call'])) return false;
  if ((role === 'tool') !== (answered !== undefined)) return false;
  if (Array.isArray(calls) && calls.some(({ id }) => id === undefined)) return false;
  return blocks.every((block) => !('name' in block) || 'id' in block);
}

/** Conversations with everything that may stand in a message, the odd and the broken too. */
const anyConversation = fc.oneof(brokenConversation(), fc.array(anyMessage.filter(isClear), { maxLength: 12 }));

const image: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const answersWithImages: Message[] = [
  { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'view', arguments: null } }] },
  { role: 'assistant', content: [image] },
  { role: 'tool', tool_call_id: 'a', content: [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }, image] },
];

describe('of any conversation', () => {
  test('only its own lines and marks are left, within the budget, in order, and nothing of it is changed', () => {
    check(
      fc.property(anyConversation, options, (messages, given) => {
        expect(breachesOf(messages, compact(messages, given), given.countTokens)).toEqual([]);
      }),
      // A list of what was dropped, where nobody else is a user.
      [answersWithImages, { targetRatio: 0.4, detail: 'excerpt', countTokens: undefined, query: undefined }],
    );
  });

  test('no call loses its answer and no answer its call', () => {
    check(
      fc.property(anyConversation, options, (messages, given) => {
        const before = new Set(unpairedIds(messages));
        expect(unpairedIds(compact(messages, given).messages).filter((id) => !before.has(id))).toEqual([]);
      }),
    );
  });

  test('the same is left every time', () => {
    check(
      fc.property(anyConversation, options, (messages, given) => {
        expect(compact(structuredClone(messages), given).messages).toEqual(compact(messages, given).messages);
      }),
    );
  });

  test('what is left can be compacted again, and what was written into it scores nothing', () => {
    check(
      fc.property(anyConversation, options, options, (messages, given, then) => {
        const once = compact(messages, given).messages;
        const twice = compact(once, then);
        expect(breachesOf(once, twice, then.countTokens)).toEqual([]);
        for (const { item, choice } of twice.verdicts) {
          expect(choice.names?.().filter((name) => name.includes('chitta') || name.startsWith('#')) ?? []).toEqual([]);
          expect(item.ownMark ? choice.score : 0).toBe(0);
        }
      }),
    );
  });
});

describe('of a conversation with ids that come back', () => {
  test('each call keeps the answer that follows it', () => {
    check(
      fc.property(conversation(), options, (messages, given) => {
        expect(looseHalves(compact(messages, given).messages)).toEqual(looseHalves(messages));
      }),
    );
  });
});

function thinkingOf(message: Message | undefined): unknown[] {
  const { content } = message ?? {};
  return Array.isArray(content) ? content.filter(({ type }) => type === 'thinking') : [];
}

/** Messages that were left with other thinking: behind the last prompt all of it stays, before it all or none. */
function changedThinking(messages: readonly Message[], { verdicts }: Compaction): number[] {
  const lastPrompt = messages.findLastIndex(({ role, content }) => role === 'user' && typeof content === 'string');
  return verdicts.flatMap(({ item: { message }, choice: { action, excerpt } }) => {
    if (action === 'drop' || excerpt === undefined) return [];
    const [before, after] = [thinkingOf(messages[message]), thinkingOf(excerpt)];
    const mayGo = message < lastPrompt && after.length === 0;
    return mayGo || isDeepStrictEqual(before, after) ? [] : [message];
  });
}

/** Whether the first answer of the last turn is too large to be held beside what must stay. */
function isFirstAnswerTooLarge({ verdicts, budgetTokens }: Compaction): boolean {
  const prompt = verdicts.findLastIndex(({ item }) => item.protectedBy === 'last-prompt');
  const sum = (list: Compaction['verdicts']): number => list.reduce((all, { item }) => all + item.tokens, 0);
  const unit = verdicts[prompt + 1]?.item.unit;
  const held = verdicts.filter(({ item }) => item.protectedBy !== undefined || item.unit === unit);
  // Marks of an excerpt, and the room for the list of what was dropped.
  return sum(held) + 100 > budgetTokens;
}

/** What the API would refuse: of how it, or its last turn, begins, and of anything else. */
function problemsOf(messages: readonly Message[], { messages: left }: Compaction): [string[], string[]] {
  const all = [...anthropicProblems(left), ...lostThinking(left, messages)];
  const isBeginning = (problem: string): boolean => /first message must|start with a thinking/.test(problem);
  return [all.filter(isBeginning), all.filter((problem) => !isBeginning(problem))];
}

const anyStrategy = fc.record({
  targetRatio: ratio,
  detail: fc.constantFrom('whole' as const, 'excerpt' as const),
  strategy: fc.constantFrom(need, formula),
});

/** A turn that began with thinking, whose largest step came later. */
const stepsWithImage: Message[] = [
  { role: 'user', content: '.' },
  ...['a', 'b'].flatMap((id): Message[] => {
    const thinking = { type: 'thinking', thinking: 'about it', signature: 'c2ln' };
    const call = { type: 'tool_use', id, name: 'Tool', input: { query: 'the same words '.repeat(id === 'a' ? 8 : 1) } };
    return [
      { role: 'assistant', content: id === 'a' ? [thinking, call] : [call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: id === 'a' ? '.' : [image] }] },
    ];
  }),
  { role: 'assistant', content: [{ type: 'text', text: '.' }] },
];

describe('a request that was valid stays valid', () => {
  test('for Anthropic, and its thinking is as it was', () => {
    check(
      fc.property(thinkingRequest, anyStrategy, (messages, given) => {
        const result = compact(messages, given);
        const [beginnings, others] = problemsOf(messages, result);
        expect(others).toEqual([]);
        const excused = isFirstAnswerTooLarge(result) ? /start with a thinking/ : /^$/;
        expect(
          keepsWhole(given)
            ? wrongBeginnings(messages, result, given)
            : beginnings.filter((problem) => !excused.test(problem)),
        ).toEqual([]);
        expect(changedThinking(messages, result)).toEqual([]);
      }),
      // To hold the thinking would take the room of nearly all else.
      [stepsWithImage, { targetRatio: 0.96, detail: 'whole', strategy: need }],
    );
  });

  test('for OpenAI', () => {
    check(
      fc.property(openAiRequest, anyStrategy, (messages, given) => {
        const result = compact(messages, given);
        expect(openAiProblems(result.messages)).toEqual([]);
        expect(wrongBeginnings(messages, result, given)).toEqual([]);
      }),
    );
  });

  test('in excerpts, no answer of a closed exchange is taken for the thinking of another', () => {
    check(
      fc.property(thinkingRequest, excerpts, (messages, given) => {
        const { messages: left, dropped, excerpted } = compact(messages, given);
        const prompt = left.findLastIndex(({ role, content }) => role === 'user' && typeof content === 'string');
        const closed = left.slice(0, Math.max(0, prompt)).flatMap(thinkingOf);
        expect(dropped + excerpted > 0 ? closed : []).toEqual([]);
      }),
    );
  });
});
