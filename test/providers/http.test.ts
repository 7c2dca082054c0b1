import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { ChatModel } from '../../src/ports/chat-model.ts';
import { anthropicModel } from '../../src/providers/anthropic.ts';
import { type HttpOptions, retryAfterMs } from '../../src/providers/http.ts';
import { openAiModel } from '../../src/providers/openai.ts';
import { type Answer, type ModelServer, modelServer } from '../support/model-server.ts';

const KEY = 'key-of-nobody-0123456789';
const ASK = { system: 'Be brief.', prompt: 'Summarise: ü 漢字', maxTokens: 500 };

type Maker = (server: ModelServer, options: HttpOptions) => ChatModel;

const MAKERS: readonly (readonly [string, Maker])[] = [
  ['anthropic', ({ url }, http) => anthropicModel({ ...http, model: 'm', baseUrl: `${url}/`, apiKey: KEY })],
  ['openai', ({ url }, http) => openAiModel({ ...http, model: 'm', baseUrl: `${url}/v1`, apiKey: KEY })],
];

/** Waits of an hour take no time, and are kept. */
function patient(): { readonly waits: number[]; readonly options: HttpOptions } {
  const waits: number[] = [];
  return { waits, options: { pause: async (ms) => void waits.push(ms) } };
}

async function ask(
  make: Maker,
  ...answers: readonly Answer[]
): Promise<{ server: ModelServer; model: ChatModel; waits: number[] }> {
  const server = await modelServer(answers);
  const { waits, options } = patient();
  return { server, model: make(server, options), waits };
}

/** The answer `a b`, as events and as one document. */
const AS_EVENTS: Readonly<Record<string, readonly unknown[]>> = {
  anthropic: [
    { type: 'content_block_delta', delta: { type: 'text_delta', text: 'a ' } },
    { type: 'content_block_delta', delta: { type: 'text_delta', text: 'b' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  ],
  openai: [
    { choices: [{ delta: { content: 'a ' } }] },
    { choices: [{ delta: { content: 'b' } }] },
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
  ],
};
const AS_DOCUMENT: Readonly<Record<string, unknown>> = {
  anthropic: { content: [{ type: 'text', text: 'a b' }], stop_reason: 'end_turn' },
  openai: { choices: [{ message: { content: 'a b' }, finish_reason: 'stop' }] },
};
const events = (list: readonly string[]): string => list.map((one) => `data: ${one}\n\n`).join('');

describe.each(MAKERS)('%s', (name, make) => {
  const whole = AS_EVENTS[name]!.map((event) => JSON.stringify(event));
  const document = JSON.stringify(AS_DOCUMENT[name]);

  test.each<[what: string, type: string, body: string]>([
    ['events that are called text', 'text/plain', events(whole)],
    ['events that are called a document', 'application/json', events(whole)],
    ['events behind a comment', 'text/event-stream', `: hello\n\n${events(whole)}`],
    ['events that are named', 'text/event-stream', `event: x\n${events(whole)}`],
    ['events behind blank lines, with others between', '', `\n\n${events(['', ...whole])}`],
    ['a document that is called a stream', 'text/event-stream', document],
    ['a document behind blanks', 'application/json', `\n  \n${document}\n`],
  ])('reads %s', async (_what, type, body) => {
    const { model } = await ask(make, { status: 200, headers: { 'content-type': type }, body });
    expect(await model.complete(ASK)).toMatchObject({ text: 'a b', stop: 'end' });
  });

  test.each<[what: string, body: string]>([
    ['an event that is damaged', events([whole[0]!, whole[1]!.slice(0, -9), whole[2]!])],
    ['an event that is no JSON', events([whole[0]!, 'oops', whole[1]!, whole[2]!])],
    ['a document that is cut', document.slice(0, -5)],
    ['nothing', ''],
    ['blanks', ' \n '],
  ])('asks again after %s: an answer with a hole is none', async (_what, body) => {
    const { server, model } = await ask(make, { status: 200, body }, { text: 'whole' });
    expect(await model.complete(ASK)).toMatchObject({ text: 'whole' });
    expect(server.requests).toHaveLength(2);
  });

  test('puts a streamed answer together, with what the provider counted', async () => {
    const { server, model } = await ask(make, { text: 'An answer with ü and 漢字.' });
    const heard: number[] = [];
    const answer = await model.complete({ ...ASK, onProgress: (characters) => heard.push(characters) });
    expect(answer).toEqual({
      text: 'An answer with ü and 漢字.',
      stop: 'end',
      usage: { inputTokens: 100, outputTokens: 20 },
    });
    expect(heard.at(-1)).toBe('An answer with ü and 漢字.'.length);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.text).toContain('Summarise: ü 漢字');
    expect(server.requests[0]?.body).toMatchObject({ model: 'm', stream: true, max_tokens: 500 });
  });

  test('reads an answer that is not streamed', async () => {
    const { model } = await ask(make, { text: 'whole', how: 'whole' });
    expect(await model.complete(ASK)).toMatchObject({
      text: 'whole',
      stop: 'end',
      usage: { inputTokens: 100, outputTokens: 20 },
    });
  });

  test('says that an answer was cut', async () => {
    const { model } = await ask(make, { text: 'half', stop: 'length' });
    expect(await model.complete(ASK)).toMatchObject({ text: 'half', stop: 'length' });
  });

  test('hands on an empty answer as it is', async () => {
    const { model } = await ask(make, { text: '' });
    expect(await model.complete(ASK)).toMatchObject({ text: '', stop: 'end' });
  });

  test('waits as long as a busy provider says, then asks again', async () => {
    const { server, model, waits } = await ask(
      make,
      { status: 429, headers: { 'retry-after': '7' } },
      { text: 'then' },
    );
    expect(await model.complete(ASK)).toMatchObject({ text: 'then' });
    expect(waits).toEqual([7_000]);
    expect(server.requests).toHaveLength(2);
  });

  test('does not wait for longer than a minute, and says for how long it would be', async () => {
    const { server, model, waits } = await ask(make, {
      status: 429,
      headers: { 'retry-after': '3600' },
      body: '{"error":{"message":"slow down"}}',
    });
    await expect(model.complete(ASK)).rejects.toMatchObject({
      code: 'E_PROVIDER',
      message: `${name}: status 429: slow down`,
      hint: 'try again in 3600 s',
    });
    expect(waits).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['60', 2, [60_000]],
    ['61', 1, []],
  ])('a minute is the longest that it waits for: %s s', async (seconds, requests, expected) => {
    const answers = [{ status: 429, headers: { 'retry-after': seconds }, body: '{}' }, { text: 'x' }];
    const { server, model, waits } = await ask(make, ...answers);
    await model.complete(ASK).catch(() => undefined);
    expect([server.requests.length, waits]).toEqual([requests, expected]);
  });

  test.each([408, 500, 502, 503, 504, 529])(
    'asks three times where a server fails with %i, then gives up',
    async (status) => {
      const { server, model, waits } = await ask(make, { status, body: 'oops' });
      await expect(model.complete(ASK)).rejects.toMatchObject({
        code: 'E_PROVIDER',
        message: `${name}: status ${status}: oops`,
      });
      expect(server.requests).toHaveLength(3);
      expect(waits).toEqual([1_000, 4_000]);
    },
  );

  test('asks again where an answer breaks off in the middle', async () => {
    const { server, model } = await ask(make, { text: 'broken in the middle', how: 'broken' }, { text: 'whole' });
    expect(await model.complete(ASK)).toMatchObject({ text: 'whole' });
    expect(server.requests).toHaveLength(2);
  });

  test('does not ask again where it is refused, and shows no key', async () => {
    const { server, model } = await ask(make, {
      status: 401,
      body: JSON.stringify({ error: { message: `Incorrect key: ${KEY}` } }),
    });
    const error: unknown = await model.complete(ASK).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'E_PROVIDER', message: `${name}: status 401: Incorrect key: [masked]` });
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['an event of its stream', 'text/event-stream', 'data: ', '\n\n'],
    ['an answer that is none', 'application/json', '', ''],
  ])('shows no key that %s quotes', async (_where, type, before, after) => {
    const error = { type: 'error', error: { type: 'authentication_error', message: `Incorrect key: ${KEY}` } };
    const body = `${before}${JSON.stringify(error)}${after}`;
    const { model } = await ask(make, { status: 200, headers: { 'content-type': type }, body });
    const thrown: unknown = await model.complete(ASK).catch((one: unknown) => one);
    expect(thrown).toMatchObject({ code: 'E_PROVIDER', message: `${name}: Incorrect key: [masked]` });
    expect(inspect(thrown, { depth: 9 })).not.toContain(KEY);
  });

  test('a refusal without an end is a refusal', async () => {
    const { model } = await ask(make, { status: 400, body: 'no '.repeat(20_000), how: 'endless' });
    await expect(model.complete(ASK)).rejects.toMatchObject({
      code: 'E_PROVIDER',
      message: expect.stringMatching(/status 400: no no /),
    });
  });

  test('a refusal that comes to no end is not waited for as an answer is', async () => {
    const server = await modelServer([{ status: 400, body: 'no', how: 'stalled' }]);
    await expect(make(server, { silenceMs: 50 }).complete(ASK)).rejects.toMatchObject({
      message: `${name}: status 400: no`,
    });
  });

  test('an answer that falls silent is given up', async () => {
    const server = await modelServer([{ status: 200, body: events(whole.slice(0, 1)), how: 'stalled' }]);
    await expect(make(server, { ...patient().options, silenceMs: 50 }).complete(ASK)).rejects.toMatchObject({
      code: 'E_PROVIDER',
      message: `${name}: no answer for 0 s`,
    });
    expect(server.requests).toHaveLength(3);
  });

  test('signs of life without an end are no answer', async () => {
    const server = await modelServer([
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: ': ping\n\n', how: 'endless' },
    ]);
    await expect(make(server, { ...patient().options, answerMs: 50 }).complete(ASK)).rejects.toMatchObject({
      code: 'E_PROVIDER',
      message: `${name}: no whole answer in 0 s`,
    });
  });

  test('follows no redirection, which would take the key elsewhere', async () => {
    const { server, model } = await ask(make, { status: 307, headers: { location: 'http://127.0.0.1:1/' } });
    await expect(model.complete(ASK)).rejects.toMatchObject({ code: 'E_PROVIDER', message: `${name}: status 307` });
    expect(server.requests).toHaveLength(1);
  });

  test('gives up on a provider that says nothing', async () => {
    const server = await modelServer([{ how: 'silent' }]);
    const { waits, options } = patient();
    const model = make(server, { ...options, firstByteMs: 20 });
    await expect(model.complete(ASK)).rejects.toMatchObject({
      code: 'E_PROVIDER',
      message: `${name}: no answer for 0 s`,
    });
    expect(waits).toHaveLength(2);
  });

  test('ends at once when it is cancelled, with the reason of who cancels', async () => {
    const server = await modelServer([{ how: 'silent' }]);
    const controller = new AbortController();
    const asked = make(server, {}).complete({ ...ASK, signal: controller.signal });
    await server.heard;
    controller.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  test('does not ask at all when it was cancelled before', async () => {
    const { server, model } = await ask(make, { text: 'x' });
    await expect(model.complete({ ...ASK, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    expect(server.requests).toEqual([]);
  });

  test('is cancelled while it waits for another attempt', async () => {
    const server = await modelServer([{ status: 503 }]);
    const controller = new AbortController();
    const model = make(server, {
      pause: (_ms, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          controller.abort(new Error('enough'));
        }),
    });
    await expect(model.complete({ ...ASK, signal: controller.signal })).rejects.toThrow('enough');
    expect(server.requests).toHaveLength(1);
  });

  test('says that nobody listens there', async () => {
    const model = make({ url: 'http://127.0.0.1:1', requests: [], heard: Promise.resolve() }, patient().options);
    await expect(model.complete(ASK)).rejects.toMatchObject({ code: 'E_PROVIDER' });
  });

  test('says that what answers there is no such API', async () => {
    const server = await modelServer([{ status: 200, body: '<html>hello</html>' }]);
    await expect(make(server, {}).complete(ASK)).rejects.toMatchObject({
      message: `${name}: the answer is no JSON`,
      hint: expect.stringContaining('BASE_URL'),
    });
  });
});

test('anthropic: an overload in the middle of a stream is worth another attempt', async () => {
  const server = await modelServer([{ text: 'x', how: 'error-event' }, { text: 'then' }]);
  const model = anthropicModel({ ...patient().options, model: 'm', baseUrl: server.url, apiKey: KEY });
  expect(await model.complete(ASK)).toMatchObject({ text: 'then' });
});

test.each([{ type: 'server_error' }, { code: 503 }, { code: '429' }, { type: 'x', code: 'rate_limit_exceeded' }])(
  'openai: nor does a failure in the middle of a stream end it: %j',
  async (kind) => {
    const error = JSON.stringify({ error: { message: 'not now', ...kind } });
    const body = events([JSON.stringify(AS_EVENTS['openai']![0]), error]);
    const server = await modelServer([{ status: 200, body }, { text: 'then' }]);
    const model = openAiModel({ ...patient().options, model: 'm', baseUrl: server.url });
    expect(await model.complete(ASK)).toMatchObject({ text: 'then' });
  },
);

test.each<[what: string, message: unknown, expected: unknown]>([
  [
    'in parts',
    {
      content: [
        { type: 'text', text: 'a ' },
        { type: 'text', text: 'b' },
      ],
    },
    { text: 'a b' },
  ],
  ['that refuses', { content: null, refusal: 'No.' }, { message: 'openai: the model refused to answer' }],
])('openai: reads an answer %s', async (_what, message, expected) => {
  const body = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] });
  const server = await modelServer([{ status: 200, body }]);
  const answer = openAiModel({ model: 'm', baseUrl: server.url }).complete(ASK);
  expect(await answer.catch((error: unknown) => error)).toMatchObject(expected as object);
});

test('keys go into the header that each API reads', async () => {
  const server = await modelServer([{ text: 'x' }]);
  await anthropicModel({ model: 'm', baseUrl: server.url, apiKey: KEY }).complete(ASK);
  await anthropicModel({ model: 'm', baseUrl: server.url, authToken: KEY }).complete(ASK);
  await openAiModel({ model: 'm', baseUrl: server.url, apiKey: KEY }).complete(ASK);
  await openAiModel({ model: 'm', baseUrl: server.url }).complete(ASK);
  const keys = server.requests.map(({ headers }) => headers['x-api-key'] ?? headers.authorization);
  expect(keys).toEqual([KEY, `Bearer ${KEY}`, `Bearer ${KEY}`, undefined]);
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/v1/messages',
    '/v1/messages',
    '/chat/completions',
    '/chat/completions',
  ]);
});

test.each([
  ['retry-after-ms', '1500', 1_500],
  ['retry-after-ms', '', undefined],
  ['retry-after', '2', 2_000],
  ['retry-after', '0', 0],
  ['retry-after', '-5', 0],
  ['retry-after', 'Thu, 01 Jan 1970 00:00:30 GMT', 29_000],
  ['retry-after', 'soon', undefined],
  ['retry-after', '', undefined],
  ['x', 'y', undefined],
])('%s: %s is %s ms', (name, value, ms) => {
  expect(retryAfterMs(new Headers({ [name]: value }), 1_000)).toBe(ms);
});
