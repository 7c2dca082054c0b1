/** `chitta mcp` as a process: the SDK's own client on its streams, and its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { CLI, cliRig } from '../support/cli.ts';

const rig = cliRig();

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('the official client talks to it, and it ends with the client', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp'],
    env: { ...rig.env },
    cwd: rig.folder,
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(transport);
  const { pid } = transport;
  expect((await client.listTools()).tools).toHaveLength(10);
  await client.callTool({ name: 'remember', arguments: { text: 'the port is 8080' } });
  const { structuredContent } = await client.callTool({ name: 'recall', arguments: { query: 'which port' } });
  expect(structuredContent).toMatchObject({ found: [{ text: 'the port is 8080', project: rig.folder }] });
  // It keeps its pipe open for two seconds at most.
  await client.close();
  expect([said, isAlive(pid ?? 0)]).toEqual(['', false]);
});

test('what was asked before the end of its input is answered, with nothing else on its output', async () => {
  const messages = Array.from({ length: 200 }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: `message ${n} ${'x'.repeat(500)}`,
  }));
  const calls = [1, 2, 3].map((id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'compact_context', arguments: { messages } },
  }));
  const input = [INITIALIZE, ...calls].map((one) => `${JSON.stringify(one)}\n`).join('') + 'garbage\n';
  const { stdout, stderr, exitCode } = await rig.run(['mcp', '--project', rig.folder], { input });
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id).toSorted()).toEqual([0, 1, 2, 3]);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^chitta: mcp: .+\n$/);
});

test.skipIf(process.platform === 'win32')(
  'it ends when its parent was killed, also where somebody else holds its input open (needs process groups)',
  async () => {
    // The server inherits a pipe that this test holds open.
    const parent = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, [process.argv[1], 'mcp'], { stdio: ['inherit', 'inherit', 'inherit'] });
      process.stderr.write(child.pid + '\\n');
      setInterval(() => undefined, 1000);`;
    const host = spawn(process.execPath, ['-e', parent, CLI], { env: { ...rig.env }, stdio: 'pipe' });
    const [line] = (await once(createInterface({ input: host.stderr }), 'line')) as [string];
    const pid = Number(line);
    host.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    await once(host.stdout, 'data');
    host.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
    host.stdin.destroy();
  },
);
