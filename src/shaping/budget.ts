/** What a request may hold: the window and what is taken off it. All in tokens. */
import { ChittaError } from '../errors.ts';
import { inputText } from '../messages/search-text.ts';
import { estimateTokens } from '../tokens/text.ts';

/** For a model whose window nobody declared (the published default). */
const DEFAULT_WINDOW = 32_768;
/** For the answer, where the request does not say how long it may be (the published default). */
const DEFAULT_RESPONSE = 4_096;
/** Of the window, so much stays free: the tokens are estimated. */
const HEADROOM_SHARE = 0.1;

/** What stands beside the messages and goes to the model with them, in either format. */
const BASE_KEYS = ['system', 'tools', 'functions', 'response_format', 'output_config', 'output_format'] as const;

/** Parts of the window; `room` is what is left for the messages, those sent now included. */
export interface Window {
  readonly window: number;
  readonly headroom: number;
  readonly response: number;
  readonly base: number;
  readonly room: number;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : inputText(value);
}

/**
 * Tokens of what a request says beside its messages: system prompt, tools and their schemas, by the length of their JSON.
 * Leans to the upper side. The same for all requests of an agent, so it need be measured once.
 */
export function measureBase(request: object): number {
  // Any object has keys; those that are not there are undefined.
  const parts = request as Readonly<Record<string, unknown>>;
  return BASE_KEYS.reduce((sum, key) => sum + estimateTokens(textOf(parts[key])), 0);
}

function wanted(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.ceil(value) : undefined;
}

function checked(name: string, value: number | undefined, least: number): number | undefined {
  if (value === undefined || (Number.isFinite(value) && value >= least)) return value;
  throw new ChittaError('E_PARAM_INVALID', `${name} is ${value}, not a number of tokens`, {
    field: name,
    hint: `pass a number of at least ${least}`,
  });
}

/** Divides a window. Throws E_PARAM_INVALID for what is no number of tokens. */
export function divideWindow(
  request: object,
  given: {
    readonly window?: number | undefined;
    readonly responseTokens?: number | undefined;
    readonly baseTokens?: number | undefined;
  },
): Window {
  // As above.
  const { max_tokens: most, max_completion_tokens: mostCompleted } = request as Readonly<Record<string, unknown>>;
  const window = checked('window', given.window, 1) ?? DEFAULT_WINDOW;
  const headroom = Math.ceil(window * HEADROOM_SHARE);
  const response =
    checked('responseTokens', given.responseTokens, 0) ?? wanted(most) ?? wanted(mostCompleted) ?? DEFAULT_RESPONSE;
  const base = checked('baseTokens', given.baseTokens, 0) ?? measureBase(request);
  return { window, headroom, response, base, room: window - headroom - response - base };
}
