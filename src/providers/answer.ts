/**
 * The JSON in what a model's API answers: one document, or the events of a stream. Which of them it is, its beginning says:
 * servers and proxies name either as the other. Nothing of it is left out in silence: a hole in an answer would be one in a summary.
 */
import { eventsIn } from './events.ts';
import { PassingFailure } from './http.ts';

/** One value of an answer. */
export interface AnswerPart {
  /** All there is, not one event of several. */
  readonly isWhole: boolean;
  /** As it was written, where that is a word that ends a stream (`[DONE]`). */
  readonly value: unknown;
}

/** How a stream of events begins; a comment begins with the colon. */
const FIELD = /^(?:data|event|id|retry)?:/;
/** So much of an answer tells. */
const FIELD_CHARS = 'event:'.length;
const DONE = '[DONE]';

/** The answer's beginning, and all of it again. */
async function opened(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: string; readonly all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const first: Uint8Array[] = [];
  let head = '';
  while (head.length < FIELD_CHARS) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    first.push(value);
    head = (head + decoder.decode(value, { stream: true })).trimStart();
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* first;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      // Who stops at the first of it is done with the connection, too.
      await iterator.return?.();
    }
  }
  return { head, all: all() };
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bytes) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

function parsed(text: string, failure: () => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What the parser says is about a piece of text that nobody has seen.
    throw failure();
  }
}

/** The values of an answer, in order. Rejects with PassingFailure where one is damaged, as `noJson` says where it is something else. */
export async function* answerParts(bytes: AsyncIterable<Uint8Array>, noJson: () => Error): AsyncGenerator<AnswerPart> {
  const brokeOff = (): Error => new PassingFailure('the answer broke off');
  const { head, all } = await opened(bytes);
  if (!FIELD.test(head)) {
    const text = (await textOf(all)).trim();
    if (text === '') throw new PassingFailure('an empty answer');
    yield { isWhole: true, value: parsed(text, /^[[{]/.test(text) ? brokeOff : noJson) };
    return;
  }
  for await (const data of eventsIn(all)) {
    const text = data.trim();
    if (text === DONE) yield { isWhole: false, value: DONE };
    else if (text !== '')
      yield { isWhole: false, value: parsed(text, () => new PassingFailure('a part of the answer is damaged')) };
  }
}
