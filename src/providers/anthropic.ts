/** The Anthropic Messages API, streamed. */
import type { ChatAnswer, ChatModel, ChatRequest } from '../ports/chat-model.ts';
import { answerParts } from './answer.ts';
import { type HttpOptions, PassingFailure, providerError, type Reply, send } from './http.ts';
import { countIn, type Fields, fieldsOf, stringIn } from './json.ts';

export const ANTHROPIC_URL = 'https://api.anthropic.com';
const VERSION = '2023-06-01';

export interface AnthropicOptions extends HttpOptions {
  readonly model: string;
  /** Address of the API, without `/v1`. */
  readonly baseUrl: string;
  /** The key, or a gateway's token; one of the two. */
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly contextWindow?: number | undefined;
}

const PROVIDER = 'anthropic';

class Answer {
  text = '';
  stop = '';
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  readonly #said: Reply['said'];

  constructor(said: Reply['said']) {
    this.#said = said;
  }

  #count(usage: Fields): void {
    // What stands in a cache is input as well.
    const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
    const counts = parts.flatMap((key) => countIn(usage, key) ?? []);
    if (counts.some((count) => count > 0)) this.inputTokens = counts.reduce((sum, count) => sum + count, 0);
    this.outputTokens = countIn(usage, 'output_tokens') ?? this.outputTokens;
  }

  /** A whole message, as it comes without streaming. */
  message(message: Fields): void {
    const { content } = message;
    for (const block of Array.isArray(content) ? content.map(fieldsOf) : []) {
      if (block['type'] === 'text') this.text += stringIn(block, 'text');
    }
    this.stop = stringIn(message, 'stop_reason') || this.stop;
    this.#count(fieldsOf(message['usage']));
  }

  event(event: Fields): void {
    switch (event['type']) {
      case 'message_start':
        this.message(fieldsOf(event['message']));
        break;
      case 'content_block_delta': {
        const delta = fieldsOf(event['delta']);
        if (delta['type'] === 'text_delta') this.text += stringIn(delta, 'text');
        break;
      }
      case 'message_delta':
        this.stop = stringIn(fieldsOf(event['delta']), 'stop_reason') || this.stop;
        this.#count(fieldsOf(event['usage']));
        break;
      case 'error': {
        const error = fieldsOf(event['error']);
        const isPassing = ['overloaded_error', 'api_error', 'rate_limit_error'].includes(stringIn(error, 'type'));
        const why = this.#said(stringIn(error, 'message'));
        throw isPassing ? new PassingFailure(why) : providerError(PROVIDER, why);
      }
    }
  }

  finish(): ChatAnswer {
    const { text, stop, inputTokens, outputTokens } = this;
    if (stop === '') throw new PassingFailure('the answer broke off');
    if (stop === 'refusal') throw providerError(PROVIDER, 'the model refused to answer');
    const isCut = stop === 'max_tokens' || stop === 'model_context_window_exceeded';
    return { text, stop: isCut ? 'length' : 'end', usage: { inputTokens, outputTokens } };
  }
}

async function read(reply: Reply, onProgress: ChatRequest['onProgress']): Promise<ChatAnswer> {
  const answer = new Answer(reply.said);
  const noJson = (): Error => providerError(PROVIDER, 'the answer is no JSON', 'check ANTHROPIC_BASE_URL');
  for await (const { isWhole, value } of answerParts(reply.bytes, noJson)) {
    const fields = fieldsOf(value);
    if (isWhole && fields['type'] !== 'error') answer.message(fields);
    else answer.event(fields);
    if (!isWhole) onProgress?.(answer.text.length);
  }
  return answer.finish();
}

/** A model of the Messages API. Asked for text only: no tools, no thinking. */
export function anthropicModel(options: AnthropicOptions): ChatModel {
  const { model, baseUrl, apiKey, authToken, contextWindow, ...http } = options;
  const headers = {
    'anthropic-version': VERSION,
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    ...(authToken === undefined ? {} : { authorization: `Bearer ${authToken}` }),
  };
  return {
    name: `${PROVIDER}:${model}`,
    contextWindow,
    complete: ({ system, prompt, maxTokens, signal, onProgress }) =>
      send(
        {
          ...http,
          provider: PROVIDER,
          url: `${baseUrl.replace(/\/+$/, '')}/v1/messages`,
          headers,
          body: { model, system, messages: [{ role: 'user', content: prompt }], max_tokens: maxTokens, stream: true },
          signal,
        },
        (reply) => read(reply, onProgress),
      ),
  };
}
