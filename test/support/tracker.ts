/** A tracker on loopback that answers as it is told, and keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TrackerAsked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly etag: string | undefined;
}

export interface MockTracker {
  /** Its address, without a slash. */
  readonly url: string;
  readonly host: string;
  readonly asked: TrackerAsked[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** An answer with JSON in it. */
export function reply(body: unknown, status = 200, headers: Record<string, string> = {}): MockTracker['answer'] {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** An issue as GitHub and Gitea tell of one. */
export function issue(number: number, more: object = {}): object {
  return {
    number,
    title: `Ticket ${number}`,
    state: 'open',
    body: 'First line.\r\nSecond line.',
    user: { login: 'noor' },
    labels: [{ name: 'bug' }, { name: 'api' }],
    comments: 3,
    html_url: `https://example.com/o/r/issues/${number}`,
    ...more,
  };
}

export async function mockTracker(): Promise<MockTracker> {
  const asked: TrackerAsked[] = [];
  const server = createServer((request, response) => {
    const { authorization, 'if-none-match': etag } = request.headers;
    asked.push({ path: request.url ?? '', authorization, etag });
    tracker.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on a port, so that its address is no name of a pipe.
  const { port } = server.address() as AddressInfo;
  const tracker: MockTracker = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    asked,
    answer: reply({}, 500),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return tracker;
}
