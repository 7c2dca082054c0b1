import { describe, expect, test } from 'vitest';
import { ChittaError } from '../../src/errors.ts';
import { compactContext } from '../../src/actions/compact.ts';
import { methodsFor, type RpcApp } from '../../src/rpc/methods.ts';
import { serve } from '../../src/rpc/serve.ts';
import { toolApp } from '../support/tool-app.ts';

type Compact = (params: unknown) => ReturnType<typeof compactContext>;

const appWith = (compact: Compact) => async (): Promise<RpcApp> => ({
  ...toolApp(),
  compactContext: (params) => compact(params),
});

/** Replies as a caller reads them; their order is the order of the requests. */
async function talk(
  input: string | readonly string[],
  compact: Compact = compactContext,
): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const chunks = (typeof input === 'string' ? [input] : input).map((chunk) => Buffer.from(chunk));
  async function* stream(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  const print = async (text: string): Promise<void> => {
    lines.push(text);
  };
  await serve(stream(), print, methodsFor('1.2.3', appWith(compact)));
  for (const line of lines) expect(line).toMatch(/^[^\n]+\n$/u);
  return lines.map((line) => JSON.parse(line));
}

async function ask(method: string, params?: unknown): Promise<Record<string, unknown>> {
  const [reply, ...more] = await talk(JSON.stringify({ jsonrpc: '2.0', id: 'x', method, params }));
  expect(more).toEqual([]);
  expect(reply).toMatchObject({ jsonrpc: '2.0', id: 'x' });
  return reply ?? {};
}

const messages = [
  { role: 'user', content: 'Please fix the date parser.' },
  { role: 'assistant', content: 'It is fixed.' },
  { role: 'user', content: 'Thank you; now write a test.' },
];

describe('methods', () => {
  test('initialize answers with the revision that was asked for, if it is known', async () => {
    expect(await ask('initialize', { protocolVersion: '2025-03-26', capabilities: {} })).toMatchObject({
      result: {
        protocolVersion: '2025-03-26',
        capabilities: { tools: {} },
        serverInfo: { name: 'chitta', version: '1.2.3' },
      },
    });
    expect(await ask('initialize', { protocolVersion: '1999-01-01' })).toMatchObject({
      result: { protocolVersion: '2025-06-18' },
    });
  });

  test('ping answers with nothing', async () => {
    expect(await ask('ping')).toEqual({ jsonrpc: '2.0', id: 'x', result: {} });
  });

  test('tools/list describes the parameters of every tool, compact_context first', async () => {
    const { tools } = Object((await ask('tools/list'))['result']);
    expect(tools[0]).toMatchObject({
      name: 'compact_context',
      inputSchema: { type: 'object', required: ['messages'] },
    });
    expect(tools).toContainEqual(expect.objectContaining({ name: 'recall' }));
  });

  test('tools/call has the other tools too, and says which there are', async () => {
    expect(await ask('tools/call', { name: 'forget', arguments: { id: 0 } })).toMatchObject({
      error: { code: -32602, data: { code: 'E_PARAM_INVALID', field: 'id' } },
    });
    expect(await ask('tools/call', { name: 'nope' })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('compact_context, recall') },
    });
  });

  test('tools/call answers jq users and MCP clients at once', async () => {
    const reply = await ask('tools/call', {
      name: 'compact_context',
      arguments: { messages, target_ratio: 1, explain: true },
    });
    const { result } = reply;
    expect(result).toMatchObject({ messages, stats: { dropped: 0, strategy: 'need' } });
    const { stats, content, structuredContent, decisions } = Object(result);
    expect(structuredContent).toEqual({ stats });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify({ stats }) }]);
    expect(decisions).toHaveLength(3);
  });
});

describe('errors carry the id, the code and the field', () => {
  const compact = (args: unknown): unknown => ({ name: 'compact_context', arguments: args });
  test.each([
    ['an unknown method', 'tools/run', {}, -32601, undefined],
    ['a method named like an inherited property', 'constructor', {}, -32601, undefined],
    ['params that are no object', 'tools/call', [1], -32602, 'params'],
    ['a call without a name', 'tools/call', {}, -32602, 'name'],
    ['an unknown tool', 'tools/call', { name: 'rm' }, -32602, 'name'],
    ['a call without messages', 'tools/call', compact({}), -32602, 'messages'],
    ['messages that are none', 'tools/call', compact({ messages: 'hello' }), -32602, 'messages'],
    ['a message that is null', 'tools/call', compact({ messages: [messages[0], null] }), -32602, 'messages[1]'],
    ['a message without a role', 'tools/call', compact({ messages: [{ content: 'a' }] }), -32602, 'messages[0].role'],
    ['a ratio out of range', 'tools/call', compact({ messages, target_ratio: 7 }), -32602, 'target_ratio'],
    ['a ratio that is a text', 'tools/call', compact({ messages, target_ratio: '0.4' }), -32602, 'target_ratio'],
    ['an unknown parameter', 'tools/call', compact({ messages, ratio: 0.4 }), -32602, 'ratio'],
  ])('%s', async (_, method, params, code, field) => {
    const { error } = await ask(method, params);
    expect(error).toMatchObject({ code, ...(field === undefined ? {} : { data: { field } }) });
    expect(Object(error).message).toContain(field ?? 'not known');
  });

  test('a failure inside is an internal error with the id of its request', async () => {
    const fail = (error: unknown) => async (): Promise<never> => {
      throw error;
    };
    const request = JSON.stringify({
      jsonrpc: '2.0',
      id: 4,
      method: 'tools/call',
      params: { name: 'compact_context' },
    });
    expect(await talk(request, fail(new Error('no more')))).toMatchObject([
      { id: 4, error: { code: -32603, message: 'internal error: no more', data: { code: 'E_INTERNAL' } } },
    ]);
    const known = new ChittaError('E_CONFIG_INVALID', 'target_ratio is 7', { field: 'target_ratio', hint: 'lower it' });
    expect(await talk(request, fail(known))).toMatchObject([
      { id: 4, error: { code: -32603, data: { code: 'E_CONFIG_INVALID', field: 'target_ratio', hint: 'lower it' } } },
    ]);
  });

  test.each([
    ['no JSON', 'hello', null, -32700],
    ['a scalar', '42', null, -32600],
    ['an object that is no request', '{"a":1}', null, -32600],
    ['another version, with its id', '{"jsonrpc":"1.0","id":3,"method":"ping"}', 3, -32600],
    ['no method', '{"jsonrpc":"2.0","id":"a"}', 'a', -32600],
    ['an id that is none', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', null, -32600],
    ['an empty batch', '[]', null, -32600],
  ])('%s', async (_, input, id, code) => {
    expect(await talk(input)).toMatchObject([{ jsonrpc: '2.0', id, error: { code } }]);
  });
});

describe('a conversation', () => {
  const ping = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

  test('goes on after garbage, and answers every request in order', async () => {
    const input = [ping(1), 'garbage', '{"jsonrpc":"2.0","id":9,"met', ping('two'), ping(null), ''].join('\n');
    const replies = await talk(input);
    expect(replies.map(({ id, error }) => [id, Object(error).code])).toEqual([
      [1, undefined],
      [null, -32700],
      [null, -32700],
      ['two', undefined],
      [null, undefined],
    ]);
  });

  test('answers a batch in one line, without its notifications', async () => {
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    expect(await talk(`[${ping(1)},${note},7,${ping(2)}]`)).toMatchObject([
      [
        { id: 1, result: {} },
        { id: null, error: { code: -32600 } },
        { id: 2, result: {} },
      ],
    ]);
    expect(await talk(`[${note},${note}]\n${note}`)).toEqual([]);
  });

  test('keeps ids that do not fit a number', async () => {
    const lines: string[] = [];
    const input =
      '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}[{"jsonrpc":"2.0","id":0.10,"method":"ping"}]';
    await serve(
      (async function* stream() {
        yield input;
      })(),
      async (text) => {
        lines.push(text);
      },
      methodsFor('1', appWith(compactContext)),
    );
    expect(lines).toEqual([
      '{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}\n',
      '[{"jsonrpc":"2.0","id":0.10,"result":{}}]\n',
    ]);
  });

  test('replies before the input ends', async () => {
    const events: string[] = [];
    async function* stream(): AsyncGenerator<string> {
      yield `${ping(1)}\n`;
      events.push('asked for more');
      yield `${ping(2)}\n`;
    }
    const print = async (): Promise<void> => {
      events.push('reply');
    };
    await serve(stream(), print, methodsFor('1', appWith(compactContext)));
    expect(events).toEqual(['reply', 'asked for more', 'reply']);
  });

  test('answers in well-formed Unicode what came with lone surrogates', async () => {
    const params = {
      name: 'compact_context',
      arguments: { messages: [{ role: 'user', content: 'a\uD83D' }], target_ratio: 1 },
    };
    const [reply] = await talk(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    expect(reply).toMatchObject({ result: { messages: [{ role: 'user', content: 'a\uFFFD' }] } });
  });

  test('takes a request of 10 MB', async () => {
    const content = 'Lorem ipsum dolor sit amet. '.repeat(400);
    const many = Array.from({ length: 1000 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `${i} ${content}`,
    }));
    const params = { name: 'compact_context', arguments: { messages: many, target_ratio: 0.1 } };
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(request.length).toBeGreaterThan(10_000_000);
    const chunks = Array.from({ length: Math.ceil(request.length / 65_536) }, (_, i) =>
      request.slice(i * 65_536, (i + 1) * 65_536),
    );
    expect(await talk(chunks)).toMatchObject([{ id: 1, result: { stats: { over_budget: false } } }]);
  });

  test('a request nested ten thousand levels deep gets an answer too', async () => {
    const deep = '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000);
    const input = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"compact_context","arguments":{"messages":[{"role":"user","content":"a","x":${deep}}]}}}`;
    expect(await talk(`${input}\n${ping(6)}`)).toMatchObject([{ id: 5 }, { id: 6, result: {} }]);
  });
});

test('a long batch leaves the process its turn between calls, so that what each opened is closed', async () => {
  let [done, doneAtTurn] = [0, -1];
  const compact: Compact = async (params) => {
    if (done === 0) setImmediate(() => (doneAtTurn = done));
    done += 1;
    return compactContext(params);
  };
  const call = (id: number): object => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'compact_context', arguments: { messages } },
  });
  const [replies] = await talk(JSON.stringify(Array.from({ length: 50 }, (_, id) => call(id))), compact);
  expect(replies).toHaveLength(50);
  expect(doneAtTurn).toBeGreaterThan(0);
  expect(doneAtTurn).toBeLessThan(10);
});
