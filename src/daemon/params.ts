/** Parameters of requests, checked: what came over the socket to what the verbs work with. */

type Fields = Readonly<Record<string, unknown>>;

/** A parameter that is not what the verb takes; the message names it. */
export class ParamError extends Error {}

/** Texts in one request at most. */
const MAX_TEXTS = 5_000;
const MAX_TEXT_CHARS = 1_000_000;
const MAX_QUERY_TOKENS = 4_096;
const MAX_LIMIT = 1_000;

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export function stringIn(params: Fields, name: string): string {
  const value = params[name];
  if (!isString(value) || value === '') throw new ParamError(`${name} is not a text`);
  return value;
}

export function optionalString(params: Fields, name: string): string | undefined {
  return params[name] === undefined || params[name] === null ? undefined : stringIn(params, name);
}

export function textsIn(params: Fields): readonly string[] {
  const { texts } = params;
  if (!Array.isArray(texts) || !texts.every(isString)) throw new ParamError('texts is not a list of texts');
  if (texts.length > MAX_TEXTS) throw new ParamError(`texts holds more than ${MAX_TEXTS}`);
  if (texts.some((text) => text.length > MAX_TEXT_CHARS)) {
    throw new ParamError(`a text has more than ${MAX_TEXT_CHARS} characters`);
  }
  return texts;
}

/** One id, or none, per text. */
export function sourceIdsIn(params: Fields, count: number): readonly (string | undefined)[] {
  const { source_ids: ids } = params;
  if (ids === undefined) return Array.from({ length: count }, () => undefined);
  if (!Array.isArray(ids) || ids.length !== count) throw new ParamError('source_ids is not as long as texts');
  return ids.map((id: unknown) => (isString(id) ? id : undefined));
}

function wholeIn(params: Fields, name: string, most: number): number | undefined {
  const value = params[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > most) {
    throw new ParamError(`${name} is not a whole number from 1 to ${most}`);
  }
  return value;
}

/** How many tokens of the query count; undefined: all. */
export function queryTokensIn(params: Fields): number | undefined {
  return wholeIn(params, 'query_tokens', MAX_QUERY_TOKENS);
}

export function limitIn(params: Fields, standard: number): number {
  return wholeIn(params, 'limit', MAX_LIMIT) ?? standard;
}
