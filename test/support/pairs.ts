/** Reads tool pairs by id alone, in another way than the code under test: sets, not queues. */
import type { Message } from '../../src/messages/types.ts';

interface Ids {
  readonly calls: ReadonlySet<string>;
  readonly results: ReadonlySet<string>;
}

function idsOf(messages: readonly Message[]): Ids {
  const calls = new Set<string>();
  const results = new Set<string>();
  for (const message of messages) {
    const { content, tool_calls: openAi, tool_call_id: answered } = message;
    if (typeof answered === 'string') results.add(answered);
    for (const call of Array.isArray(openAi) ? openAi : []) calls.add(String(call.id));
    for (const block of Array.isArray(content) ? content : []) {
      if (typeof block['tool_use_id'] === 'string') results.add(block['tool_use_id']);
      else if (block.type.endsWith('tool_use')) calls.add(String(block['id']));
    }
  }
  return { calls, results };
}

/** Ids of calls without a result and results without a call, sorted. */
export function unpairedIds(messages: readonly Message[]): string[] {
  const { calls, results } = idsOf(messages);
  const open = [...calls].filter((id) => !results.has(id)).map((id) => `call ${id}`);
  const stray = [...results].filter((id) => !calls.has(id)).map((id) => `result ${id}`);
  return [...open, ...stray].sort();
}
