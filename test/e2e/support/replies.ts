/** What a stand-in for the model answers, and how the Messages API puts that on the wire. */
import { randomUUID } from 'node:crypto';
import type { Block } from '../../../src/messages/types.ts';

/** An answer of the model, or a refusal of the API in its place. */
export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
  /** What the answer says the request weighed: from this the host decides whether its window is full. */
  readonly inputTokens?: number;
  readonly refusal?: { readonly status: number; readonly type: string; readonly message: string };
}

/** A call of the host's shell. */
export function bash(command: string, rest: Reply = {}): Reply {
  return { text: 'One moment.', ...rest, calls: [{ name: 'Bash', input: { command } }] };
}

/** What the API says to a request that is over the model's window. */
export const TOO_LONG: Reply = {
  refusal: {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 208310 tokens > 200000 maximum',
  },
};

/** A summary in the form that the host asks for. */
export function summary(text: string): Reply {
  return { text: `<analysis>\nLooking back.\n</analysis>\n\n<summary>\n${text}\n</summary>` };
}

export interface Answer {
  readonly content: readonly Block[];
  readonly message: Readonly<Record<string, unknown>>;
}

/** The message that a reply becomes. Weighs a request of which nothing was said by its bytes. */
export function answerOf(reply: Reply, model: string, requestBytes: number): Answer {
  const content: Block[] = [];
  if (reply.thinking !== undefined) {
    content.push({
      type: 'thinking',
      thinking: reply.thinking,
      signature: Buffer.from(reply.thinking).toString('base64'),
    });
  }
  if (reply.text !== undefined) content.push({ type: 'text', text: reply.text });
  for (const { name, input } of reply.calls ?? []) {
    content.push({ type: 'tool_use', id: `toolu_${randomUUID().replaceAll('-', '').slice(0, 24)}`, name, input });
  }
  const usage = {
    input_tokens: reply.inputTokens ?? Math.ceil(requestBytes / 4),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 20,
  };
  const message = {
    id: `msg_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage,
  };
  return { content, message };
}

function deltasOf(block: Block): { start: Block; deltas: object[] } {
  if (block.type === 'text') {
    return { start: { ...block, text: '' }, deltas: [{ type: 'text_delta', text: block['text'] }] };
  }
  if (block.type === 'thinking') {
    const deltas = [
      { type: 'thinking_delta', thinking: block['thinking'] },
      { type: 'signature_delta', signature: block['signature'] },
    ];
    return { start: { ...block, thinking: '', signature: '' }, deltas };
  }
  const json = { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) };
  return { start: { ...block, input: {} }, deltas: [json] };
}

/** The message as a stream of server-sent events. */
export function eventsOf({ content, message }: Answer): string {
  const events: { type: string; [key: string]: unknown }[] = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  ];
  content.forEach((block, index) => {
    const { start, deltas } = deltasOf(block);
    events.push({ type: 'content_block_start', index, content_block: start });
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta });
    events.push({ type: 'content_block_stop', index });
  });
  const { stop_reason, stop_sequence, usage } = message;
  events.push({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }, { type: 'message_stop' });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
