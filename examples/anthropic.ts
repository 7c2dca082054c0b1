/** An agent's loop over the Anthropic SDK: the whole conversation is kept, and each request is what of it fits. */
import type Anthropic from '@anthropic-ai/sdk';
import { shapeRequest } from 'chitta';

export interface Agent {
  readonly client: Anthropic;
  readonly model: string;
  /** Tokens that the model takes. */
  readonly window: number;
  readonly tools: Anthropic.Tool[];
  readonly callTool: (name: string, input: unknown) => Promise<string>;
}

/** The model's answer to a prompt, after as many calls of tools as it wants. */
export async function ask({ client, model, window, tools, callTool }: Agent, prompt: string): Promise<string> {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }];
  let state: unknown = {};
  for (;;) {
    const shaped = shapeRequest({ model, max_tokens: 1024, tools, messages }, { window, state });
    state = shaped.state;
    const { content, stop_reason } = await client.messages.create(shaped.request);
    messages.push({ role: 'assistant', content });
    const calls = content.filter((block) => block.type === 'tool_use');
    if (stop_reason !== 'tool_use' || calls.length === 0) {
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    }
    const results: Anthropic.ToolResultBlockParam[] = [];
    for (const { id, name, input } of calls) {
      results.push({ type: 'tool_result', tool_use_id: id, content: await callTool(name, input) });
    }
    messages.push({ role: 'user', content: results });
  }
}
