/** The halves of tool round trips, as they stand in the messages: where each is, and in which wire shape. */
import { isBlock, isObject, legacyCallOf } from '../messages/parts.ts';
import type { Block, Message } from '../messages/types.ts';
import { isCallBlock, isResultBlock } from '../messages/view.ts';

/** `block`: content blocks (Anthropic); `tool`: `tool_calls` and role `tool`; `function`: OpenAI's older single call. */
export type Shape = 'block' | 'tool' | 'function';

/** One call or one result of a tool that the caller runs. */
export interface Half {
  readonly id: string;
  readonly message: number;
  readonly shape: Shape;
  /** Index in the content of the message; -1 where the half is the message, or stands beside its content. */
  readonly block: number;
  /** Name of the tool; calls only. */
  readonly name: string;
}

/** One half of a round trip that the provider makes itself: both halves stand in the answers of the model. */
export interface ServerHalf {
  readonly id: string;
  readonly message: number;
  readonly block: number;
  /** `server_tool_use`, `mcp_tool_use`; of results the type of the block. */
  readonly type: string;
  readonly name: string;
}

export interface Halves {
  readonly calls: readonly Half[];
  readonly results: readonly Half[];
  readonly serverCalls: readonly ServerHalf[];
  readonly serverResults: readonly ServerHalf[];
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether a block answers a call that the caller ran. */
export function isOwnResult(block: unknown): block is Block {
  return isBlock(block) && block.type === 'tool_result' && isResultBlock(block);
}

/** Whether the message as a whole is the answer to one call. */
export function isWholeResult({ role, content, tool_call_id: callId }: Message): boolean {
  if (role === 'function') return true;
  if (role !== 'tool') return false;
  // Some frameworks mix the shapes: role tool, and result blocks that name the calls.
  return typeof callId === 'string' || !Array.isArray(content) || !content.some(isOwnResult);
}

/** What is collected while the messages are walked. */
class Collected implements Halves {
  readonly calls: Half[] = [];
  readonly results: Half[] = [];
  readonly serverCalls: ServerHalf[] = [];
  readonly serverResults: ServerHalf[] = [];

  addBlock(one: Block, message: number, block: number): void {
    const { type } = one;
    const name = stringOf(one['name']);
    if (isCallBlock(one)) {
      const id = stringOf(one['id']);
      if (type === 'tool_use') this.calls.push({ id, message, shape: 'block', block, name });
      else this.serverCalls.push({ id, message, block, type, name });
    } else if (isResultBlock(one)) {
      const id = stringOf(one['tool_use_id']);
      if (type === 'tool_result') this.results.push({ id, message, shape: 'block', block, name: '' });
      else this.serverResults.push({ id, message, block, type, name: '' });
    }
  }

  addMessage(one: Message, message: number): void {
    const { role, content, tool_calls: toolCalls } = one;
    const beside = { message, block: -1 };
    if (isWholeResult(one)) {
      const isOlder = role === 'function';
      const id = isOlder ? `function:${stringOf(one['name'])}` : stringOf(one['tool_call_id']);
      this.results.push({ id, ...beside, shape: isOlder ? 'function' : 'tool', name: '' });
    } else if (Array.isArray(content)) {
      content.forEach((block: unknown, index) => isBlock(block) && this.addBlock(block, message, index));
    }
    for (const call of Array.isArray(toolCalls) ? toolCalls : []) {
      if (!isObject(call)) continue;
      const target = call['function'] ?? call['custom'];
      const name = isObject(target) ? stringOf(target['name']) : '';
      this.calls.push({ id: stringOf(call['id']), ...beside, shape: 'tool', name });
    }
    const legacy = legacyCallOf(one);
    if (legacy !== undefined) {
      const name = stringOf(legacy.target['name']);
      this.calls.push({ id: `function:${name}`, ...beside, shape: 'function', name });
    }
  }
}

/** All halves in order. Linear. */
export function halvesOf(messages: readonly Message[]): Halves {
  const collected = new Collected();
  messages.forEach((message, at) => collected.addMessage(message, at));
  return collected;
}
