/** One request in, one request out that fits: what is not changed keeps its own characters. */
import { ChittaError } from '../errors.ts';
import { parseMessages } from '../messages/parse.ts';
import type { Message } from '../messages/types.ts';
import { wellFormedJson } from '../messages/wellformed.ts';
import { type ShapeOptions, shapeRequest, type ShapeReport, type ShapeState } from '../shaping/shape.ts';
import { messageSpans, withNumbers, withQuotedNumbers } from '../shaping/source.ts';
import { estimateMessageTokens } from '../tokens/message.ts';

export interface ShapedText {
  /** The request that goes out; undefined if it is the one that came, character for character. */
  readonly text: string | undefined;
  readonly report: ShapeReport;
  readonly state: ShapeState;
  /** Lone surrogates in changed messages, written as U+FFFD. */
  readonly replaced: number;
}

const HINT = 'pass one request, as it is sent to the Anthropic Messages or the OpenAI chat API';

function parsed(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    if (text.trim() === '') throw new ChittaError('E_INPUT_EMPTY', 'the input is empty', { hint: HINT });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ChittaError('E_INPUT_JSON', `the input is not JSON: ${why}`, { hint: HINT, cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
  throw new ChittaError('E_PARAM_INVALID', `the input is ${kind}, not a request`, {
    hint: Array.isArray(value) ? 'put the messages into an object: {"messages": […]}' : HINT,
  });
}

/** Something that does not stand in the text, and is the same for the same conversation. */
function prefixFor(text: string): string {
  let prefix = 'chitta:number:';
  while (text.includes(prefix)) prefix += ':';
  return prefix;
}

/**
 * Counts messages as they are written, not with numbers in quotes: those would weigh several times as much. Undefined if no
 * message has such a number.
 */
function plainCounter(
  messages: readonly unknown[],
  exact: readonly unknown[],
  prefix: string,
): ShapeOptions['countTokens'] {
  if (messages.every((message, at) => message === exact[at])) return undefined;
  // Checked to be messages before they are counted.
  const plain = new Map(exact.map((message, at) => [message, messages[at] as Message]));
  return (message) => {
    const known = plain.get(message);
    if (known !== undefined) return estimateMessageTokens(known);
    const json = JSON.stringify(message);
    const written = withNumbers(json, prefix);
    // The same message, with numbers for texts.
    return estimateMessageTokens(json === written ? message : (JSON.parse(written) as Message));
  };
}

/**
 * Shapes the request that `text` holds. `state` may be anything that was stored; what is none counts as none.
 *
 * Throws E_INPUT_EMPTY, E_INPUT_JSON, E_PARAM_INVALID or E_MESSAGE_INVALID for what is no request.
 */
export function shapeText(text: string, options: ShapeOptions): ShapedText {
  const request = parsed(text);
  const spans = messageSpans(text);
  const sources = spans?.elements.map(([start, end]) => text.slice(start, end)) ?? [];
  const prefix = prefixFor(text);
  // Any object has keys, and this one may have messages.
  const { messages } = request as { readonly messages?: unknown };
  // Before numbers stand as texts where only a text may.
  parseMessages(messages);
  const exact = Array.isArray(messages)
    ? messages.map((message: unknown, at) => {
        const source = sources[at]!;
        const quoted = withQuotedNumbers(source, prefix);
        return quoted === source ? message : (JSON.parse(quoted) as unknown);
      })
    : messages;
  const given = { ...request, messages: exact };
  const count = Array.isArray(messages) && Array.isArray(exact) ? plainCounter(messages, exact, prefix) : undefined;
  const {
    request: shaped,
    report,
    state,
  } = shapeRequest(given, {
    ...(count !== undefined && { countTokens: count }),
    ...options,
  });
  if (shaped === given || spans === undefined || !Array.isArray(shaped.messages)) {
    return { text: undefined, report, state, replaced: 0 };
  }
  const places = new Map(Array.isArray(exact) ? exact.map((message, at): [unknown, number] => [message, at]) : []);
  let replaced = 0;
  const parts = shaped.messages.map((message: unknown) => {
    const source = sources[places.get(message) ?? -1];
    if (source !== undefined) return source;
    const fixed = wellFormedJson(message);
    replaced += fixed.replaced;
    return withNumbers(JSON.stringify(fixed.value), prefix);
  });
  const [start, end] = spans.list;
  return { text: `${text.slice(0, start)}[${parts.join(',')}]${text.slice(end)}`, report, state, replaced };
}
