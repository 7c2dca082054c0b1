import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Part } from '../../src/messages/parts.ts';
import { partsOf } from '../../src/messages/parts.ts';
import type { PartChange } from '../../src/messages/rewrite.ts';
import { rewriteMessage } from '../../src/messages/rewrite.ts';
import type { Message } from '../../src/messages/types.ts';
import { anthropicProblems, openAiProblems } from '../support/api-rules.ts';
import { anthropicRequest, openAiRequest } from '../support/requests.ts';

/** Drops and shortens by the toss of a coin, both halves of a call alike. Prompts, the end and newer thinking stay. */
function shortened(messages: readonly Message[], coins: readonly number[]): Message[] {
  let next = 0;
  const toss = (sides: number): number => (coins[next++ % coins.length] ?? 0) % sides;
  const dropped = new Map<string, boolean>();
  const isPrompt = ({ role, content }: Message): boolean => role === 'user' && typeof content === 'string';
  const lastPrompt = messages.findLastIndex(isPrompt);

  const changeOf = (part: Part, at: number): PartChange => {
    if (part.kind === 'thinking') return at < lastPrompt && toss(2) === 0 ? 'drop' : 'keep';
    const drops = toss(3) === 0;
    if (part.callId !== undefined && !dropped.has(part.callId)) dropped.set(part.callId, drops);
    if (part.callId === undefined ? drops : dropped.get(part.callId)) return 'drop';
    return toss(2) === 0 ? 'keep' : part.fields.map(() => [undefined, 'cut', ''][toss(3)]);
  };
  return messages.flatMap((message, at) => {
    if (isPrompt(message) || at === messages.length - 1) return message;
    return (
      rewriteMessage(
        message,
        partsOf(message).map((part) => changeOf(part, at)),
      ) ?? []
    );
  });
}

const coins = fc.array(fc.nat(), { minLength: 1, maxLength: 40 });

describe('a request that was valid stays valid when parts are dropped and shortened', () => {
  test('for Anthropic', () => {
    fc.assert(
      fc.property(anthropicRequest, coins, (messages, tosses) => {
        expect(anthropicProblems(messages)).toEqual([]);
        expect(anthropicProblems(shortened(messages, tosses), messages)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('for OpenAI', () => {
    fc.assert(
      fc.property(openAiRequest, coins, (messages, tosses) => {
        expect(openAiProblems(messages)).toEqual([]);
        expect(openAiProblems(shortened(messages, tosses))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
