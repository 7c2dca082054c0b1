/**
 * What the two public APIs refuse in a list of messages, written from their documentation and error texts, in another
 * way than the code under test. Each problem is one line: `messages[i]…: what is wrong`.
 *
 * Here: Anthropic, https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls and the pages on
 * extended thinking and mid-conversation system messages.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Block, Message } from '../../src/messages/types.ts';

export { openAiProblems } from './openai-rules.ts';

type Problems = string[];

function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

function isThinking(block: Block | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Blocks of an Anthropic message; a text counts as one text block. */
function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

/** Consecutive messages of one role, which the API combines. */
interface Turn {
  readonly role: string;
  readonly at: number;
  readonly blocks: Block[];
}

function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach((message, at) => {
    const last = turns.at(-1);
    if (last?.role === message.role) last.blocks.push(...blocksOf(message));
    else turns.push({ role: message.role, at, blocks: [...blocksOf(message)] });
  });
  return turns;
}

const ASSISTANT_BLOCKS = ['text', 'thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'mcp_tool_use'];
const USER_BLOCKS = ['text', 'image', 'document', 'search_result', 'tool_result', 'container_upload'];
const RESULT_BLOCKS = ['text', 'image', 'document', 'search_result', 'tool_reference'];

function isAllowed(role: string, type: string): boolean {
  if (role === 'system') return type === 'text';
  if (role === 'user') return USER_BLOCKS.includes(type);
  return ASSISTANT_BLOCKS.includes(type) || (type !== 'tool_result' && type.endsWith('_tool_result'));
}

function resultProblems(block: Block, where: string): Problems {
  const problems: Problems = [];
  const { content } = block;
  if (typeof block['tool_use_id'] !== 'string') problems.push(`${where}: tool_use_id is missing`);
  if (content === undefined || typeof content === 'string') return problems;
  if (!Array.isArray(content)) return [...problems, `${where}: content is no text and no list`];
  for (const inner of content) {
    if (!isObject(inner) || !RESULT_BLOCKS.includes(String(inner['type']))) {
      problems.push(`${where}: a result cannot hold such a block`);
    } else if (inner['type'] === 'text' && isBlank(inner['text'])) {
      problems.push(`${where}: text content blocks must contain non-whitespace text`);
    } else if (inner['type'] !== 'text' && block['is_error'] === true) {
      problems.push(`${where}: all content must be text if is_error is true`);
    }
  }
  return problems;
}

function blockProblems(block: Block, role: string, where: string): Problems {
  if (!isAllowed(role, block.type)) return [`${where}: ${block.type} cannot stand in a message of role ${role}`];
  if (block.type === 'text' && isBlank(block['text'])) {
    return [`${where}: text content blocks must contain non-whitespace text`];
  }
  if (block.type === 'thinking') {
    const isWhole = typeof block['thinking'] === 'string' && !isBlank(block['signature']);
    return isWhole ? [] : [`${where}: thinking without its text or signature`];
  }
  if (block.type === 'redacted_thinking') return isBlank(block['data']) ? [`${where}: thinking without its data`] : [];
  if (block.type.endsWith('tool_use')) {
    const isWhole = !isBlank(block['id']) && !isBlank(block['name']) && isObject(block['input']);
    return isWhole ? [] : [`${where}: a call needs an id, a name, and an object as input`];
  }
  return block.type === 'tool_result' ? resultProblems(block, where) : [];
}

function messageProblems(message: Message, at: number, isLast: boolean): Problems {
  const where = `messages[${at}]`;
  const { role, content } = message;
  if (!['user', 'assistant', 'system'].includes(role)) return [`${where}: unknown role ${role}`];
  const mayBeEmpty = isLast && role === 'assistant';
  if (content === null || content === undefined) return [`${where}: content is missing`];
  if (content.length === 0) return mayBeEmpty ? [] : [`${where}: all messages must have non-empty content`];
  const blocks = blocksOf(message);
  const problems = blocks.flatMap((block, index) => blockProblems(block, role, `${where}.content[${index}]`));
  if (role !== 'assistant') return problems;
  const last = blocks.at(-1);
  if (isThinking(last)) problems.push(`${where}: the final block in an assistant message cannot be thinking`);
  if (isLast && last?.type === 'text' && /\s$/.test(String(last['text']))) {
    problems.push(`${where}: final assistant content cannot end with trailing whitespace`);
  }
  return problems;
}

function idsOf(turn: Turn | undefined, type: string, key: string): string[] {
  return (turn?.blocks ?? []).filter((block) => block.type === type).map((block) => String(block[key]));
}

/** Calls and results between turns; calls of server tools are answered within their own turn. */
function pairProblems(turns: readonly Turn[]): Problems {
  const problems: Problems = [];
  const seen = new Set<string>();
  turns.forEach((turn, index) => {
    const where = `messages[${turn.at}]`;
    const calls = idsOf(turn, 'tool_use', 'id');
    const answers = idsOf(turn, 'tool_result', 'tool_use_id');
    const asked = new Set(idsOf(turns[index - 1], 'tool_use', 'id'));
    const answered = new Set(idsOf(turns[index + 1], 'tool_result', 'tool_use_id'));
    for (const id of calls) {
      if (seen.has(id)) problems.push(`${where}: tool_use ids must be unique: ${id}`);
      seen.add(id);
      if (!answered.has(id)) problems.push(`${where}: tool_use without a tool_result immediately after: ${id}`);
    }
    for (const id of answers)
      if (!asked.has(id)) problems.push(`${where}: unexpected tool_use_id in tool_result: ${id}`);
    if (new Set(answers).size < answers.length) problems.push(`${where}: each tool_use must have a single result`);
    const firstOther = turn.blocks.findIndex((block) => block.type !== 'tool_result');
    const lastResult = turn.blocks.findLastIndex((block) => block.type === 'tool_result');
    if (firstOther >= 0 && firstOther < lastResult) problems.push(`${where}: tool_result blocks must come first`);
    const open = new Set<unknown>();
    for (const block of turn.blocks) {
      if (block.type === 'server_tool_use' || block.type === 'mcp_tool_use') open.add(block['id']);
      else if (block.type.endsWith('_tool_result') && !open.delete(block['tool_use_id'])) {
        problems.push(`${where}: ${block.type} without its call before it`);
      }
    }
    if (index < turns.length - 1 && open.size > 0) problems.push(`${where}: call of a server tool without its result`);
  });
  return problems;
}

/** Blocks of the answers behind the newest user message that holds no results: one turn, however many calls it made. */
function lastTurnOf(messages: readonly Message[]): Block[] {
  const start = messages.findLastIndex(
    (message) => message.role === 'user' && !blocksOf(message).some(({ type }) => type === 'tool_result'),
  );
  return messages.slice(start + 1).flatMap((message) => (message.role === 'assistant' ? blocksOf(message) : []));
}

/** An API that is told to think asks for thinking at the start of the last turn, so it must not be lost there. */
export function lostThinking(messages: readonly Message[], original: readonly Message[]): string[] {
  const [before, after] = [lastTurnOf(original)[0], lastTurnOf(messages)[0]];
  const isLost = isThinking(before) && after !== undefined && !isThinking(after);
  return isLost ? ['messages: the last turn must start with a thinking block, as it did'] : [];
}

/** Thinking of the newest assistant turn must be as it was; older thinking may be left out, but not changed. */
function thinkingProblems(messages: readonly Message[], original: readonly Message[]): Problems {
  const problems = lostThinking(messages, original);
  const known = original.flatMap((message) => blocksOf(message).filter(isThinking));
  messages.forEach((message, at) => {
    for (const block of blocksOf(message).filter(isThinking)) {
      if (!known.some((other) => isDeepStrictEqual(other, block))) problems.push(`messages[${at}]: modified thinking`);
    }
  });
  const newest = (list: readonly Message[]): Block[] =>
    turnsOf(list)
      .findLast(({ role }) => role === 'assistant')
      ?.blocks.filter(isThinking) ?? [];
  const expected = newest(original);
  // Turns that stood apart may have become one, so there may be more of it before.
  if (expected.length > 0 && !isDeepStrictEqual(newest(messages).slice(-expected.length), expected)) {
    problems.push(`messages[${messages.length - 1}]: thinking of the latest assistant turn cannot be modified`);
  }
  return problems;
}

/**
 * Why the Anthropic Messages API would refuse these messages; empty if it would not. With `original`, the messages as the
 * model and its user wrote them, also what happened to thinking since.
 */
export function anthropicProblems(messages: readonly Message[], original?: readonly Message[]): string[] {
  if (messages.length === 0) return ['messages: at least one message is required'];
  const problems = messages.flatMap((message, at) => messageProblems(message, at, at === messages.length - 1));
  if (messages[0]?.role !== 'user') problems.push('messages[0]: first message must use the user role');
  const turns = turnsOf(messages);
  turns.forEach(({ role, at }, index) => {
    const isBehindUser = turns[index - 1]?.role === 'user';
    if (role === 'system' && index > 0 && !isBehindUser) problems.push(`messages[${at}]: system behind no user turn`);
  });
  const lastTurn = lastTurnOf(messages);
  if (lastTurn.some(isThinking) && !isThinking(lastTurn[0])) {
    problems.push('messages: a final assistant message must start with a thinking block');
  }
  problems.push(...pairProblems(turns));
  return original === undefined ? problems : [...problems, ...thinkingProblems(messages, original)];
}
