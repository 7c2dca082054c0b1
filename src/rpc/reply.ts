/** JSON-RPC 2.0 replies: one line each, always well-formed Unicode. Ids are JSON text, so that big numbers stay as sent. */
import { wellFormedJson } from '../messages/wellformed.ts';

/** The codes of the JSON-RPC 2.0 specification, section 5.1. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** A failed request. `data.field` names the parameter at fault, where there is one. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, string>> | undefined;

  constructor(code: number, message: string, data?: Readonly<Record<string, string>>) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/** The reply to a request that worked. Throws what JSON.stringify throws. */
export function resultLine(id: string, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(wellFormedJson(result).value ?? null)}}`;
}

/** The reply to a request that did not. */
export function errorLine(id: string, { code, message, data }: RpcError): string {
  const error = wellFormedJson({ code, message, ...(data === undefined ? {} : { data }) }).value;
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
}
