import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/messages/types.ts';
import { shapeRequest, type ShapeOptions, type ShapeReport, type ShapeState } from '../../src/shaping/shape.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';

/** Messages that cost what they say, so that figures can be followed: `#600` is 600 tokens; a mark is 10. */
function cost(message: Message): number {
  const text = JSON.stringify(message.content ?? message.tool_calls ?? '');
  if (text.includes('[chitta:cut ')) return Number(/kept (\d+) of/.exec(text)?.[1] ?? 0);
  return text.includes('[chitta:') ? 10 : Number(/#(\d+)/.exec(text)?.[1] ?? 10);
}
const long = 'the queue keeps each job until its handler returns\n';
const user = (text: string): Message => ({ role: 'user', content: text });
const says = (text: string): Message => ({ role: 'assistant', content: text });
let ids = 0;
function step(tokens: number, lines = 20, extra: object = {}): Message[] {
  const id = `t${++ids}`;
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input: { n: ids } }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: `#${tokens} ${long.repeat(lines)}`, ...extra }],
    },
  ];
}
const steps = (count: number, tokens: number): Message[] => Array.from({ length: count }, () => step(tokens)).flat();

/** A window whose messages have exactly so much room. */
const roomFor = (tokens: number): ShapeOptions => {
  const headroom = tokens;
  return { window: 10 * headroom, responseTokens: 8 * headroom, countTokens: cost };
};
const shaped = (
  messages: Message[],
  room: number,
  state?: unknown,
): ReturnType<typeof shapeRequest<{ messages: Message[] }>> =>
  shapeRequest({ messages }, { ...roomFor(room), ...(state !== undefined && { state }) });
const stages = ({ stages: taken }: ShapeReport): (string | number)[] =>
  taken.flatMap(({ name, messages }) => [name, messages]);

test('what has exactly as much as there is room for fits, and one token more does not', () => {
  const messages = [user('a'), ...steps(6, 590), says('so'), user('b')];
  const total = messages.reduce((sum, message) => sum + cost(message), 0);
  expect(shaped(messages, total).request.messages).toBe(messages);
  const { request, report } = shaped(messages, total - 1);
  expect(stages(report)).toEqual(['stub-results', 1]);
  expect(request.messages[2]).not.toBe(messages[2]);
});

describe('how much is freed', () => {
  const messages = [user('a'), ...steps(20, 590), says('so'), user('b')];
  const total = messages.reduce((sum, message) => sum + cost(message), 0);

  test('without a state only what this request needs', () => {
    expect(stages(shaped(messages, total - 100).report)).toEqual(['stub-results', 1]);
    expect(stages(shaped(messages, total - 581).report)).toEqual(['stub-results', 2]);
  });

  test('with one, 30 % of the budget of the history beyond that', () => {
    const { report } = shaped(messages, total - 100, {});
    expect(report.after).toBeLessThanOrEqual(0.7 * report.budget);
    expect(report.after).toBeGreaterThan(0.7 * report.budget - 590);
  });

  test('but no exchange is let go of for that, only where the request would not fit', () => {
    const few = [user('a'), says('#4000'), ...step(700), ...steps(3, 590), says('so'), says('on'), user('b')];
    const all = few.reduce((sum, message) => sum + cost(message), 0);
    const { report } = shaped(few, all - 100, {});
    expect(stages(report)).toEqual(['stub-results', 1]);
    expect(report.after).toBeGreaterThan(0.7 * report.budget);
    expect(stages(shaped(few, all - 700, {}).report).slice(0, 4)).toEqual(['stub-results', 1, 'snip', 1]);
  });
});

test('a result of the tail is cut to two fifths of the room first, and to 512 tokens only if that is not enough', () => {
  const kept = (results: number, room: number): number[] => {
    const huge = Array.from({ length: results }, () => step(12_000, 1_000)).flat();
    const { request } = shaped([user('a'), ...huge, says('so'), user('b')], room);
    return Array.from({ length: results }, (_, at) => cost(request.messages[2 * at + 2]!));
  };
  const isCapped = (tokens: number | undefined): boolean => tokens! > 1_700 && tokens! <= 2_080;
  expect(kept(1, 5_200).map(isCapped)).toEqual([true]);
  expect(kept(2, 5_200).map(isCapped)).toEqual([true, true]);
  const [oldest, ...others] = kept(3, 5_200);
  expect([oldest! > 350 && oldest! <= 512, ...others.map(isCapped)]).toEqual([true, true, true]);
});

describe('what cannot fit', () => {
  const held = user('#900');
  test('goes out shaped where only the headroom is used up', () => {
    const messages = [held, ...step(590), ...steps(3, 60), says('so'), says('on'), user('#1100')];
    const { request, report } = shaped(messages, 1_990);
    expect(report.over).toBe(true);
    expect(report.warning).toMatch(/only the headroom of 1990 is used$/);
    expect(request.messages).not.toBe(messages);
  });

  test('goes out as it came where more than that would be needed', () => {
    const messages = [user('#2100'), ...step(590), ...steps(3, 60), says('so'), says('on'), user('#2100')];
    const { request, report } = shaped(messages, 2_000);
    expect(report.warning).toMatch(/; it is sent as it is$/);
    expect(request.messages).toBe(messages);
    expect(report.stages).toEqual([]);
  });
});

describe('what is not worth a mark', () => {
  const tail = [...steps(4, 10), says('so'), user('b')];
  const firstChanged = (messages: Message[]): number => {
    const all = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    const { request } = shapeRequest({ messages }, { window: Math.ceil((all - 1) / 0.9) - 1, responseTokens: 0 });
    return request.messages.findIndex((message, at) => message !== messages[at]);
  };

  test.each([
    [45, 4],
    [60, 2],
  ])('a result of %i words: the first message that is changed is %i', (count, at) => {
    const results = [count, 300].flatMap((one, index): Message[] => [
      { role: 'assistant', content: [{ type: 'tool_use', id: `r${index}`, name: 'Read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `r${index}`, content: 'word '.repeat(one) }] },
    ]);
    expect(firstChanged([user('a'), ...results, ...tail])).toBe(at);
  });

  test.each([
    [140, 3],
    [170, 1],
  ])('an input of %i words: the first message that is changed is %i', (count, at) => {
    const calls = [count, 300].flatMap((one, index): Message[] => [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `i${index}`, name: 'Write', input: { text: 'word '.repeat(one) } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `i${index}`, content: 'ok' }] },
    ]);
    expect(firstChanged([user('a'), ...calls, ...tail])).toBe(at);
  });
});

describe('a state', () => {
  const messages = [user('a'), ...steps(20, 590), says('so'), user('b')];
  const before = shaped(messages, 8_000, {});

  test('knows messages again whose cache breakpoints have moved', () => {
    const moved = messages.map((message, at): Message => {
      if (at !== 2 || !Array.isArray(message.content)) return message;
      return {
        ...message,
        content: message.content.map((block) => ({ ...block, cache_control: { type: 'ephemeral' } })),
      };
    });
    const { report, request } = shaped(moved, 8_000, before.state);
    expect([report.decided, report.stages]).toEqual([false, before.report.stages]);
    expect(cost(request.messages[2]!)).toBe(10);
  });

  test.each<[why: string, state: unknown]>([
    ['of a version to come', { ...before.state, version: 2 }],
    ['of none', { ...before.state, version: undefined }],
    ['of another conversation', { version: 1, messages: { '#aaaaaaa': { results: 'stub' } } } satisfies ShapeState],
    ['that is null', null],
    ['that is a text', JSON.stringify(before.state)],
  ])('%s counts as none', (_why, state) => {
    const { report, request } = shaped(messages, 8_000, state);
    expect([report.decided, request.messages]).toEqual([true, before.request.messages]);
  });
});
