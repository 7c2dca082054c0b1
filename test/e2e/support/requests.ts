/** What the requests that the host sent to the model hold. */
import type { Block, Message } from '../../../src/messages/types.ts';
import { anthropicProblems } from '../../support/api-rules.ts';

/** `summary`: the host has a conversation summarised; `main` and `agent`: it works, as itself or as a sub-agent. */
export type RequestKind = 'main' | 'summary' | 'agent' | 'aside';

export interface ModelRequest {
  readonly kind: RequestKind;
  /** Id of the sub-agent that it comes from, also where a sub-agent's own conversation is summarised. */
  readonly agent: string | undefined;
  readonly session: string | undefined;
  readonly model: string;
  readonly system: string;
  /** `adaptive`: the model thinks where it wants to; `enabled`: it must, before it uses a tool. */
  readonly thinking: string;
  readonly messages: readonly Message[];
}

function textOfBlock(block: Block): string {
  if (block.type === 'text') return String(block['text']);
  // The content of a result is a text or a list of blocks, by the API's definition.
  if (block.type === 'tool_result') return textOf(block['content'] as Message['content']);
  return block.type === 'tool_use' ? JSON.stringify(block['input']) : '';
}

/** All that a model reads in some content, calls and results too. */
export function textOf(content: Message['content']): string {
  return typeof content === 'string' ? content : (content ?? []).map(textOfBlock).join('\n');
}

/** All that a model reads in the messages of a request. */
export function textIn({ messages }: ModelRequest): string {
  return messages.map(({ content }) => textOf(content)).join('\n');
}

/** How often a piece of text occurs. */
export function countOf(piece: string, text: string): number {
  return text.split(piece).length - 1;
}

/** The only one of a list; throws if there is none, or another. */
export function only<T>(list: readonly T[]): T {
  const [first, ...more] = list;
  if (first === undefined || more.length > 0) throw new Error(`one was expected, but there are ${list.length}`);
  return first;
}

/** The newest message of the user's side, which in a summary request ends with the summariser's task. */
export function lastUserText({ messages }: ModelRequest): string {
  return textOf(messages.findLast(({ role }) => role === 'user')?.content);
}

const INSTRUCTIONS = 'Additional Instructions:\n';
const REMINDER = '\n\nREMINDER: Do NOT call any tools';

/** What stands under "Additional Instructions" of a summary request: words behind `/compact`, then what hooks said. */
export function instructionsIn(request: ModelRequest): string {
  const text = lastUserText(request);
  const from = text.lastIndexOf(INSTRUCTIONS);
  const to = text.lastIndexOf(REMINDER);
  if (from < 0) return '';
  return text.slice(from + INSTRUCTIONS.length, to < from ? undefined : to);
}

/** Bodies of chitta's blocks of a kind, in the order in which a model reads them. */
export function blocksIn(text: string, kind: 'guide' | 'restored' | 'recall' | 'hot'): string[] {
  const [open, close] = [`[chitta:${kind}]\n`, `\n[/chitta:${kind}]`];
  return text
    .split(open)
    .slice(1)
    .map((piece) => piece.slice(0, piece.includes(close) ? piece.indexOf(close) : undefined));
}

/** chitta's part of the instructions in a summary request; throws unless it stands there exactly once. */
export function guideIn(request: ModelRequest): string {
  return only(blocksIn(instructionsIn(request), 'guide'));
}

/** The first request of the main conversation behind the newest summary request. */
export function requestAfterCompaction(requests: readonly ModelRequest[]): ModelRequest {
  const summaryAt = requests.findLastIndex(({ kind, agent }) => kind === 'summary' && agent === undefined);
  const next = requests.slice(summaryAt + 1).find(({ kind }) => kind === 'main');
  if (summaryAt < 0 || next === undefined) throw new Error('no request of the main conversation behind a compaction');
  return next;
}

/**
 * System turns without content carry settings (`output_config`) for the turns behind them; the API takes them, which the
 * rules do not know.
 */
function isSetting({ role, content }: Message): boolean {
  return role === 'system' && (content === undefined || content === null || content.length === 0);
}

/** Why the API would refuse a request; empty if it would not. */
export function problemsOf(request: ModelRequest): string[] {
  return anthropicProblems(request.messages.filter((message) => !isSetting(message)));
}

/** Throws if a request of the main conversation, of an agent or for a summary is one that the API would refuse. */
export function assertNoOrphans(requests: readonly ModelRequest[]): void {
  const problems = requests
    .map((request, index) => ({ request, index }))
    .filter(({ request }) => request.kind !== 'aside')
    .flatMap(({ request, index }) =>
      problemsOf(request).map((problem) => `request ${index} (${request.kind}): ${problem}`),
    );
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
