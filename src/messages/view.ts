/** Reads a message of either wire shape into the few things the core needs. Never throws, never mutates. */
import type { Block, Message, MessageView, Role, ToolCall, ToolResult } from './types.ts';

/** What a message's role weighs as. */
export function roleOf(role: string): Role {
  switch (role) {
    case 'system':
    case 'developer':
      return 'system';
    case 'user':
    case 'assistant':
    case 'tool':
      return role;
    case 'function':
      return 'tool';
    default:
      return 'other';
  }
}

const MEDIA = new Set(['image', 'image_url', 'input_image', 'document', 'file', 'input_audio', 'audio', 'video']);

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** JSON of anything; an object that cannot be written (a cycle, a BigInt) counts as empty. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** `tool_use` and its kin: `server_tool_use`, `mcp_tool_use`. */
export function isCallBlock(block: Block): boolean {
  return block.type.endsWith('tool_use') && typeof block['id'] === 'string';
}

/** `tool_result` and its kin: `mcp_tool_result`, `web_search_tool_result` and other server tools' results. */
export function isResultBlock(block: Block): boolean {
  return block.type.endsWith('tool_result') && typeof block['tool_use_id'] === 'string';
}

/** Collects the parts of one message while its blocks are walked. */
class Parts {
  readonly texts: string[] = [];
  readonly calls: ToolCall[] = [];
  readonly results: ToolResult[] = [];
  thinking = '';
  mediaCount = 0;
  otherJson = '';

  addBlock(block: Block): void {
    if (isCallBlock(block)) {
      this.calls.push({ id: stringOf(block['id']), name: stringOf(block['name']), input: block['input'] });
    } else if (isResultBlock(block)) {
      this.addResult(stringOf(block['tool_use_id']), block['content'], block['is_error'] === true);
    } else if (typeof block['text'] === 'string') {
      this.texts.push(block['text']);
    } else if (block.type === 'refusal') {
      this.texts.push(stringOf(block['refusal']));
    } else if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      this.thinking += stringOf(block['thinking']) + stringOf(block['data']);
    } else if (MEDIA.has(block.type)) {
      this.mediaCount += 1;
    } else {
      this.otherJson += jsonOf(block);
    }
  }

  addResult(callId: string, content: unknown, isError: boolean): void {
    this.results.push({ callId, text: this.resultText(content), isError });
  }

  resultText(content: unknown): string {
    if (typeof content === 'string') return content;
    if (!Array.isArray(content)) return content === undefined || content === null ? '' : jsonOf(content);
    const lines: string[] = [];
    for (const part of content) {
      if (!isBlock(part)) lines.push(typeof part === 'string' ? part : jsonOf(part));
      else if (typeof part['text'] === 'string') lines.push(part['text']);
      else if (MEDIA.has(part.type)) this.mediaCount += 1;
      else lines.push(jsonOf(part));
    }
    return lines.join('\n');
  }

  addOpenAiCall(call: unknown): void {
    if (typeof call !== 'object' || call === null) return;
    const { id, function: fn, custom } = call as Record<string, unknown>; // narrowed to an object on the line above
    const target = fn ?? custom;
    const {
      name,
      arguments: args,
      input,
    } = typeof target === 'object' && target !== null ? (target as Record<string, unknown>) : {}; // an object, just checked
    this.calls.push({ id: stringOf(id), name: stringOf(name), input: parsedArguments(args ?? input) });
  }
}

function parsedArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? {};
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** OpenAI's older single call has no id: the function's name stands for it. */
function legacyId(name: unknown): string {
  return `function:${stringOf(name)}`;
}

/** Role `tool` of the one shape, result blocks of the other: some frameworks mix them, and only the blocks name the calls. */
function isAnsweredInBlocks({ tool_call_id: callId, content }: Message): boolean {
  if (typeof callId === 'string' || !Array.isArray(content)) return false;
  return content.some((block) => isBlock(block) && isResultBlock(block));
}

/** Parts of a message, whatever its wire shape. Not cached: a caller may change a message between two calls. */
export function viewOf(message: Message): MessageView {
  const parts = new Parts();
  const role = roleOf(message.role);
  const { content } = message;
  if (message.role === 'tool' && !isAnsweredInBlocks(message)) {
    parts.addResult(stringOf(message['tool_call_id']), content, false);
  } else if (message.role === 'function') {
    parts.addResult(legacyId(message['name']), content, false);
  } else if (typeof content === 'string') {
    parts.texts.push(content);
  } else if (Array.isArray(content)) {
    for (const block of content) if (isBlock(block)) parts.addBlock(block);
  }
  const calls = message['tool_calls'];
  if (Array.isArray(calls)) for (const call of calls) parts.addOpenAiCall(call);
  const legacy = message['function_call'];
  if (typeof legacy === 'object' && legacy !== null && 'name' in legacy) {
    const args = 'arguments' in legacy ? legacy.arguments : undefined;
    parts.calls.push({ id: legacyId(legacy.name), name: stringOf(legacy.name), input: parsedArguments(args) });
  }
  parts.thinking += stringOf(message['reasoning_content']);
  return {
    role,
    text: parts.texts.join('\n'),
    calls: parts.calls,
    results: parts.results,
    thinking: parts.thinking,
    mediaCount: parts.mediaCount,
    otherJson: parts.otherJson,
  };
}
