/** `chitta mcp`: the server over standard streams, for as long as its client is there. */
import type { Readable, Writable } from 'node:stream';
import { createMcpServer, type ServerOptions } from './server.ts';
import { StdioTransport } from './transport.ts';

export interface ServeOptions extends ServerOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** One line for people. */
  readonly note: (text: string) => void;
  /** Process id of the parent as it is now. */
  readonly parent: () => number;
}

/** A parent that was killed may leave the pipe open in another of its children. */
const LOOK_FOR_PARENT_MS = 2_000;
/** Characters of a complaint: it may quote what a client sent. */
const MAX_NOTE = 300;

/** Serves one client. Resolves when it is gone: its end of the pipe closed and what it asked for answered, nobody reading, or killed. */
export async function serveMcp({ input, output, note, parent, ...options }: ServeOptions): Promise<void> {
  const transport = new StdioTransport(input, output);
  const server = createMcpServer(options);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a server of the SDK is no event target
  server.onerror = ({ message }) =>
    note(`chitta: mcp: ${message.replaceAll(/\s+/g, ' ').slice(0, MAX_NOTE).toWellFormed()}`);
  const born = parent();
  const orphaned = new Promise<void>((resolve) => {
    setInterval(() => parent() !== born && resolve(), LOOK_FOR_PARENT_MS).unref();
  });
  await server.connect(transport);
  await Promise.race([transport.done, orphaned]);
}
