/** A model's HTTP API on loopback, of either kind: answers from a script, in the order of the requests, and keeps each of them. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

/** One answer. What is missing has its usual value. */
export interface Answer {
  /** Streamed in pieces. */
  readonly text?: string;
  readonly stop?: 'end' | 'length';
  /** Instead of an answer. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `whole`: no stream, one JSON document; `broken`: the stream ends in the middle; `silent`: nothing comes at all; `endless`: `body` again and again; `stalled`: `body`, and no end. */
  readonly how?: 'stream' | 'whole' | 'broken' | 'silent' | 'error-event' | 'endless' | 'stalled';
}

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** All that was said to the model. */
  readonly text: string;
}

export interface ModelServer {
  /** Address without a path. */
  readonly url: string;
  readonly requests: readonly Asked[];
  /** Resolves when a request has come in whose answer is `silent`. */
  readonly heard: Promise<void>;
}

type Script = readonly Answer[] | ((request: Asked, count: number) => Answer);

function piecesOf(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

function anthropicEvents(text: string, stop: string): unknown[] {
  return [
    {
      type: 'message_start',
      message: { content: [], stop_reason: null, usage: { input_tokens: 100, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...piecesOf(text).map((piece) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: piece },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 20 } },
    { type: 'message_stop' },
  ];
}

function openAiEvents(text: string, stop: string): unknown[] {
  return [
    { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
    ...piecesOf(text).map((piece) => ({ choices: [{ index: 0, delta: { content: piece }, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: stop }] },
    { choices: [], usage: { prompt_tokens: 100, completion_tokens: 20 } },
  ];
}

function stream(response: ServerResponse, events: readonly unknown[], isAnthropic: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of events) response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  if (!isAnthropic) response.write('data: [DONE]\n\n');
}

/** Writes as fast as it is read, until nobody does. */
function flood(response: ServerResponse, body: string): void {
  const more = (): void => {
    while (!response.destroyed && response.write(body));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

function answer(response: ServerResponse, given: Answer, isAnthropic: boolean): void {
  const { text = '', stop = 'end', status, headers = {}, body = '', how = 'stream' } = given;
  if (status !== undefined) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    if (how === 'endless') return flood(response, body);
    if (how === 'stalled') return void response.write(body);
    return void response.end(body);
  }
  const names = isAnthropic ? { end: 'end_turn', length: 'max_tokens' } : { end: 'stop', length: 'length' };
  if (how === 'whole') {
    const whole = isAnthropic
      ? { content: [{ type: 'text', text }], stop_reason: names[stop], usage: { input_tokens: 100, output_tokens: 20 } }
      : {
          choices: [{ message: { content: text }, finish_reason: names[stop] }],
          usage: { prompt_tokens: 100, completion_tokens: 20 },
        };
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(whole));
  }
  const events = (isAnthropic ? anthropicEvents : openAiEvents)(text, names[stop]);
  if (how === 'error-event') {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    stream(response, [...events.slice(0, 3), error], true);
  } else if (how === 'broken') stream(response, events.slice(0, 3), true);
  else stream(response, events, isAnthropic);
  response.end();
}

/** Starts the API; it ends with the running test. More requests than answers get the last one again. */
export async function modelServer(script: Script): Promise<ModelServer> {
  const requests: Asked[] = [];
  let tell = (): void => undefined;
  const heard = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      // What chitta sends is JSON; where it is not, the test fails.
      const body = JSON.parse(raw) as Record<string, unknown>;
      const asked = { path: incoming.url ?? '', headers: incoming.headers, body, text: raw };
      requests.push(asked);
      const given =
        typeof script === 'function'
          ? script(asked, requests.length - 1)
          : (script[requests.length - 1] ?? script.at(-1));
      if (given?.how === 'silent') tell();
      else answer(response, given ?? {}, asked.path.endsWith('/messages'));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the model server has no port');
  return { url: `http://127.0.0.1:${address.port}`, requests, heard };
}
