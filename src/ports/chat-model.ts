/** A language model that answers one prompt, wherever it runs: what summaries are written with. */

export interface ChatRequest {
  readonly system: string;
  readonly prompt: string;
  /** Tokens of the answer, at most. */
  readonly maxTokens: number;
  /** Ends the request; `complete` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told, as the answer comes in, how many characters of it are there. Only of models that stream. */
  readonly onProgress?: ((characters: number) => void) | undefined;
}

/** What a provider itself counted. */
export interface ChatUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

export interface ChatAnswer {
  readonly text: string;
  /** `length`: it was cut at `maxTokens`, or where the context was full. */
  readonly stop: 'end' | 'length';
  readonly usage?: ChatUsage | undefined;
}

/** A model that is ready to be asked. */
export interface ChatModel {
  /** Provider and model, for people and reports; never holds a key. */
  readonly name: string;
  /** Tokens of prompt and answer together; undefined: not declared. */
  readonly contextWindow?: number | undefined;
  /** Rejects with E_PROVIDER if there is no answer. An answer may be empty. */
  complete(request: ChatRequest): Promise<ChatAnswer>;
  /** Lets go of what it holds in memory. */
  dispose?(): Promise<void>;
}
