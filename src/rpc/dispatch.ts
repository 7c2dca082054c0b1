/** From one piece of input to its reply: JSON-RPC 2.0 with batches and notifications. Never throws. */
import { ChittaError } from '../errors.ts';
import { idText, numberIdsIn } from './id.ts';
import {
  errorLine,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  resultLine,
  RpcError,
} from './reply.ts';
import type { Piece } from './split.ts';

/** Takes the `params` of a request, gives its `result`, or rejects with an RpcError or ChittaError. */
export type Method = (params: Readonly<Record<string, unknown>>) => unknown;
export type Methods = ReadonlyMap<string, Method>;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (!(error instanceof ChittaError)) {
    const problem = error instanceof Error ? error.message : String(error);
    return new RpcError(INTERNAL_ERROR, `internal error: ${problem}`, { code: 'E_INTERNAL' });
  }
  const { code, field, hint, message } = error;
  const isParams = code === 'E_PARAM_INVALID' || code === 'E_MESSAGE_INVALID';
  const data = { code, ...(field === undefined ? {} : { field }), ...(hint === undefined ? {} : { hint }) };
  return new RpcError(isParams ? INVALID_PARAMS : INTERNAL_ERROR, message, data);
}

/** Why `request` is none, or undefined. */
function envelopeProblem(request: Record<string, unknown>): RpcError | undefined {
  const { jsonrpc, id, method } = request;
  const invalid = (field: string, rule: string): RpcError =>
    new RpcError(INVALID_REQUEST, `invalid request: ${field} ${rule}`, { field });
  if (jsonrpc !== '2.0') return invalid('jsonrpc', 'must be "2.0"');
  if (typeof method !== 'string') return invalid('method', 'must be a text');
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return invalid('id', 'must be a text, a number or null');
  }
  return undefined;
}

async function call(method: string, params: unknown, methods: Methods): Promise<unknown> {
  const run = methods.get(method);
  if (run === undefined) {
    const known = [...methods.keys()].filter((name) => !name.startsWith('notifications/')).join(', ');
    throw new RpcError(METHOD_NOT_FOUND, `method ${method} is not known`, { known });
  }
  if (params !== undefined && !isObject(params)) {
    throw new RpcError(INVALID_PARAMS, 'params must be an object', { field: 'params' });
  }
  return await run(params ?? {});
}

/** The reply line to one request, or undefined to a notification. */
async function replyToOne(
  request: unknown,
  methods: Methods,
  written: () => string | undefined,
): Promise<string | undefined> {
  if (!isObject(request)) {
    return errorLine('null', new RpcError(INVALID_REQUEST, 'invalid request: a request is an object'));
  }
  const id = idText(request['id'], written);
  const problem = envelopeProblem(request);
  if (problem !== undefined) return errorLine(id, problem);
  // A notification is never answered, and no method of ours has an effect worth running unheard.
  if (!('id' in request)) return undefined;
  try {
    return resultLine(id, await call(String(request['method']), request['params'], methods));
  } catch (error) {
    return errorLine(id, toRpcError(error));
  }
}

async function replyToBatch(
  requests: readonly unknown[],
  methods: Methods,
  written: (position: number) => string | undefined,
): Promise<string | undefined> {
  if (requests.length === 0) return errorLine('null', new RpcError(INVALID_REQUEST, 'invalid request: empty batch'));
  const replies: string[] = [];
  for (const [position, request] of requests.entries()) {
    const reply = await replyToOne(request, methods, () => written(position));
    if (reply !== undefined) replies.push(reply);
  }
  return replies.length === 0 ? undefined : `[${replies.join(',')}]`;
}

/** The reply to a piece of input as one line without its end, or undefined if there is nothing to answer. */
export async function replyTo(piece: Piece, methods: Methods): Promise<string | undefined> {
  if (piece.kind === 'too-large') {
    return errorLine('null', new RpcError(INVALID_REQUEST, 'invalid request: larger than 256 MB'));
  }
  let value: unknown;
  try {
    if (piece.kind === 'broken') throw new SyntaxError('it was cut off');
    value = JSON.parse(piece.text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return errorLine('null', new RpcError(PARSE_ERROR, `not JSON: ${problem}`));
  }
  let ids: ReadonlyMap<number, string> | undefined;
  const written = (position: number): string | undefined => (ids ??= numberIdsIn(piece.text)).get(position);
  return Array.isArray(value) ? replyToBatch(value, methods, written) : replyToOne(value, methods, () => written(0));
}
