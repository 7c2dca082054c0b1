/** An agent over the OpenAI SDK, or any server of that kind: results are capped as they arrive, a full context is pruned, then summarised. */
import type OpenAI from 'openai';
import { capToolResult, type ChatModel, planCompaction, type PlanState, summarize } from 'chitta';

export type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;
export type Conversation = PlanState<ChatMessage>;

export interface Agent {
  readonly client: OpenAI;
  readonly model: string;
  /** Tokens that the model takes. */
  readonly window: number;
  readonly tools: OpenAI.Chat.ChatCompletionFunctionTool[];
  readonly callTool: (name: string, input: string) => Promise<string>;
}

/** The agent's own model, as the one that writes summaries. */
function summariser({ client, model, window }: Agent): ChatModel {
  return {
    name: model,
    contextWindow: window,
    complete: async ({ system, prompt, maxTokens, signal }) => {
      const messages: ChatMessage[] = [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ];
      const { choices } = await client.chat.completions.create({ model, max_tokens: maxTokens, messages }, { signal });
      const [choice] = choices;
      return { text: choice?.message.content ?? '', stop: choice?.finish_reason === 'length' ? 'length' : 'end' };
    },
  };
}

/** The conversation as it can be sent. A summary that fails leaves it as it is. */
async function fitted(agent: Agent, conversation: Conversation): Promise<Conversation> {
  const config = { contextWindow: agent.window };
  let plan = planCompaction(conversation, config);
  while (plan.summarise !== undefined) {
    const { messages } = plan.state;
    const { upTo } = plan.summarise;
    const smaller = await summarize(messages, { model: summariser(agent), upTo }).catch(() => ({ messages }));
    plan = planCompaction({ ...plan.state, messages: smaller.messages }, config);
  }
  for (const { text } of plan.notices) console.warn(text);
  return plan.state;
}

/** The conversation with the model's answer to a prompt behind it, after as many calls of tools as it wants. */
export async function ask(agent: Agent, before: Conversation, prompt: string): Promise<Conversation> {
  let now: Conversation = { ...before, messages: [...before.messages, { role: 'user', content: prompt }] };
  for (;;) {
    now = await fitted(agent, now);
    const { client, model, tools } = agent;
    const { choices } = await client.chat.completions.create({ model, tools, messages: [...now.messages] });
    const message = choices[0]?.message;
    if (message === undefined) throw new Error('the model gave no answer');
    const added: ChatMessage[] = [message];
    for (const call of message.tool_calls ?? []) {
      if (call.type !== 'function') continue;
      const content = await agent.callTool(call.function.name, call.function.arguments);
      const result: ChatMessage = { role: 'tool', tool_call_id: call.id, content };
      added.push(capToolResult(result, agent.window));
    }
    now = { ...now, messages: [...now.messages, ...added] };
    if (added.length === 1) return now;
  }
}
