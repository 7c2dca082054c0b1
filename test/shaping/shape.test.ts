import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTypedPrompt } from '../../src/messages/typed.ts';
import type { Block, Message } from '../../src/messages/types.ts';
import { type ShapeOptions, shapeRequest, type ShapeState } from '../../src/shaping/shape.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { anthropicProblems, openAiProblems } from '../support/api-rules.ts';
import { brokenConversation, conversation } from '../support/conversation.ts';
import { frozen, looseHalves } from '../support/laws.ts';
import { openAiRequest, thinkingRequest } from '../support/requests.ts';

type Shape = 'anthropic' | 'openai';

const words = (lines: number, seed = 0): string =>
  Array.from(
    { length: lines },
    (_, at) => `line ${at + seed}: the queue keeps each job until its handler returns`,
  ).join('\n');

/** One call of a tool and its answer. */
function step(
  shape: Shape,
  id: string,
  lines: number,
  input: Record<string, unknown> = { file_path: `src/${id}.ts` },
): Message[] {
  if (shape === 'anthropic') {
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: words(lines) }] },
    ];
  }
  const call = { id, type: 'function', function: { name: 'Read', arguments: JSON.stringify(input) } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: words(lines) },
  ];
}

const loop = (shape: Shape, steps: number, lines: number): Message[] => [
  { role: 'user', content: 'Find out why jobs are run twice.' },
  ...Array.from({ length: steps }, (_, at) => step(shape, `c${at}`, lines)).flat(),
];

const SHAPES: Shape[] = ['anthropic', 'openai'];
const problemsOf = (shape: Shape, messages: readonly Message[], original?: readonly Message[]): string[] =>
  shape === 'anthropic' ? anthropicProblems(messages, original) : openAiProblems(messages);
const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);

describe.each(SHAPES)('%s', (shape) => {
  test('what fits is the same object, and nothing was done', () => {
    const request = frozen({ model: 'm', max_tokens: 1_000, messages: loop(shape, 5, 20) });
    const { request: out, report } = shapeRequest(request);
    expect(out).toBe(request);
    expect(report).toMatchObject({
      window: 32_768,
      headroom: 3_277,
      response: 1_000,
      base: 0,
      stages: [],
      over: false,
    });
    expect(report.window).toBe(report.headroom + report.response + report.base + report.prompt + report.budget);
    expect(report.before).toBe(report.after);
    expect(report.before + report.prompt).toBe(tokensOf(request.messages));
  });

  test('results of old calls go first, oldest first, until it fits', () => {
    const request = frozen({ messages: loop(shape, 20, 100) });
    const { request: out, report } = shapeRequest(request, { window: 24_000 });
    expect(report.stages.map(({ name }) => name)).toEqual(['stub-results']);
    expect(report.after).toBeLessThanOrEqual(report.budget);
    expect(out.messages).toHaveLength(request.messages.length);
    const changed = out.messages.flatMap((message, at) => (message === request.messages[at] ? [] : [at]));
    expect(changed).toEqual(changed.map((_, at) => 2 * at + 2));
    expect(report.stages[0]?.messages).toBe(changed.length);
    expect(JSON.stringify(out.messages[2])).toContain('result of Read src/c0.ts (100 lines, ');
    expect(problemsOf(shape, out.messages, request.messages)).toEqual([]);
  });

  test('then long inputs, then the oldest exchanges, with one mark; the first message and the tail stay whole', () => {
    const request = frozen({
      messages: [
        ...loop(shape, 0, 0),
        ...Array.from({ length: 60 }, (_, at) =>
          step(shape, `w${at}`, 2, { file_path: 'a', content: words(60) }),
        ).flat(),
        ...Array.from({ length: 5 }, (_, at) => step(shape, `c${at}`, 60)).flat(),
      ],
    });
    const { request: out, report } = shapeRequest(request, { window: 13_000 });
    expect(report.stages.map(({ name }) => name)).toEqual(['shorten-calls', 'snip']);
    expect(out.messages[0]).toBe(request.messages[0]);
    expect(out.messages[1]?.content).toMatch(/^\[chitta:gap #[a-z2-7]{7} \d+ messages, \d+ tokens left out\]$/);
    expect(out.messages.slice(-9)).toEqual(request.messages.slice(-9));
    expect(report.after).toBeLessThanOrEqual(report.budget);
    expect(problemsOf(shape, out.messages, request.messages)).toEqual([]);
  });

  test('no exchange is snipped that weighs less than the mark in its place', () => {
    const greeting: Message[] = [
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'So.' },
    ];
    const request = frozen({ messages: [...loop(shape, 0, 0), ...greeting, ...loop(shape, 5, 300).slice(1)] });
    const { request: out, report } = shapeRequest(request, { window: 16_000 });
    expect(report.stages.map(({ name }) => name)).toEqual(['shorten-tail']);
    expect(out.messages.slice(0, 3)).toEqual(request.messages.slice(0, 3));
  });

  test('then the tail, and the prompt stays whole', () => {
    const request = frozen({ messages: loop(shape, 5, 300) });
    const { request: out, report } = shapeRequest(request, { window: 16_000 });
    expect(report.stages.map(({ name }) => name)).toContain('shorten-tail');
    expect(out.messages.at(-1)).toBe(request.messages.at(-1));
    expect(report.over).toBe(false);
    expect(problemsOf(shape, out.messages, request.messages)).toEqual([]);
  });

  test('a message that a stage comes back to counts once', () => {
    const { report } = shapeRequest({ messages: loop(shape, 5, 300) }, { window: 7_000, responseTokens: 1_000 });
    expect(report.stages).toEqual([{ name: 'shorten-tail', messages: 4, tokens: report.before - report.after }]);
  });

  test('results of the prompt are cut only where nothing else helps', () => {
    const request = frozen({ messages: loop(shape, 3, 1_000) });
    const { request: out, report } = shapeRequest(request, { window: 12_000 });
    expect(report.stages.map(({ name }) => name)).toContain('cap-prompt');
    expect(report.over).toBe(false);
    expect(JSON.stringify(out.messages.at(-1))).toContain('[chitta:cut ');
    expect(problemsOf(shape, out.messages, request.messages)).toEqual([]);
  });

  test('a prompt that cannot fit is sent as it is, with a warning', () => {
    const request = frozen({
      messages: [...loop(shape, 3, 50), { role: 'assistant', content: 'So.' }, { role: 'user', content: words(2_000) }],
    });
    const { request: out, report } = shapeRequest(request, { window: 8_000 });
    expect(out).toBe(request);
    expect(report.over).toBe(true);
    expect(report.warning).toMatch(/^over the window of 8000 tokens: the prompt alone has \d+, and \d+ are left/);
  });

  test('pinned messages and the newest typed prompt stay', () => {
    const plan: Message = { role: 'user', content: `plan: ${words(5)}` };
    const asked: Message = { role: 'user', content: 'Now look at the lease.' };
    const request = frozen({
      messages: [
        ...loop(shape, 20, 100),
        plan,
        { role: 'assistant', content: 'Yes.' },
        asked,
        ...loop(shape, 20, 100).slice(1),
      ],
    });
    const { request: out, report } = shapeRequest(request, { window: 9_000, pinned: (message) => message === plan });
    expect(report.stages.map(({ name }) => name)).toContain('snip');
    expect(out.messages).toContain(plan);
    expect(out.messages).toContain(asked);
    expect(
      out.messages.filter(({ content }) => typeof content === 'string' && content.startsWith('[chitta:gap')),
    ).toHaveLength(1);
  });

  test('a broken round trip is mended whether or not the rest fits', () => {
    const [prompt, call] = loop(shape, 1, 5);
    const { request: out, report } = shapeRequest({ messages: [prompt!, call!, prompt!] });
    expect(out.messages).toHaveLength(4);
    expect(report.roundTrips.answered).toEqual([{ id: 'c0', message: 1 }]);
    expect(problemsOf(shape, out.messages)).toEqual([]);
  });
});

describe('the budget', () => {
  test.each<[why: string, request: object, options: ShapeOptions, expected: object]>([
    ['nothing said', {}, {}, { window: 32_768, headroom: 3_277, response: 4_096, base: 0 }],
    ['the request says how long the answer may be', { max_tokens: 9 }, {}, { response: 9 }],
    ['in the other format', { max_completion_tokens: 9 }, {}, { response: 9 }],
    ['the caller says it', { max_tokens: 9 }, { responseTokens: 0 }, { response: 0 }],
    ['nonsense', { max_tokens: 'many' }, {}, { response: 4_096 }],
    ['a base that was measured before', { system: words(100) }, { baseTokens: 7 }, { base: 7 }],
  ])('%s', (_, request, options, expected) => {
    const { report } = shapeRequest({ messages: [], ...request }, options);
    expect(report).toMatchObject(expected);
    expect(report.window).toBe(report.headroom + report.response + report.base + report.prompt + report.budget);
  });

  test('system prompt and tools count, as a text or as blocks', () => {
    const base = (request: object): number => shapeRequest({ messages: [], ...request }).report.base;
    expect(base({ system: words(10) })).toBeGreaterThan(100);
    expect(base({ system: [{ type: 'text', text: words(10), cache_control: { type: 'ephemeral' } }] })).toBeGreaterThan(
      100,
    );
    expect(
      base({ tools: [{ name: 'Read', input_schema: { type: 'object' } }], tool_choice: { type: 'auto' } }),
    ).toBeGreaterThan(10);
  });

  test.each([Number.NaN, -1, Infinity, '7', undefined])('a counter that answers %s is refused', (answer) => {
    // As a caller without types may do it.
    const countTokens = (): number => answer as number;
    expect(() => shapeRequest({ messages: loop('openai', 2, 5) }, { countTokens })).toThrow(
      expect.objectContaining({ code: 'E_PARAM_INVALID', field: 'countTokens' }),
    );
  });

  test('a counter of the caller is asked', () => {
    const { report } = shapeRequest({ messages: loop('openai', 2, 5) }, { countTokens: () => 10 });
    expect(report.before + report.prompt).toBe(50);
  });

  test('what is no number of tokens is refused', () => {
    for (const window of [0, -1, Number.NaN, Infinity]) {
      expect(() => shapeRequest({ messages: [] }, { window })).toThrow(/^window is /);
    }
  });

  test('a window smaller than what is always there: a warning, and the request as it is', () => {
    const request = { system: words(500), messages: loop('anthropic', 3, 10) };
    const { request: out, report } = shapeRequest(request, { window: 4_000 });
    expect(out).toBe(request);
    expect(report.warning).toContain('leave nothing for messages; it is sent as it is');
  });
});

test('what is no request is refused, and says where', () => {
  expect(() => shapeRequest({})).toThrow('messages is missing');
  // As a caller without types may pass them.
  for (const none of [undefined, null, 5]) {
    expect(() => shapeRequest(none as unknown as object)).toThrow('messages is missing');
  }
  expect(() => shapeRequest({ messages: [null] })).toThrow('messages[0] is null');
});

describe('thinking', () => {
  const thinking = (text: string): Block => ({ type: 'thinking', thinking: text, signature: 'c2ln' });
  const thoughtful = (id: string): Message[] =>
    step('anthropic', id, 2).map((message) =>
      message.role === 'assistant'
        ? { ...message, content: [thinking(words(40)), ...(message.content as Block[])] }
        : message,
    );
  test('goes from closed exchanges only, whole', () => {
    const closed = Array.from({ length: 20 }, (_, at) => thoughtful(`a${at}`)).flat();
    const open = Array.from({ length: 12 }, (_, at) => thoughtful(`b${at}`)).flat();
    const asked: Message = { role: 'user', content: 'And now?' };
    const messages = [
      { role: 'user', content: 'Why?' },
      ...closed,
      { role: 'assistant', content: 'So.' },
      asked,
      ...open,
    ];
    const { request: out, report } = shapeRequest(frozen({ messages }), { window: 26_000 });
    expect(report.stages.map(({ name }) => name)).toEqual(['shorten-calls']);
    expect(out.messages.slice(-25)).toEqual(messages.slice(-25));
    expect(JSON.stringify(out.messages.slice(0, 10))).not.toContain('thinking');
    expect(anthropicProblems(out.messages, messages)).toEqual([]);
  });
});

/** The same with longer texts: each text so many times. */
function inflated(value: unknown, times: number, key = ''): unknown {
  if (typeof value === 'string') {
    if (key === 'arguments') return JSON.stringify(inflated(JSON.parse(value), times));
    return ['content', 'text', 'thinking', 'old_string', 'command'].includes(key)
      ? `${`${value}\n`.repeat(times)}.`
      : value;
  }
  if (Array.isArray(value)) return value.map((one) => inflated(one, times, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inflated(one, times, name)]));
}

const wellFormed: fc.Arbitrary<{ shape: Shape; messages: Message[] }> = fc
  .tuple(
    fc.oneof(
      thinkingRequest.map((messages) => ({ shape: 'anthropic' as const, messages })),
      openAiRequest.map((messages) => ({ shape: 'openai' as const, messages })),
    ),
    fc.constantFrom(1, 3, 12, 40),
    fc.nat({ max: 6 }),
  )
  .map(([{ shape, messages }, times, cut]) => {
    // Inside of a loop, too: what is sent ends with a prompt or with results.
    const whole = inflated(messages, times) as Message[];
    const end = whole.findLastIndex(({ role }, at) => role !== 'assistant' && at < whole.length - cut);
    const ended = whole.slice(0, end < 0 ? 1 : end + 1);
    const openCalls = looseHalves(ended).length > 0;
    return { shape, messages: openCalls ? [...whole, { role: 'user', content: 'go on' }] : ended };
  });

test('whatever the request and the window: never malformed, never over unless it says so, the prompt as it was', () => {
  fc.assert(
    fc.property(wellFormed, fc.integer({ min: 200, max: 6_000 }), ({ shape, messages }, window) => {
      expect(problemsOf(shape, messages)).toEqual([]);
      const request = frozen({ messages });
      const { request: out, report } = shapeRequest(request, { window, responseTokens: 100 });
      expect(problemsOf(shape, out.messages, messages)).toEqual([]);
      expect(tokensOf(out.messages)).toBe(report.after + report.prompt);
      expect(report.over).toBe(report.after > report.budget);
      expect(report.warning !== undefined).toBe(report.over);
      expect(out === request).toBe(report.stages.length === 0);
      const lost = report.stages.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(tokensOf(messages) - tokensOf(out.messages)).toBe(lost);
      expect(report.stages.filter(({ tokens }) => tokens <= 0)).toEqual([]);
      expect(out.messages).toEqual(expect.arrayContaining([messages.findLast(isTypedPrompt) ?? out.messages[0]]));
      expect(out.messages.every((message) => JSON.stringify(message).isWellFormed())).toBe(true);
    }),
    { numRuns: 120 },
  );
});

test('a state takes the same decisions again: the same bytes, whatever comes behind', () => {
  fc.assert(
    fc.property(wellFormed, fc.integer({ min: 600, max: 3_000 }), ({ shape, messages }, window) => {
      const options = { window, responseTokens: 100 };
      const first = shapeRequest({ messages }, { ...options, state: {} });
      fc.pre(first.report.decided && !first.report.over);
      const stored = JSON.parse(JSON.stringify(first.state));
      const again = shapeRequest({ messages }, { ...options, state: stored });
      expect(again.request).toEqual(first.request);
      expect(again.report.decided).toBe(false);
      expect(again.state).toEqual(first.state);
      const more = { messages: [...messages, ...step(shape, 'next', 1)] };
      const next = shapeRequest(more, { ...options, state: stored });
      fc.pre(!next.report.decided && !next.report.over);
      const shared = first.request.messages;
      expect(next.request.messages.slice(0, shared.length)).toEqual(shared);
    }),
    { numRuns: 60 },
  );
});

/** A state that was stored with damage, or is from before a rewind: some of what it keeps is lost, and some of what it says is another's. */
function damaged(state: ShapeState, coins: readonly number[]): unknown {
  let at = 0;
  const toss = (): number => coins[at++ % coins.length]!;
  const keys = [...Object.keys(state.messages), ...(state.snip?.kept ?? [])];
  const other = (key: string): string => (toss() === 0 ? (keys[toss()] ?? key) : key);
  const odd = [{ results: 1e-9 }, { thinking: true, calls: true }, { texts: 0.5 }, { results: 1e300 }];
  const entries = Object.entries(state.messages).map(([key, change]) => [other(key), odd[toss()] ?? change]);
  const { snip } = state;
  if (snip === undefined) return { version: 1, messages: Object.fromEntries(entries) };
  const kept = [...snip.kept.filter(() => toss() > 1), ...keys.filter(() => toss() === 0)];
  return {
    version: 1,
    messages: Object.fromEntries(entries),
    snip: { through: other(snip.through), mark: other(snip.mark), kept },
  };
}

test('a damaged state, or one from before a rewind, breaks nothing', () => {
  const coins = fc.array(fc.nat({ max: 5 }), { minLength: 7, maxLength: 31 });
  const rewind = fc.nat({ max: 12 });
  fc.assert(
    fc.property(
      wellFormed,
      fc.integer({ min: 400, max: 3_000 }),
      coins,
      rewind,
      ({ shape, messages }, window, tossed, back) => {
        const options = { window, responseTokens: 50 };
        const { state } = shapeRequest({ messages }, { ...options, state: {} });
        const end = messages.findLastIndex(({ role }, at) => role === 'user' && at <= messages.length - back);
        const earlier = messages.slice(0, Math.max(0, end) + 1);
        fc.pre(looseHalves(earlier).length === 0);
        for (const one of [state, damaged(state, tossed)]) {
          const { request: out } = shapeRequest({ messages: earlier }, { ...options, state: one });
          expect(problemsOf(shape, out.messages, earlier)).toEqual([]);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('odd ids, strays and messages out of order: nothing throws, no new stray, nothing over in silence', () => {
  fc.assert(
    fc.property(
      fc.oneof(conversation(), brokenConversation()),
      fc.integer({ min: 100, max: 2_000 }),
      (messages, window) => {
        const { request: out, report } = shapeRequest(frozen({ messages }), { window, responseTokens: 10 });
        const before = new Set(looseHalves(messages));
        expect(looseHalves(out.messages).filter((half) => !before.has(half) && half.startsWith('call'))).toEqual([]);
        expect(report.over).toBe(report.after > report.budget);
      },
    ),
    { numRuns: 300 },
  );
});

test('twenty thousand messages take no more than their share', { timeout: 120_000 }, () => {
  const messages = loop('anthropic', 10_000, 3);
  const startedAt = performance.now();
  const { report } = shapeRequest({ messages }, { window: 60_000 });
  expect(report.over).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

test('nor do thousands of calls in one message', { timeout: 120_000 }, () => {
  const ids = Array.from({ length: 4_000 }, (_, at) => `p${at}`);
  const asked = ids.map((id): Block => ({ type: 'tool_use', id, name: 'Read', input: { path: id } }));
  const answered = ids.map((id): Block => ({ type: 'tool_result', tool_use_id: id, content: words(8) }));
  const says: Message = { role: 'assistant', content: 'so' };
  const rest = Array.from({ length: 10 }, (): Message[] => [says, { role: 'user', content: 'go on' }]).flat();
  const messages = [
    { role: 'user', content: 'Why?' },
    { role: 'assistant', content: asked },
    { role: 'user', content: answered },
    ...rest,
  ];
  const startedAt = performance.now();
  const { report } = shapeRequest({ messages }, { window: 600_000 });
  expect(report.stages.map(({ name }) => name)).toEqual(['stub-results']);
  expect(performance.now() - startedAt).toBeLessThan(60_000);
});
