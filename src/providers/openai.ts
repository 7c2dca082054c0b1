/** The chat API of OpenAI, streamed, and of the many that speak it: Ollama, llama.cpp's server, vLLM, LM Studio. */
import type { ChatAnswer, ChatModel, ChatRequest } from '../ports/chat-model.ts';
import { answerParts } from './answer.ts';
import { type HttpOptions, PassingFailure, providerError, type Reply, RETRIED, send } from './http.ts';
import { countIn, type Fields, fieldsOf, stringIn } from './json.ts';

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

/** What an error within an answer calls itself where it may be over in a moment; others name a status. */
const PASSING: ReadonlySet<string> = new Set(['server_error', 'rate_limit_exceeded', 'overloaded_error']);

/** Some servers answer with a list of parts, as they are asked with. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part) => stringIn(fieldsOf(part), 'text')).join('');
}

class Answer {
  text = '';
  stop = '';
  usage: Fields = {};
  #hasRefused = false;
  readonly #said: Reply['said'];

  constructor(said: Reply['said']) {
    this.#said = said;
  }

  #fail(error: unknown): never {
    const fields = fieldsOf(error);
    const why = this.#said(typeof error === 'string' ? error : stringIn(fields, 'message')) || 'an error without words';
    const isPassing = [fields['type'], fields['code']].some(
      (code) => PASSING.has(String(code)) || RETRIED.has(Number(code)),
    );
    throw isPassing ? new PassingFailure(why) : providerError(PROVIDER, why);
  }

  /** A chunk of a stream (`delta`), or the whole completion (`message`). */
  take(body: Fields): void {
    if (body['error'] !== undefined && body['error'] !== null) this.#fail(body['error']);
    const { choices } = body;
    const choice = fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
    const part = fieldsOf(choice['delta'] ?? choice['message']);
    this.text += contentText(part['content']);
    this.#hasRefused ||= stringIn(part, 'refusal') !== '';
    this.stop = stringIn(choice, 'finish_reason') || this.stop;
    if (body['usage'] !== undefined && body['usage'] !== null) this.usage = fieldsOf(body['usage']);
  }

  finish(): ChatAnswer {
    const { text, stop, usage } = this;
    if (stop === '') throw new PassingFailure('the answer broke off');
    if (stop === 'content_filter') throw providerError(PROVIDER, 'a filter of the provider stopped the answer');
    if (this.#hasRefused) throw providerError(PROVIDER, 'the model refused to answer');
    return {
      text,
      stop: stop === 'length' ? 'length' : 'end',
      usage: { inputTokens: countIn(usage, 'prompt_tokens'), outputTokens: countIn(usage, 'completion_tokens') },
    };
  }
}

async function read(reply: Reply, onProgress: ChatRequest['onProgress']): Promise<ChatAnswer> {
  const answer = new Answer(reply.said);
  const noJson = (): Error => providerError(PROVIDER, 'the answer is no JSON', 'check OPENAI_BASE_URL');
  for await (const { isWhole, value } of answerParts(reply.bytes, noJson)) {
    if (value === '[DONE]') {
      // Some servers say that they are done, and not why.
      answer.stop ||= 'stop';
      break;
    }
    answer.take(fieldsOf(value));
    if (!isWhole) onProgress?.(answer.text.length);
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
