/** The Vercel AI SDK: `prepareStep` sends what fits of the conversation, which itself stays whole. */
import type { ModelMessage, PrepareStepFunction } from 'ai';
import { shapeRequest } from 'chitta';

type Part = Exclude<ModelMessage['content'], string>[number];
type ResultPart = Extract<Part, { type: 'tool-result' }>;

/** A content block as the Messages API has it, with the part that it was made of. */
interface Block {
  readonly type: string;
  readonly part?: Part;
  readonly text?: string;
  readonly input?: unknown;
  readonly content?: unknown;
}

/** A message of such blocks, with the message that it was made of. What chitta adds of its own has none. */
interface Blocks {
  readonly role: string;
  readonly content: string | readonly Block[];
  readonly from?: ModelMessage;
}

function outputText({ output }: ResultPart): string {
  return output.type === 'text' || output.type === 'error-text' ? output.value : JSON.stringify(output);
}

function blockOf(part: Part): Block & { readonly [key: string]: unknown } {
  switch (part.type) {
    case 'reasoning':
      return { type: 'thinking', thinking: part.text, part };
    case 'tool-call':
      return { type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input, part };
    case 'tool-result':
      return { type: 'tool_result', tool_use_id: part.toolCallId, content: outputText(part), part };
    default:
      return { ...part, part };
  }
}

function blocksOf(from: ModelMessage): Blocks {
  const role = from.role === 'tool' ? 'user' : from.role;
  return { role, content: typeof from.content === 'string' ? from.content : from.content.map(blockOf), from };
}

function partOf({ part, text, input, content }: Block): Part {
  if (part === undefined) return { type: 'text', text: text ?? '' };
  switch (part.type) {
    case 'text':
      return { ...part, text: text ?? part.text };
    case 'tool-call':
      return { ...part, input };
    case 'tool-result':
      return content === outputText(part) ? part : { ...part, output: { type: 'text', value: String(content) } };
    default:
      return part;
  }
}

function messageOf({ role, content, from }: Blocks): ModelMessage {
  const parts = typeof content === 'string' ? content : content.map(partOf);
  // Roles and parts came from messages of the SDK, and no part changes its kind on the way.
  return { ...(from ?? { role }), content: parts } as ModelMessage;
}

/** A `prepareStep` for one conversation with a model of so many tokens. */
export function fitWindow(window: number): PrepareStepFunction {
  let state: unknown = {};
  return ({ messages }) => {
    const request = { messages: messages.map(blocksOf) };
    const shaped = shapeRequest(request, { window, state });
    state = shaped.state;
    return shaped.request === request ? {} : { messages: shaped.request.messages.map(messageOf) };
  };
}
