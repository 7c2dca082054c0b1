/** `chitta` without arguments: JSON-RPC 2.0 between a process and its standard streams. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { cliRig } from './support/cli.ts';

const rig = cliRig();

const messages = [
  { role: 'user', content: 'Please fix the date parser.' },
  { role: 'assistant', content: 'Fixed: it now takes a "Z" at the end.' },
  { role: 'user', content: 'Thank you; now write a test.' },
];

function compactRequest(id: unknown, args: Record<string, unknown>): Record<string, unknown> {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'compact_context', arguments: args } };
}

test('answers a pretty-printed request', async () => {
  const input = JSON.stringify(compactRequest(1, { messages, target_ratio: 1 }), null, 2);
  const { stdout, stderr, exitCode } = await rig.run([], { input });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout.split('\n')).toHaveLength(2);
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { messages, stats: { dropped: 0, embedding: false } } });
});

test('answers the requests between garbage, each with its id, and exits 0', async () => {
  const input = [
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    'garbage',
    '{"jsonrpc":"2.0","id":"b","method":"nope"}',
    '',
  ].join('\n');
  const { stdout, exitCode } = await rig.run([], { input });
  const replies = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(replies).toMatchObject([
    { id: 1, result: {} },
    { id: null, error: { code: -32700 } },
    { id: 'b', error: { code: -32601 } },
  ]);
  expect(exitCode).toBe(0);
});

test('replies to a client that waits for the reply before it asks on', async () => {
  const child = rig.start([]);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('no pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  for (const id of [1, 2]) {
    stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    const { value } = await lines.next();
    expect(JSON.parse(value)).toEqual({ jsonrpc: '2.0', id, result: {} });
  }
  stdin.end();
  expect(await once(child, 'close')).toEqual([0, null]);
});

test('takes a request of 10 MB, and says nothing to an empty one', async () => {
  const content = 'Lorem ipsum dolor sit amet, consectetur. '.repeat(250);
  const many = Array.from({ length: 1000 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `${i} ${content}`,
  }));
  const input = JSON.stringify(compactRequest(1, { messages: many, target_ratio: 0.1 }));
  expect(input.length).toBeGreaterThan(10_000_000);
  const { stdout, exitCode } = await rig.run([], { input });
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).result.stats.dropped).toBeGreaterThan(800);
  expect(await rig.run([], { input: '' })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
});

test('keeps to the ratio in the settings where the request names none', async () => {
  const many = Array.from({ length: 50 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `Turn ${i}, of many.`,
  }));
  const share = async (args: Record<string, unknown>): Promise<number> => {
    const { stdout } = await rig.run([], { input: JSON.stringify(compactRequest(1, { messages: many, ...args })) });
    const { before_tokens, after_tokens } = JSON.parse(stdout).result.stats;
    return after_tokens / before_tokens;
  };
  await rig.run(['config', 'set', 'target_ratio', '0.1']);
  expect(await share({})).toBeLessThanOrEqual(0.1);
  expect(await share({ target_ratio: 1 })).toBe(1);
});
