/**
 * A Messages API on loopback: answers from a script, by kind of request, and keeps every request. It stands in for the
 * model and knows nothing of chitta.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Block, Message } from '../../../src/messages/types.ts';
import { answerOf, eventsOf, summary, type Reply } from './replies.ts';
import { lastUserText, textOf, type ModelRequest, type RequestKind } from './requests.ts';

type Script = Reply | ((request: ModelRequest) => Reply);

export interface ModelApi {
  readonly url: string;
  /** In the order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Queues replies for requests of a kind. */
  reply(kind: RequestKind, ...replies: readonly Script[]): void;
  /** What is answered to requests of a kind once its queue is empty. */
  otherwise(kind: RequestKind, reply: Script): void;
  /** Requests of a kind of the main conversation or, with `agent`, of sub-agents. */
  of(kind: RequestKind): ModelRequest[];
  /** Blocks of the message that a request was answered with; none if it was refused. */
  answerTo(request: ModelRequest): readonly Block[];
  stop(): Promise<void>;
}

const FIRST_WORDS_OF_SUMMARISER = 'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.';

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function requestOf(incoming: IncomingMessage, body: Record<string, unknown>): ModelRequest {
  // What the host sends to the API is its business; where it is not of this shape, a test fails.
  const { messages, system, tools, thinking } = body as {
    messages: Message[];
    system?: Message['content'];
    tools?: unknown[];
    thinking?: { type?: string };
  };
  const request: Omit<ModelRequest, 'kind'> = {
    agent: header(incoming, 'x-claude-code-agent-id'),
    session: header(incoming, 'x-claude-code-session-id'),
    model: String(body['model']),
    system: textOf(system),
    thinking: thinking?.type ?? 'disabled',
    messages,
  };
  const kindOf = (): RequestKind => {
    if (lastUserText({ ...request, kind: 'main' }).includes(FIRST_WORDS_OF_SUMMARISER)) return 'summary';
    if ((tools ?? []).length === 0) return 'aside';
    return request.agent === undefined ? 'main' : 'agent';
  };
  return { ...request, kind: kindOf() };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the model API has no port');
  return address.port;
}

/** Starts the API on a free port. */
export async function startModelApi(): Promise<ModelApi> {
  const requests: ModelRequest[] = [];
  const answers = new Map<ModelRequest, readonly Block[]>();
  const queues: Record<RequestKind, Script[]> = { main: [], summary: [], agent: [], aside: [] };
  const rest: Record<RequestKind, Script> = {
    main: { text: 'Done.' },
    summary: summary('The user asked for something, and it was done.'),
    agent: { text: 'Done by the agent.' },
    aside: { text: '{"title": "A session"}' },
  };

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await bodyOf(incoming);
    const path = incoming.url ?? '';
    if (incoming.method !== 'POST' || !path.startsWith('/v1/messages')) return send(response, 404, {});
    if (path.startsWith('/v1/messages/count_tokens')) {
      return send(response, 200, { input_tokens: Math.ceil(bytes.length / 4) });
    }
    // As above: a request to this path is a JSON object.
    const body = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const request = requestOf(incoming, body);
    requests.push(request);
    const script = queues[request.kind].shift() ?? rest[request.kind];
    const reply = typeof script === 'function' ? script(request) : script;
    if (reply.refusal !== undefined) {
      const { status, type, message } = reply.refusal;
      return send(response, status, { type: 'error', error: { type, message } });
    }
    const answer = answerOf(reply, request.model, bytes.length);
    answers.set(request, answer.content);
    if (body['stream'] !== true) return send(response, 200, answer.message);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.end(eventsOf(answer));
  }

  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => {
      send(response, 500, { type: 'error', error: { type: 'api_error', message: String(error) } });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests,
    reply: (kind, ...replies) => void queues[kind].push(...replies),
    otherwise: (kind, reply) => void (rest[kind] = reply),
    of: (kind) => requests.filter((request) => request.kind === kind),
    answerTo: (request) => answers.get(request) ?? [],
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
