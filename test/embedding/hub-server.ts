/** A service with the addresses of Hugging Face, on this machine, that serves what a test puts there and misbehaves as told. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HubServer {
  readonly baseUrl: string;
  /** Files by `owner/name/path`. */
  readonly files: Map<string, Buffer>;
  /** Repositories that go by another name now. */
  readonly renamed: Map<string, string>;
  /** What was asked for, as `METHOD path [range]`. */
  readonly asked: string[];
  /** How the bytes of files are sent; changed by a test. */
  mood: 'well' | 'cut' | 'silent' | 'no-ranges' | 'damaged' | 'no-sum' | 'forbidden' | 'down';
  close(): Promise<void>;
}

const sumOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function sendBytes(server: HubServer, bytes: Buffer, request: IncomingMessage, response: ServerResponse): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const partial = from > 0 && server.mood !== 'no-ranges';
  const body = Buffer.from(partial ? bytes.subarray(from) : bytes);
  response.writeHead(partial ? 206 : 200, { 'content-length': body.length });
  if (server.mood === 'damaged') body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
  if (server.mood === 'well' || server.mood === 'no-ranges' || server.mood === 'damaged')
    return void response.end(body);
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    if (server.mood === 'cut') response.destroy();
  });
}

function answer(server: HubServer, request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? '/', server.baseUrl);
  const path = decodeURIComponent(pathname);
  server.asked.push([request.method, path, request.headers.range].filter((part) => part !== undefined).join(' '));
  const end = (status: number, headers: Record<string, string> = {}): void => {
    response.writeHead(status, headers).end();
  };
  if (server.mood === 'down') return end(503);
  if (server.mood === 'forbidden') return end(401);
  const listed = /^\/api\/models\/(.+)\/tree\/main$/.exec(path)?.[1];
  if (listed !== undefined) {
    const own = [...server.files.keys()].filter((file) => file.startsWith(`${listed}/`));
    if (own.length === 0) return end(404);
    const entries = own.map((file) => ({ type: 'file', path: file.slice(listed.length + 1), size: 1 }));
    return void response.end(JSON.stringify([{ type: 'directory', path: 'onnx' }, ...entries]));
  }
  const [, repository = '', file = ''] = /^\/([^/]+\/[^/]+)\/resolve\/main\/(.+)$/.exec(path) ?? [];
  const renamed = server.renamed.get(repository);
  if (renamed !== undefined) return end(307, { location: `/${renamed}/resolve/main/${file}` });
  const stored = server.files.get(path.startsWith('/bytes/') ? path.slice('/bytes/'.length) : `${repository}/${file}`);
  if (!stored) return end(404);
  if (path.startsWith('/bytes/')) return sendBytes(server, stored, request, response);
  const location = `/bytes/${repository}/${file}`;
  // Small files are Git's own: no sum, sent at once.
  if (!file.endsWith('.gguf')) {
    response.writeHead(200, { 'content-length': stored.length, etag: '"0123456789abcdef0123456789abcdef01234567"' });
    return void response.end(request.method === 'HEAD' ? undefined : stored);
  }
  const sum = { 'x-linked-etag': `"${sumOf(stored)}"`, 'x-linked-size': String(stored.length) };
  return end(302, server.mood === 'no-sum' ? { location, 'x-linked-etag': '"abc"' } : { location, ...sum });
}

export async function startHub(): Promise<HubServer> {
  const http = createServer((request, response) => answer(server, request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  // Listening on a port, so the address is an object.
  const { port } = http.address() as AddressInfo;
  const server: HubServer = {
    baseUrl: `http://127.0.0.1:${port}`,
    files: new Map(),
    renamed: new Map(),
    asked: [],
    mood: 'well',
    close: () => {
      http.closeAllConnections();
      return new Promise((resolve) => http.close(() => resolve()));
    },
  };
  return server;
}
