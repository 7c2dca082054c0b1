import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summarize, type SummarizeOptions } from '../../src/actions/summarize.ts';
import { ChittaError } from '../../src/errors.ts';
import type { Message } from '../../src/messages/types.ts';
import { isSummary } from '../../src/messages/typed.ts';
import type { ChatModel } from '../../src/ports/chat-model.ts';
import type { CompactionEvent } from '../../src/summarize/events.ts';
import { SECTIONS } from '../../src/summarize/prompt.ts';
import type { SummaryResult } from '../../src/summarize/report.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { brokenConversation, conversation } from '../support/conversation.ts';
import { frozen, looseHalves } from '../support/laws.ts';
import { type Reply, scriptedModel, structured } from '../summarize/scripted.ts';

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const LONG = 'word '.repeat(300);

/** So many exchanges, each with a tool call, with ids. */
function session(turns: number): Message[] {
  return Array.from({ length: turns }, (_, turn): Message[] => [
    { ...user(`prompt ${turn}: ${LONG}`), uuid: `u${turn}` },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `c${turn}`, name: 'Bash', input: { command: `npm test ${turn}` } }],
      uuid: `a${turn}`,
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `c${turn}`, content: `src/app${turn}.ts failed\n${LONG}` }],
      uuid: `r${turn}`,
    },
    { ...assistant(`fixed src/app${turn}.ts`), uuid: `d${turn}` },
  ]).flat();
}

async function made(
  messages: readonly Message[],
  replies: readonly Reply[],
  options: Omit<SummarizeOptions, 'model'> & { readonly modelWindow?: number } = {},
): Promise<{ result: SummaryResult; prompts: string[]; events: CompactionEvent[] }> {
  const events: CompactionEvent[] = [];
  const model = scriptedModel(replies, options.modelWindow);
  const result = await summarize(messages, { ...options, model, onEvent: (event) => events.push(event) });
  return { result, prompts: model.asked.map(({ prompt }) => prompt), events };
}

const refusal = (
  messages: readonly Message[],
  replies: readonly Reply[],
  options: Omit<SummarizeOptions, 'model'> = {},
): Promise<unknown> =>
  made(messages, replies, options).then(
    () => 'was not refused',
    (error: unknown) => error,
  );

describe('a summary', () => {
  test('stands in one user message in front of the newest exchanges, which are the same objects', async () => {
    const messages = session(5);
    const { result, prompts } = await made(messages, [structured('tests of src/app1.ts pass')]);
    expect(result.messages).toHaveLength(1 + 8);
    expect(result.messages.slice(1).every((message, index) => message === messages[12 + index])).toBe(true);
    expect(result.messages[0]).toEqual({ role: 'user', content: result.summary });
    expect(result.summary).toMatch(
      /^\[CONVERSATION SUMMARY — 12 messages compressed\]\n\n## Goal\ntests of src\/app1\.ts pass/,
    );
    expect(isSummary(result.messages[0]!)).toBe(true);
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toContain('npm test 2');
    expect(prompts[0]).not.toContain('npm test 3');
    expect(result.report).toMatchObject({
      summarised: 12,
      kept: 8,
      chunks: 1,
      requests: 1,
      reused: false,
      generation: 1,
      unverified: [],
      missingSections: [],
      window: undefined,
    });
    const price = (list: readonly Message[]): number =>
      list.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    expect(result.report.beforeTokens).toBe(price(messages));
    expect(result.report.afterTokens).toBe(price(result.messages));
    expect(result.report.freedTokens).toBe(result.report.beforeTokens - result.report.afterTokens);
  });

  test('lists what it names and the conversation does not, in the report and to whoever reads it', async () => {
    const { result } = await made(session(5), [structured('see src/app1.ts and src/made-up.ts, 99 times')]);
    expect(result.report.unverified).toEqual(['src/made-up.ts', '99']);
    expect(result.report.checked).toBe(3);
    expect(result.report.unverifiedRate).toBeCloseTo(2 / 3);
    expect(result.summary).toContain('check before use: src/made-up.ts, 99');
  });

  test('says which sections are missing', async () => {
    const { result } = await made(session(5), ['## Goal\nx\n\n### Open work\ny']);
    expect(result.report.missingSections).toEqual(
      SECTIONS.map(([title]) => title).filter((title) => !['Goal', 'Open work'].includes(title)),
    );
  });

  test('is made of text without secrets, and holds none that the model was not shown', async () => {
    const secret = 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB'.slice(0, 40);
    const messages = [user(`my token is ${secret}`), assistant('ok'), ...session(4)];
    const { result, prompts } = await made(messages, [structured(`token ${secret}`)], { focus: `the token ${secret}` });
    expect(JSON.stringify(prompts)).not.toContain(secret);
    expect(result.summary).not.toContain(secret);
    expect(result.report.masked).toBe(1);
  });

  test('describes images and documents instead of sending them', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD'.repeat(1_000) } };
    const document = {
      type: 'document',
      title: 'spec.pdf',
      source: { type: 'base64', media_type: 'application/pdf', data: 'QUJD' },
    };
    const { prompts } = await made(
      [
        { role: 'user', content: [image, document, { type: 'text', text: 'see these' }] },
        assistant('ok'),
        ...session(4),
      ],
      [structured('x')],
    );
    expect(prompts[0]).toContain('[image: image/png, about 3 kB]');
    expect(prompts[0]).toContain('[document: spec.pdf, application/pdf, about 1 kB]');
    expect(prompts[0]).not.toContain('QUJDQUJD');
  });

  test('shows the model no thinking and no mark of chitta', async () => {
    const thinking = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'secret thoughts', signature: 'c' },
        { type: 'text', text: 'ok' },
      ],
    };
    const marked = user('[chitta:recall]\nremembered things\n[/chitta:recall]\ntyped words');
    const { prompts } = await made([marked, thinking, ...session(4)], [structured('x')]);
    expect(prompts[0]).toContain('typed words');
    expect(prompts[0]).not.toMatch(/secret thoughts|remembered things|chitta/);
  });

  test('leaves out what a model thinks aloud or wraps around its answer', async () => {
    const { result } = await made(session(5), [
      `<think>hm, src/odd.ts</think>\n<summary>\n${structured('done')}\n</summary>`,
    ]);
    expect(result.summary).toMatch(/compressed\]\n\n## Goal\ndone/);
    expect(result.summary).not.toMatch(/hm|<\/?summary>/);
  });

  test('is made of the beginning and the end of long results and inputs, and of all that was said', async () => {
    const lines = (name: string): string =>
      Array.from({ length: 400 }, (_, at) => `${name} ${at} of all that is there`).join('\n');
    const messages: Message[] = [
      user(lines('prompt')),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'w', name: 'Write', input: { content: lines('input') } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'w', content: lines('result') }] },
      assistant(lines('answer')),
      ...session(3),
    ];
    const { prompts } = await made(messages, [structured('x')]);
    for (const name of ['prompt', 'input', 'result', 'answer']) expect(prompts[0]).toContain(`${name} 399 of`);
    for (const name of ['prompt', 'answer']) expect(prompts[0]).toContain(`${name} 200 of`);
    for (const name of ['input', 'result']) expect(prompts[0]).not.toContain(`${name} 200 of`);
    expect(prompts[0]!.match(/\[… \d+ characters left out …\]/g)).toHaveLength(2);
  });

  test('keeps a focus, counts it, and cuts it to a quarter of the window', async () => {
    const focus = 'the database schema '.repeat(2_000);
    const { result, prompts } = await made(session(5), [structured('x')], { focus, modelWindow: 8_192 });
    expect(result.report.focusClamped).toBe(true);
    expect(result.report.focusTokens).toBeLessThanOrEqual(2_048);
    expect(
      prompts.every((prompt) => prompt.includes('kept in full detail') && prompt.includes('the database schema')),
    ).toBe(true);
  });

  test('of a conversation larger than the window is made in parts, then of the summaries of the parts', async () => {
    const { result, prompts, events } = await made(
      session(20),
      [(request) => structured(`part of ${request.maxTokens}`)],
      { modelWindow: 4_096 },
    );
    const { chunks, requests } = result.report;
    expect(chunks).toBeGreaterThan(2);
    expect(requests).toBe(prompts.length);
    expect(prompts.filter((prompt) => prompt.includes('<conversation>'))).toHaveLength(chunks);
    expect(prompts.at(-1)).toContain('<summaries>');
    const stages = events.filter(({ type }) => type === 'stage');
    expect(stages).toContainEqual({ type: 'stage', stage: 'chunk', done: chunks, total: chunks });
    expect(stages).toContainEqual({ type: 'stage', stage: 'combine', done: 1, total: 1 });
    expect(events[0]).toMatchObject({ type: 'started', chunks });
    expect(events.at(-1)).toMatchObject({ type: 'done', messages: 72, reused: false });
  });

  test('of parts is given answers of which several fit one prompt, and the last one may be as long as any', async () => {
    const model = scriptedModel([structured('x')], 4_096);
    const { report } = await summarize(session(20), { model });
    const most = model.asked.map(({ maxTokens }) => maxTokens);
    expect(most.at(-1)).toBe(1_024);
    expect(most.slice(0, report.chunks).every((tokens) => tokens < 800)).toBe(true);
    const whole = scriptedModel([structured('x')], 65_536);
    await summarize(session(20), { model: whole });
    expect(whole.asked.map(({ maxTokens }) => maxTokens)).toEqual([4_096]);
  });

  test('window: what the caller says goes before what the model declares; without either nothing is split', async () => {
    const small = await made(session(20), [structured('x')], { window: 4_096, modelWindow: 1_000_000 });
    expect(small.result.report).toMatchObject({ window: 4_096 });
    expect(small.result.report.chunks).toBeGreaterThan(1);
    const none = await made(session(20), [structured('x')]);
    expect(none.result.report).toMatchObject({ window: undefined, chunks: 1 });
  });

  test('made of an earlier one stands for its messages as well, and what that one invented stays doubtful', async () => {
    const first = await made(session(5), [structured('see src/made-up.ts')]);
    const longer = [...first.result.messages, ...session(3)];
    const { result, prompts } = await made(longer, [structured('still see src/made-up.ts')]);
    expect(result.summary).toMatch(/^\[CONVERSATION SUMMARY — 24 messages compressed\]/);
    expect(prompts[0]).toContain('[summary of what came before]\n## Goal\nsee src/made-up.ts');
    expect(prompts[0]).not.toContain('messages compressed]');
    expect(result.report.unverified).toEqual(['src/made-up.ts']);
    expect(result.messages.filter(isSummary)).toHaveLength(1);
  });
});

describe('the chain of a session', () => {
  test('goes on from the newest link that fits: what it stands for is not sent again', async () => {
    const messages = session(6);
    const first = await made(messages.slice(0, 20), [structured('first')]);
    expect(first.result.link).toMatchObject({ generation: 1, upTo: 'd2', messages: 12 });
    const { result, prompts } = await made(messages, [structured('second')], { chain: [first.result.link!] });
    expect(prompts[0]).toContain('[summary of what came before]\n## Goal\nfirst');
    expect(prompts[0]).not.toContain('prompt 1:');
    expect(prompts[0]).toContain('prompt 3:');
    expect(result.link).toMatchObject({ generation: 2, upTo: 'd3', messages: 16 });
    expect(result.report).toMatchObject({ summarised: 16, generation: 2 });
    expect(result.messages).toHaveLength(9);
  });

  test('is used as it is, byte for byte and without a request, while nothing new is to be summarised', async () => {
    const messages = session(5);
    const first = await made(messages, [structured('first')]);
    const { result, prompts, events } = await made(
      [...messages, user('one more word')].slice(0, 20),
      [new Error('asked')],
      { chain: [first.result.link!] },
    );
    expect(prompts).toEqual([]);
    expect(result.messages).toEqual(first.result.messages);
    expect(result.report).toMatchObject({ reused: true, requests: 0, generation: 1 });
    expect(events).toEqual([expect.objectContaining({ type: 'done', reused: true })]);
    const blank = await made(messages, [new Error('asked')], { chain: [first.result.link!], focus: ' ' });
    expect(blank.result.report.reused).toBe(true);
  });

  test('after a rewind goes on from an older link, or begins anew', async () => {
    const messages = session(8);
    const older = (await made(messages.slice(0, 16), [structured('older')])).result.link!;
    const newer = (await made(messages.slice(0, 28), [structured('newer')], { chain: [older] })).result.link!;
    const rewound = [
      ...messages.slice(0, 12),
      ...session(3).map((message) => ({ ...message, uuid: `x${String(message['uuid'])}` })),
    ];
    const again = await made(rewound, [structured('again')], { chain: [older, newer] });
    expect(again.prompts[0]).toContain('## Goal\nolder');
    const anew = await made(
      session(5).map((message) => ({ ...message, uuid: `y${String(message['uuid'])}` })),
      [structured('anew')],
      { chain: [older, newer] },
    );
    expect(anew.result.report.generation).toBe(1);
  });

  test('is checked against all that it stands for, and not against what an earlier summary invented', async () => {
    const messages = session(6);
    const first = await made(messages.slice(0, 20), [structured('src/app0.ts and src/made-up.ts')]);
    const { result } = await made(messages, [structured('src/app0.ts, src/app1.ts, src/app3.ts and src/made-up.ts')], {
      chain: [first.result.link!],
    });
    expect(result.report.unverified).toEqual(['src/made-up.ts']);
  });

  test('goes on from an older link where the newest is gone or damaged, or begins anew', async () => {
    const messages = session(8);
    const first = (await made(messages.slice(0, 20), [structured('first')])).result.link!;
    const second = (await made(messages.slice(0, 24), [structured('second')], { chain: [first] })).result.link!;
    const ask = async (chain: SummarizeOptions['chain']): Promise<string> =>
      (await made(messages, [structured('now')], { chain })).prompts[0]!;
    expect(await ask([first, second])).toContain('## Goal\nsecond');
    expect(await ask([second])).toContain('## Goal\nsecond');
    for (const text of ['', 'what somebody wrote', second.text.slice(5)]) {
      expect(await ask([first, { ...second, text }])).toContain('## Goal\nfirst');
      expect(await ask([{ ...second, text }])).toContain('prompt 0:');
    }
  });

  test('has no link where messages have no ids, since texts may repeat', async () => {
    const { result } = await made(
      session(5).map(({ role, content }): Message => ({ role, content: content ?? '' })),
      [structured('x')],
    );
    expect(result.link).toBeUndefined();
  });
});

describe('nothing is changed', () => {
  const messages = frozen(session(5));

  test.each<[string, readonly Message[], readonly Reply[], RegExp]>([
    [
      'fewer than 4 messages',
      [user('a'), assistant('b'), user('c')],
      [structured('x')],
      /there are 3 messages; fewer than 4/,
    ],
    [
      'system messages do not count',
      [{ role: 'system', content: 'a' }, user('a'), assistant('b'), user('c')],
      [structured('x')],
      /there are 3 messages/,
    ],
    ['an empty answer', messages, [''], /empty summary/],
    ['an answer of blanks and signs', messages, [' \n -- \n'], /empty summary/],
    ['an answer of thoughts alone', messages, ['<think>hm</think>'], /empty summary/],
    ['thoughts without an end', messages, ['<think>hm'], /empty summary/],
    [
      'an answer that is cut twice',
      messages,
      [{ text: structured('x'), stop: 'length' }],
      /did not finish its summary/,
    ],
    ['an answer larger than what it stands for', messages, ['word '.repeat(20_000)], /no smaller/],
    [
      'one message in front of the newest exchange',
      [user('a'), user('b'), assistant('c'), assistant('d')],
      [structured('x')],
      /nothing stands in front|no smaller/,
    ],
  ])('%s', async (_what, history, replies, message) => {
    expect(await refusal(history, replies)).toMatchObject({
      code: 'E_SUMMARY',
      message: expect.stringMatching(message),
    });
  });

  test('an answer that is cut once is asked for again, and shorter', async () => {
    const { result, prompts } = await made(messages, [{ text: 'half', stop: 'length' }, structured('whole')]);
    expect(result.summary).toContain('whole');
    expect(prompts[1]).toMatch(/Use at most \d+ words/);
  });

  test('one empty part of many ends it, and no further request is made', async () => {
    const model = scriptedModel([structured('a'), '', structured('b')], 4_096);
    const events: CompactionEvent[] = [];
    await expect(summarize(session(20), { model, onEvent: (event) => events.push(event) })).rejects.toMatchObject({
      code: 'E_SUMMARY',
    });
    expect(model.asked).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: 'failed', cancelled: false });
  });

  test.each([undefined, null, {}, { text: null }, { text: 5, stop: 'end' }])(
    'an answer of %j, as a model of the caller may give it, is an empty one',
    async (answer) => {
      // As a caller without types may write it.
      const model = { name: 'own', complete: async () => answer } as unknown as ChatModel;
      await expect(summarize(session(5), { model })).rejects.toMatchObject({
        code: 'E_SUMMARY',
        message: 'own answered with an empty summary',
      });
    },
  );

  test('a provider that fails says so itself', async () => {
    expect(await refusal(messages, [new Error('no network')])).toMatchObject({ message: 'no network' });
  });

  test.each([0, 1, 2])('a cancel during request %i ends it there', async (at) => {
    const controller = new AbortController();
    const model = scriptedModel(
      [...Array.from({ length: at }, () => structured('a')), () => (controller.abort(), structured('late'))],
      4_096,
    );
    const events: CompactionEvent[] = [];
    const asked = summarize(session(20), { model, signal: controller.signal, onEvent: (event) => events.push(event) });
    await expect(asked).rejects.toMatchObject({ code: 'E_SUMMARY', message: expect.stringContaining('cancelled') });
    expect(model.asked).toHaveLength(at + 1);
    expect(events.at(-1)).toMatchObject({ type: 'failed', cancelled: true });
  });

  test('a summary alone is not summarised again', async () => {
    const first = await made(session(5), [structured('x')]);
    expect(await refusal(first.result.messages, [structured('y')], { upTo: 1 })).toMatchObject({
      message: 'there is nothing new to summarise',
    });
  });

  test('messages that are none are named', async () => {
    // Wrong on purpose: it comes from outside.
    expect(await refusal([user('a'), null] as unknown as Message[], [])).toMatchObject({ code: 'E_MESSAGE_INVALID' });
  });
});

describe('of any conversation, of either shape', () => {
  const price = (list: readonly Message[]): number =>
    list.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  const window = fc.constantFrom(undefined, 2_048, 8_192);

  /** What a summary did that none may do. */
  function breachesOf(messages: readonly Message[], { messages: after, summary }: SummaryResult): string[] {
    const others = after.filter((message) => message.content !== summary);
    const places = others.map((message) => messages.indexOf(message));
    return [
      ...(price(after) < price(messages) ? [] : ['it is no smaller']),
      ...looseHalves(after).map((half) => `torn: ${half}`),
      ...(others.length === after.length - 1 ? [] : ['there is not one summary']),
      ...places.flatMap((place, index) => (place >= 0 && place > (places[index - 1] ?? -1) ? [] : [`moved: ${index}`])),
    ];
  }

  test('the result is smaller, tears no round trip, and all but the summary are objects of the input in order; or it is refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        conversation(),
        fc.integer({ min: 1, max: 3 }),
        window,
        async (messages, tailTurns, declared) => {
          const model = scriptedModel([structured('x')], declared);
          const outcome = await summarize(frozen(messages), { model, tailTurns }).then(
            (result) => breachesOf(messages, result),
            // Any other error fails the test.
            (error: unknown) => (error instanceof ChittaError && error.code === 'E_SUMMARY' ? [] : [String(error)]),
          );
          expect(outcome).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('any empty answer or cancel abandons all, whatever the conversation', async () => {
    await fc.assert(
      fc.asyncProperty(brokenConversation(), fc.nat(4), fc.boolean(), async (messages, at, cancels) => {
        const controller = new AbortController();
        const bad = (): string => {
          if (cancels) controller.abort();
          return cancels ? structured('late') : '';
        };
        const model = scriptedModel([...Array.from({ length: at }, () => structured('x')), bad], 2_048);
        const isMade = await summarize(frozen(messages), { model, signal: controller.signal }).then(
          () => true,
          () => false,
        );
        expect(isMade && model.asked.length > at).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
