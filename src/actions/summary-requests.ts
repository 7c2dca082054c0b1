/** Asks a model for one summary of a conversation that need not fit its window. All or nothing: an answer that is empty or cut ends it. */
import { ChittaError } from '../errors.ts';
import type { ChatModel } from '../ports/chat-model.ts';
import { cleanAnswer } from '../summarize/answer.ts';
import type { SummaryBudget } from '../summarize/budget.ts';
import { chunksOf } from '../summarize/chunks.ts';
import type { SummaryStage } from '../summarize/events.ts';
import { chunkPrompt, combinePrompt, type PromptOptions, SYSTEM_PROMPT } from '../summarize/prompt.ts';

/** Of an answer that was cut, how many words the second one may have for each token it is given: English has more tokens than words. */
const WORDS_PER_TOKEN = 0.5;

export interface Requests {
  readonly model: ChatModel;
  readonly budget: SummaryBudget;
  readonly signal: AbortSignal | undefined;
  /** Told before the first request of each stage, and after each. */
  readonly onStage: (stage: SummaryStage, done: number, total: number) => void;
}

export interface Summarised {
  /** Clean and not empty. */
  readonly summary: string;
  readonly requests: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

/** Throws E_SUMMARY if the caller has cancelled. */
export function checkCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new ChittaError('E_SUMMARY', 'the summary was cancelled; nothing was changed', { cause: signal.reason });
}

/** One model, asked one after the other. */
class Dialogue {
  requests = 0;
  usage: { inputTokens: number; outputTokens: number } | undefined;
  readonly #with: Requests;

  constructor(requests: Requests) {
    this.#with = requests;
  }

  async #ask(prompt: string, maxTokens: number): Promise<{ summary: string; isCut: boolean }> {
    const { model, signal } = this.#with;
    checkCancelled(signal);
    this.requests += 1;
    let answer;
    try {
      answer = await model.complete({ system: SYSTEM_PROMPT, prompt, maxTokens, signal });
    } catch (error) {
      // Whatever a provider makes of an abort.
      checkCancelled(signal);
      throw error;
    }
    checkCancelled(signal);
    // A caller's own model may answer with anything; what is no text is none.
    const text: unknown = answer?.text;
    const { inputTokens, outputTokens } = answer?.usage ?? {};
    if (inputTokens !== undefined || outputTokens !== undefined) {
      this.usage ??= { inputTokens: 0, outputTokens: 0 };
      this.usage.inputTokens += inputTokens ?? 0;
      this.usage.outputTokens += outputTokens ?? 0;
    }
    return { summary: typeof text === 'string' ? cleanAnswer(text) : '', isCut: answer?.stop === 'length' };
  }

  /** Asks; where the answer is cut, once more for a shorter one: the end of a summary is what is still to be done. */
  async summaryOf(promptWith: (options: PromptOptions) => string, maxTokens: number): Promise<string> {
    const { focus } = this.#with.budget;
    let { summary, isCut } = await this.#ask(promptWith({ focus }), maxTokens);
    if (isCut) {
      const maxWords = Math.max(20, Math.floor(maxTokens * WORDS_PER_TOKEN));
      ({ summary, isCut } = await this.#ask(promptWith({ focus, maxWords }), maxTokens));
    }
    const { name } = this.#with.model;
    if (isCut) {
      throw new ChittaError('E_SUMMARY', `${name} did not finish its summary within ${maxTokens} tokens`, {
        hint: 'choose another model; a model that thinks aloud needs a larger window',
      });
    }
    if (summary === '') {
      throw new ChittaError('E_SUMMARY', `${name} answered with an empty summary`, { hint: 'choose another model' });
    }
    return summary;
  }
}

/** How the pieces are split for the first requests. */
export function splitFor(pieces: readonly string[], { chunkTokens }: SummaryBudget): string[] {
  return chunkTokens === undefined ? [pieces.join('\n\n')] : chunksOf(pieces, chunkTokens);
}

/** Summarises chunks, then their summaries, until there is one. Rejects with E_SUMMARY, or as the model does. */
export async function requestSummary(chunks: readonly string[], requests: Requests): Promise<Summarised> {
  const { budget, onStage } = requests;
  const dialogue = new Dialogue(requests);
  const isWhole = chunks.length === 1;
  let parts: string[] = [];
  onStage('chunk', 0, chunks.length);
  for (const [index, chunk] of chunks.entries()) {
    const prompt = (options: PromptOptions): string => chunkPrompt(chunk, index + 1, chunks.length, options);
    parts.push(await dialogue.summaryOf(prompt, isWhole ? budget.answerTokens : budget.partTokens));
    onStage('chunk', index + 1, chunks.length);
  }
  while (parts.length > 1) {
    const groups = splitFor(parts, budget);
    if (groups.length >= parts.length) {
      throw new ChittaError('E_SUMMARY', 'the summaries of the parts do not fit the window together', {
        hint: 'choose a model with a larger window',
      });
    }
    const isLast = groups.length === 1;
    const next: string[] = [];
    onStage('combine', 0, groups.length);
    for (const [index, group] of groups.entries()) {
      const prompt = (options: PromptOptions): string => combinePrompt(group, options);
      next.push(await dialogue.summaryOf(prompt, isLast ? budget.answerTokens : budget.partTokens));
      onStage('combine', index + 1, groups.length);
    }
    parts = next;
  }
  return { summary: parts[0] ?? '', requests: dialogue.requests, usage: dialogue.usage };
}
