import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StdioTransport } from '../../src/mcp/transport.ts';

interface Wire {
  readonly input: PassThrough;
  readonly transport: StdioTransport;
  readonly received: JSONRPCMessage[];
  readonly problems: string[];
  readonly sent: () => unknown[];
  readonly isDone: () => boolean;
}

async function wire(maxBytes?: number): Promise<Wire> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new StdioTransport(input, output, maxBytes);
  const received: JSONRPCMessage[] = [];
  const problems: string[] = [];
  let [text, done] = ['', false];
  output.on('data', (chunk: Buffer) => (text += chunk.toString()));
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => received.push(message),
    onerror: (error: Error) => problems.push(error.message),
  });
  void transport.done.then(() => (done = true));
  await transport.start();
  const sent = (): unknown[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { input, transport, received, problems, sent, isDone: () => done };
}

const request = (id: string | number, method = 'ping'): JSONRPCMessage => ({ jsonrpc: '2.0', id, method });
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
/** Lets streams hand on what they hold. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('messages arrive whole, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(400), { maxLength: 8 }),
      async (ids, cuts) => {
        const { input, received } = await wire();
        const wanted = ids.map((id) => request(id.toWellFormed()));
        const bytes = Buffer.from(wanted.map(line).join(''));
        const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
        let from = 0;
        for (const place of places) {
          input.write(bytes.subarray(from, place));
          from = place;
        }
        await settled();
        expect(received).toEqual(wanted);
      },
    ),
    { numRuns: 50 },
  );
});

test('a message that is too large is refused by its id, first or last, and the next one is read', async () => {
  const { input, received, sent } = await wire(1_000);
  const params = { x: 'x'.repeat(5_000) };
  input.write(line({ jsonrpc: '2.0', id: 'first', method: 'ping', params }));
  const last = line({ method: 'ping', params, jsonrpc: '2.0', id: 7 });
  for (let at = 0; at < last.length; at += 300) input.write(last.slice(at, at + 300));
  input.write(line(request(8)));
  await settled();
  const refused = { code: -32_600, message: expect.stringContaining('MB is not read') };
  expect(sent()).toEqual([
    { jsonrpc: '2.0', id: 'first', error: refused },
    { jsonrpc: '2.0', id: 7, error: refused },
  ]);
  expect(received).toEqual([request(8)]);
});

test('what is no message is passed over, answered if it has an id, and ends nothing', async () => {
  const { input, received, problems, sent } = await wire(2_000);
  input.write(`garbage\n\n{"jsonrpc":"2.0"}\n{"id":3}\n[]\nnull\n${'x'.repeat(3_000)}\n\xff\xfe\n${line(request(1))}`);
  await settled();
  expect(sent()).toEqual([{ jsonrpc: '2.0', id: 3, error: { code: -32_600, message: expect.any(String) } }]);
  expect(problems.length).toBeGreaterThanOrEqual(6);
  expect(received).toEqual([request(1)]);
});

test('the end waits for what was asked and is not answered, and for nothing else', async () => {
  const { input, transport, isDone } = await wire();
  input.write(line(request(1)) + line(request(2)) + line(request(3)));
  input.write(line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }));
  input.end(JSON.stringify(request('last')));
  await settled();
  expect(isDone()).toBe(false);
  for (const id of [1, 3]) await transport.send({ jsonrpc: '2.0', id, result: {} });
  await settled();
  expect(isDone()).toBe(false);
  await transport.send({ jsonrpc: '2.0', id: 'last', result: {} });
  await settled();
  expect(isDone()).toBe(true);
});

test('a result that cannot be written as JSON is an error of its request', async () => {
  const { transport, sent } = await wire();
  let deep: unknown = [];
  for (let level = 0; level < 50_000; level += 1) deep = [deep];
  await transport.send({ jsonrpc: '2.0', id: 1, result: { deep } });
  await settled();
  expect(sent()).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32_603, message: expect.any(String) } }]);
});

test('it ends where nobody reads any more', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new StdioTransport(input, output);
  await transport.start();
  output.destroy();
  await transport.done;
  expect(await transport.send({ jsonrpc: '2.0', id: 1, result: {} })).toBeUndefined();
});
