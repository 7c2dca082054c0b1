/** The chat API of OpenAI, streamed, and of the many that speak it: Ollama, llama.cpp's server, vLLM, LM Studio. */
import type { ChatAnswer, ChatModel, ChatRequest } from '../ports/chat-model.ts';
import { eventsIn } from './events.ts';
import { type HttpOptions, PassingFailure, providerError, type Reply, send, textOf } from './http.ts';
import { countIn, type Fields, fieldsOf, parsed, stringIn } from './json.ts';

export const OPENAI_URL = 'https://api.openai.com/v1';

export interface OpenAiOptions extends HttpOptions {
  readonly model: string;
  /** Address of the API, with `/v1` where the server has it. */
  readonly baseUrl: string;
  /** Local servers need none. */
  readonly apiKey?: string | undefined;
  readonly contextWindow?: number | undefined;
}

const PROVIDER = 'openai';

class Answer {
  text = '';
  stop = '';
  usage: Fields = {};
  readonly #said: Reply['said'];

  constructor(said: Reply['said']) {
    this.#said = said;
  }

  /** A chunk of a stream (`delta`), or the whole completion (`message`). */
  take(body: Fields): void {
    if (body['error'] !== undefined && body['error'] !== null) {
      const { error } = body;
      const why = this.#said(typeof error === 'string' ? error : stringIn(fieldsOf(error), 'message'));
      throw providerError(PROVIDER, why === '' ? 'an error without words' : why);
    }
    const { choices } = body;
    const choice = fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
    const part = fieldsOf(choice['delta'] ?? choice['message']);
    this.text += stringIn(part, 'content');
    this.stop = stringIn(choice, 'finish_reason') || this.stop;
    if (body['usage'] !== undefined && body['usage'] !== null) this.usage = fieldsOf(body['usage']);
  }

  finish(): ChatAnswer {
    const { text, stop, usage } = this;
    if (stop === '') throw new PassingFailure('the answer broke off');
    if (stop === 'content_filter') throw providerError(PROVIDER, 'a filter of the provider stopped the answer');
    return {
      text,
      stop: stop === 'length' ? 'length' : 'end',
      usage: { inputTokens: countIn(usage, 'prompt_tokens'), outputTokens: countIn(usage, 'completion_tokens') },
    };
  }
}

async function read(reply: Reply, onProgress: ChatRequest['onProgress']): Promise<ChatAnswer> {
  const answer = new Answer(reply.said);
  if (!reply.isEventStream) {
    const body = parsed(await textOf(reply.bytes));
    if (body === undefined) throw providerError(PROVIDER, 'the answer is no JSON', 'check OPENAI_BASE_URL');
    answer.take(fieldsOf(body));
    return answer.finish();
  }
  for await (const data of eventsIn(reply.bytes)) {
    if (data.trim() === '[DONE]') {
      // Some servers say that they are done, and not why.
      answer.stop ||= 'stop';
      break;
    }
    answer.take(fieldsOf(parsed(data)));
    onProgress?.(answer.text.length);
  }
  return answer.finish();
}

/** OpenAI's newer models know only the newer name; other servers know only the older one. */
function limit(baseUrl: string, maxTokens: number): Fields {
  return new URL(baseUrl).hostname.endsWith('openai.com')
    ? { max_completion_tokens: maxTokens }
    : { max_tokens: maxTokens };
}

/** A model behind the chat API. */
export function openAiModel(options: OpenAiOptions): ChatModel {
  const { model, baseUrl, apiKey, contextWindow, ...http } = options;
  return {
    name: `${PROVIDER}:${model}`,
    contextWindow,
    complete: ({ system, prompt, maxTokens, signal, onProgress }) =>
      send(
        {
          ...http,
          provider: PROVIDER,
          url: `${baseUrl.replace(/\/+$/, '')}/chat/completions`,
          headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
          body: {
            model,
            messages: [
              { role: 'system', content: system },
              { role: 'user', content: prompt },
            ],
            ...limit(baseUrl, maxTokens),
            stream: true,
            stream_options: { include_usage: true },
          },
          signal,
        },
        (reply) => read(reply, onProgress),
      ),
  };
}
