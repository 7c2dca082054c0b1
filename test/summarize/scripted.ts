/** A chat model that answers from a script, and keeps what it was asked. */
import type { ChatAnswer, ChatModel, ChatRequest } from '../../src/ports/chat-model.ts';
import { SECTIONS } from '../../src/summarize/prompt.ts';

export interface ScriptedModel extends ChatModel {
  readonly asked: readonly ChatRequest[];
}

export type Reply = string | Partial<ChatAnswer> | Error | ((request: ChatRequest) => string | Partial<ChatAnswer>);

/** A summary in the fixed structure. */
export function structured(goal: string): string {
  return SECTIONS.map(([title]) => `## ${title}\n${title === 'Goal' ? goal : 'None.'}`).join('\n\n');
}

/** Answers in order; the last reply answers all that follow. */
export function scriptedModel(replies: readonly Reply[], contextWindow?: number): ScriptedModel {
  const asked: ChatRequest[] = [];
  return {
    name: 'scripted:model',
    contextWindow,
    asked,
    complete: async (request) => {
      const reply = replies[asked.length] ?? replies.at(-1) ?? '';
      asked.push(request);
      if (reply instanceof Error) throw reply;
      const answer = typeof reply === 'function' ? reply(request) : reply;
      return typeof answer === 'string' ? { text: answer, stop: 'end' } : { text: '', stop: 'end', ...answer };
    },
  };
}
