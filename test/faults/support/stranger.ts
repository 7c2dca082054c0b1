/** Someone else at the daemon's address: a server that says and does what a test likes. Ends with the test. */
import { mkdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Endpoint } from '../../../src/daemon/places.ts';

export type Behaviour = (socket: Socket, endpoint: Endpoint) => void;

/** Listens at the endpoint. */
export async function stranger(endpoint: Endpoint, behave: Behaviour): Promise<void> {
  mkdirSync(endpoint.folder, { recursive: true, mode: 0o700 });
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    behave(socket, endpoint);
  });
  await new Promise<void>((resolve) => server.listen(endpoint.socket, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
}

export function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** What a daemon says first. */
export function hello({ model }: Endpoint, fields: object = {}): string {
  return line({ chitta: 1, build: '0.1.0', model, state: 'ready', ...fields });
}

/** One byte a second, the first at once. */
export function drip(socket: Socket, text: string): void {
  let at = 0;
  const next = (): void => {
    if (at < text.length && !socket.destroyed) socket.write(text.charAt(at++));
  };
  const timer = setInterval(next, 1_000);
  socket.once('close', () => clearInterval(timer));
  next();
}

/** So many megabytes without the end of a line, as fast as they are taken. */
export function flood(socket: Socket, megabytes: number): void {
  const block = Buffer.alloc(1_048_576, 'x');
  let sent = 0;
  const more = (): void => {
    while (sent < megabytes && !socket.destroyed) {
      sent++;
      if (!socket.write(block)) return;
    }
  };
  socket.on('drain', more);
  more();
}
