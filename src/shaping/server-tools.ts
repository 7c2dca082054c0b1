/** Round trips that the provider makes itself: call and result stand in the answers of the model, the result later. */
import { writeMark } from '../messages/marks.ts';
import type { Block, Message } from '../messages/types.ts';
import { type Halves, isOwnResult, isWholeResult, type ServerHalf } from './halves.ts';

/** Server tools whose results have an error form, `<kind>_tool_result_error` (Anthropic's API reference, server tools), and that kind. */
const ERROR_KINDS: ReadonlyMap<string, string> = new Map([
  ['web_search', 'web_search'],
  ['web_fetch', 'web_fetch'],
  ['code_execution', 'code_execution'],
  ['bash_code_execution', 'bash_code_execution'],
  ['text_editor_code_execution', 'text_editor_code_execution'],
  ['tool_search_tool_regex', 'tool_search'],
  ['tool_search_tool_bm25', 'tool_search'],
]);

/** Calls and results of server tools that stand alone. */
export interface LooseServerHalves {
  readonly calls: readonly ServerHalf[];
  readonly results: readonly ServerHalf[];
}

/**
 * The message from which on the model may still be at work: behind it stands nothing but results. A paused turn goes on
 * from there, and a call in it waits for the provider.
 */
function pausedFrom(messages: readonly Message[]): number {
  return messages.findLastIndex((message) => {
    const { content } = message;
    return !isWholeResult(message) && !(Array.isArray(content) && content.length > 0 && content.every(isOwnResult));
  });
}

/** Halves that find no other half, in order. Linear. */
export function looseServerHalves(
  { serverCalls, serverResults }: Halves,
  messages: readonly Message[],
): LooseServerHalves {
  const waiting = new Map<string, ServerHalf[]>();
  const results: ServerHalf[] = [];
  let next = 0;
  const isBefore = (call: ServerHalf | undefined, result: ServerHalf): boolean =>
    call !== undefined &&
    (call.message < result.message || (call.message === result.message && call.block < result.block));
  const answered = new Set<ServerHalf>();
  for (const result of serverResults) {
    for (; isBefore(serverCalls[next], result); next++) {
      const call = serverCalls[next]!;
      const calls = waiting.get(call.id);
      if (calls === undefined) waiting.set(call.id, [call]);
      else calls.push(call);
    }
    // The newest call of an id: the answer of a server tool follows its call before another one of that id is made.
    const call = waiting.get(result.id)?.pop();
    if (call === undefined) results.push(result);
    else answered.add(call);
  }
  const paused = pausedFrom(messages);
  return { calls: serverCalls.filter((call) => !answered.has(call) && call.message < paused), results };
}

/** The result that says a server tool did not answer; undefined for tools whose form of an error is not known. */
export function serverAnswer({ id, type, name }: ServerHalf): Block | undefined {
  if (type === 'mcp_tool_use') {
    const text = writeMark('stub', [], 'no result: this call was never answered');
    return { type: 'mcp_tool_result', tool_use_id: id, is_error: true, content: [{ type: 'text', text }] };
  }
  const kind = ERROR_KINDS.get(name);
  if (kind === undefined) return undefined;
  const content = { type: `${kind}_tool_result_error`, error_code: 'unavailable' };
  return { type: `${kind}_tool_result`, tool_use_id: id, content };
}
