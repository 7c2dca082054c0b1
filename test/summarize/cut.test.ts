import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTypedPrompt } from '../../src/messages/typed.ts';
import type { Message } from '../../src/messages/types.ts';
import { viewOf } from '../../src/messages/view.ts';
import { type Cut, cutOf, type CutOptions } from '../../src/summarize/cut.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { brokenConversation, conversation } from '../support/conversation.ts';
import { looseHalves } from '../support/laws.ts';

const cut = (messages: readonly Message[], options: CutOptions = {}): Cut | undefined =>
  cutOf(messages, messages.map(viewOf), messages.map(estimateMessageTokens), options);

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const call = (id: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'Read', input: {} }],
});
const result = (id: string, content = 'x'): Message => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});

describe('the cut', () => {
  const four = [1, 2, 3, 4].flatMap((turn) => [
    user(`prompt ${turn}`),
    call(`c${turn}`),
    result(`c${turn}`),
    assistant('done'),
  ]);

  test.each([
    [undefined, 8],
    [1, 12],
    [2, 8],
    [3, 4],
    [9, 4],
    [0, 12],
  ])('with tailTurns %s stands in front of message %i', (tailTurns, at) => {
    expect(cut(four, { tailTurns })?.at).toBe(at);
  });

  test('never stands between a call and its answer, also where a prompt does', () => {
    const queued = [
      user('one '.repeat(100)),
      assistant('ok'),
      user('two'),
      call('a'),
      user('meanwhile'),
      result('a'),
      assistant('done'),
      user('three'),
    ];
    expect(cut(queued, { tailTurns: 2 })?.at).toBe(2);
  });

  test('keeps what leads an exchange of several prompts together', () => {
    const split = [
      user('one'),
      assistant('ok'),
      user('two'),
      user('and this'),
      assistant('ok'),
      user('three'),
      assistant('ok'),
    ];
    expect(cut(split, { tailTurns: 2 })?.at).toBe(2);
  });

  test('of one long exchange stands in front of a step, and the prompt stays', () => {
    const loop = [
      user('go'),
      ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [call(`c${n}`), result(`c${n}`, 'word '.repeat(200))]),
    ];
    expect(cut(loop)).toMatchObject({ at: 13, kept: [0], summarised: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] });
  });

  test('moves on where it would leave next to nothing to summarise, into the newest exchange at last', () => {
    const large = 'word '.repeat(400);
    const steps = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [call(`s${n}`), result(`s${n}`, large)]);
    const first = [user('one'), assistant('ok')];
    expect(cut([...first, user('two'), ...steps, user('three'), assistant('ok')])?.at).toBe(19);
    expect(cut([...first, user('two'), assistant('ok'), user('three'), ...steps])).toMatchObject({ at: 17, kept: [4] });
  });

  test('moves back from where the caller wants it', () => {
    expect(cut(four, { upTo: 10 })?.at).toBe(9);
    expect(cut(four, { upTo: 99 })?.at).toBe(15);
    expect(cut(four, { upTo: 0 })).toBeUndefined();
  });

  test('lets system messages and what is pinned stay', () => {
    const system: Message = { role: 'system', content: 'rules' };
    const plan = user('the plan');
    const messages = [system, user('one'), assistant('ok'), plan, assistant('noted'), ...four];
    expect(cut(messages, { pinned: (message) => message === plan })).toMatchObject({ at: 13, kept: [0, 3] });
  });

  test.each([
    ['nothing', []],
    ['one prompt', [user('hi')]],
    ['system messages alone', [{ role: 'system', content: 'a' }]],
    ['a prompt and an answer', [user('hi'), assistant('hello')]],
  ])('of %s there is none', (_name, messages: Message[]) => {
    expect(cut(messages)).toBeUndefined();
  });
});

const options = fc.record({ tailTurns: fc.integer({ min: 0, max: 5 }), upTo: fc.nat(60) }, { requiredKeys: [] });

describe('of any conversation', () => {
  test('what is summarised and what is kept are all before the cut, each once, in order', () => {
    fc.assert(
      fc.property(brokenConversation(), options, (messages, given) => {
        const found = cut(messages, given);
        if (found === undefined) return;
        const { at, summarised, kept } = found;
        expect([...summarised, ...kept].sort((a, b) => a - b)).toEqual(Array.from({ length: at }, (_, index) => index));
        expect(summarised.length).toBeGreaterThan(0);
        expect(at).toBeLessThan(messages.length);
      }),
    );
  });

  test('the rest begins with a typed prompt, or its prompt is kept', () => {
    fc.assert(
      fc.property(brokenConversation(), fc.integer({ min: 1, max: 4 }), (messages, tailTurns) => {
        const found = cut(messages, { tailTurns });
        if (found === undefined || isTypedPrompt(messages[found.at]!)) return;
        const newest = messages.findLastIndex(isTypedPrompt);
        expect(messages[found.at]?.role).toBe('assistant');
        expect(newest < 0 || newest >= found.at || found.kept.includes(newest)).toBe(true);
      }),
    );
  });

  test('no tool round trip is torn', () => {
    fc.assert(
      fc.property(conversation(), options, (messages, given) => {
        const found = cut(messages, given);
        if (found === undefined) return;
        const stays = [...found.kept.map((index) => messages[index]!), ...messages.slice(found.at)];
        expect(looseHalves(stays)).toEqual([]);
      }),
    );
  });

  test('calls that wait for an answer stay', () => {
    fc.assert(
      fc.property(conversation(), (messages) => {
        const waiting = [...messages, call('waits')];
        expect(cut(waiting, { upTo: waiting.length })?.summarised ?? []).not.toContain(waiting.length - 1);
      }),
    );
  });
});
