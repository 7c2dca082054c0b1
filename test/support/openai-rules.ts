/** What OpenAI's chat completions refuse: https://platform.openai.com/docs/api-reference/chat/create and its error texts. */
import type { Block, Message } from '../../src/messages/types.ts';

type Problems = string[];

function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const OPENAI_ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
const OPENAI_PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};

function callProblems(call: unknown, where: string): Problems {
  if (!isObject(call) || isBlank(call['id'])) return [`${where}: a call needs an id`];
  const { type } = call;
  if (type !== 'function' && type !== 'custom') return [`${where}: unknown type of call`];
  const target = call[type];
  if (!isObject(target) || isBlank(target['name'])) return [`${where}: a call needs a name`];
  const key = type === 'function' ? 'arguments' : 'input';
  return typeof target[key] === 'string' ? [] : [`${where}: ${key} must be a string`];
}

function openAiContentProblems({ role, content }: Message, where: string, mayBeNull: boolean): Problems {
  if (content === null || content === undefined) {
    return mayBeNull ? [] : [`${where}: expected a string or a list as content, got null`];
  }
  if (typeof content === 'string') return [];
  if (!Array.isArray(content) || content.length === 0) return [`${where}: content is no text and no filled list`];
  const known = OPENAI_PARTS[role] ?? ['text'];
  return content.flatMap((part: Block, index) => {
    if (!known.includes(part.type)) return [`${where}.content[${index}]: ${part.type} cannot stand in role ${role}`];
    if (part.type === 'text' && typeof part['text'] !== 'string')
      return [`${where}.content[${index}]: text is missing`];
    return [];
  });
}

/** Why the OpenAI chat completions API would refuse these messages; empty if it would not. */
export function openAiProblems(messages: readonly Message[]): string[] {
  if (messages.length === 0) return ['messages: at least one message is required'];
  const problems: Problems = [];
  let open = new Map<unknown, number>();
  let hasCalls = false;
  messages.forEach((message, at) => {
    const where = `messages[${at}]`;
    const { role, tool_calls: calls, function_call: legacy } = message;
    if (!OPENAI_ROLES.includes(role)) problems.push(`${where}: unknown role ${role}`);
    if (role === 'tool') {
      const id = message['tool_call_id'];
      if (!hasCalls) problems.push(`${where}: role tool must answer a preceding message with tool_calls`);
      else if (!open.delete(id)) problems.push(`${where}: tool_call_id ${String(id)} is not of the calls before it`);
    } else {
      for (const id of open.keys()) problems.push(`${where}: tool_calls before it without an answer: ${String(id)}`);
      open = new Map();
      hasCalls = false;
    }
    if (role === 'function' && isBlank(message['name'])) problems.push(`${where}: a function's answer needs its name`);
    if (calls !== undefined) {
      if (role !== 'assistant' || !Array.isArray(calls) || calls.length === 0) {
        problems.push(`${where}: tool_calls is no filled list of an assistant`);
      } else {
        hasCalls = true;
        calls.forEach((call: unknown, index) => {
          problems.push(...callProblems(call, `${where}.tool_calls[${index}]`));
          const id = isObject(call) ? call['id'] : undefined;
          if (open.has(id)) problems.push(`${where}: two calls have the id ${String(id)}`);
          open.set(id, at);
        });
      }
    }
    const isLegacy = isObject(legacy) && typeof legacy['arguments'] === 'string';
    problems.push(...openAiContentProblems(message, where, role === 'assistant' && (hasCalls || isLegacy)));
  });
  for (const [id, at] of open) problems.push(`messages[${at}]: tool_calls without an answer: ${String(id)}`);
  return problems;
}
