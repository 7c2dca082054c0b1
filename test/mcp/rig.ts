/** The server joined to the SDK's own client, with a real application and database in a home of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { Client, type ClientOptions } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { createMcpServer, type McpApp } from '../../src/mcp/server.ts';
import { serveMcp } from '../../src/mcp/serve.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';

/** Enough for a test on a machine that is busy. */
export const MS = 10_000;

export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Record<string, unknown>;
}

export interface McpRig {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly client: Client;
  /** The database as other processes see it. */
  readonly memory: MemoryDatabase;
  call(name: string, args?: Record<string, unknown>): Promise<Answer>;
}

export interface RigOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly more?: Partial<McpApp>;
  readonly client?: ClientOptions;
  /** The folder that the server is told of; `undefined` leaves it to the client's roots. */
  readonly folder?: (project: string) => string | undefined;
  readonly session?: string;
  /** Before the client is connected. */
  readonly prepare?: (client: Client, project: string) => void;
}

/** Sets up a rig for the running test. */
export async function mcpRig(options: RigOptions = {}): Promise<McpRig> {
  const root = mkdtempSync(join(tmpdir(), 'chitta-mcp-'));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  mkdirSync(project);
  const env = { HOME: root, CHITTA_HOME: home, CHITTA_RUNTIME_DIR: '/dev/null', ...options.env };
  const memory = openMemory({ home });
  const openApp = (cwd: string = root): McpApp => ({
    ...createApp({ env, cwd, version: '0.0.0' }),
    ...options.more,
  });
  const { folder = (path: string): string | undefined => path, session } = options;
  const server = createMcpServer({ version: '1.2.3', openApp, folder: folder(project), session });
  const client = new Client({ name: 'test', version: '0' }, options.client);
  options.prepare?.(client, project);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  // From here on the client holds every result to the schema of its tool.
  await client.listTools();
  onTestFinished(async () => {
    await client.close();
    memory.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    root,
    home,
    project,
    client,
    memory,
    call: async (name, args = {}) => {
      const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: args });
      // Of a tool of ours: one text, and an object.
      const [{ text }] = content as [{ text: string }];
      return { isError: isError === true, text, data: structuredContent as Record<string, unknown> };
    },
  };
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The server as a process has it, for messages that no client would send; without a database. */
export async function serverOverPipes(): Promise<{
  readonly notes: readonly string[];
  ask(message: object): Promise<Reply>;
  tell(message: object): void;
}> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const notes: string[] = [];
  const openApp = (): never => {
    throw new Error('this test has none');
  };
  const note = (text: string): void => void notes.push(text);
  const served = serveMcp({ version: '0', openApp, input, output, note, parent: () => 1 });
  onTestFinished(async () => {
    input.end();
    await served;
  });
  const waiting = new Map<number | undefined, (reply: Reply) => void>();
  createInterface({ input: output }).on('line', (line) => {
    // What the server writes is JSON-RPC.
    const reply = JSON.parse(line) as Reply;
    waiting.get(reply.id)?.(reply);
  });
  const tell = (message: object): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (message: object): Promise<Reply> =>
    new Promise((resolve) => {
      const id = waiting.size + 1;
      waiting.set(id, resolve);
      tell({ id, ...message });
    });
  const clientInfo = { name: 'test', version: '0' };
  await ask({ method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  return { notes, ask, tell };
}
