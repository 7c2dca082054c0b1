/**
 * Whose context a host is about to compact, told from the ends of the transcripts: some hosts report a sub-agent's compaction as if
 * it were the main conversation's. Pure.
 */

/** What the newest rows of one conversation say. */
export interface ContextEnd {
  /** The host's version, as it wrote it. */
  readonly version: string | undefined;
  /** The last word is an answer without a call: nothing goes on by itself. */
  readonly isFinished: boolean;
  /** It waits for a sub-agent, and until then asks its model nothing. */
  readonly waitsForAgent: boolean;
  /** How full its context was at the newest answer, in tokens; 0 if there was none. */
  readonly usedTokens: number;
}

/** The tool that starts a sub-agent; its older name is Task. */
const AGENT_TOOLS: ReadonlySet<unknown> = new Set(['Agent', 'Task']);

/** The first version known to say in every event whether it is a sub-agent’s; 2.1.322 does not. */
const FIRST_THAT_SAYS: readonly number[] = [2, 1, 327];

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(line: string): Fields | undefined {
  // Copies of requests are large, and no part of the conversation.
  if (!line.includes('"message"')) return undefined;
  try {
    const row: unknown = JSON.parse(line);
    return isObject(row) ? row : undefined;
  } catch {
    return undefined;
  }
}

function blocksOf(message: Fields): Fields[] {
  const { content } = message;
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function tokensOf({ usage }: Fields): number {
  if (!isObject(usage)) return 0;
  return ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'].reduce(
    (sum, key) => sum + (typeof usage[key] === 'number' ? usage[key] : 0),
    0,
  );
}

/**
 * The end of a conversation from the last lines of its transcript, oldest first; undefined if they hold no message. `isAgent`: the
 * transcript is a sub-agent's, all rows of which are marked as beside the conversation.
 */
export function contextEndOf(lines: readonly string[], isAgent: boolean): ContextEnd | undefined {
  const answered = new Set<unknown>();
  let version: string | undefined;
  let isFinished: boolean | undefined;
  let waitsForAgent = false;
  let usedTokens = 0;
  let answer: unknown;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const row = parsed(lines[at] ?? '');
    const message = row?.['message'];
    if (row === undefined || !isObject(message) || (row['isSidechain'] === true) !== isAgent) continue;
    const blocks = blocksOf(message);
    if (version === undefined && typeof row['version'] === 'string') version = row['version'];
    if (row['type'] === 'user') {
      if (answer !== undefined) break;
      isFinished ??= false;
      for (const block of blocks) answered.add(block['tool_use_id']);
    } else if (row['type'] === 'assistant') {
      // An answer has a row for each of its blocks, all of one id.
      const id = message['id'] ?? row['uuid'];
      if (answer !== undefined && answer !== id) break;
      answer = id;
      usedTokens = Math.max(usedTokens, tokensOf(message));
      for (const { type, id: call, name } of blocks) {
        if (type !== 'tool_use') continue;
        isFinished = false;
        if (AGENT_TOOLS.has(name) && !answered.has(call)) waitsForAgent = true;
      }
      isFinished ??= true;
    }
  }
  return isFinished === undefined ? undefined : { version, isFinished, waitsForAgent, usedTokens };
}

function isBefore(version: string, than: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  const at = than.findIndex((part, index) => parts[index] !== part);
  return at >= 0 && (parts[at] ?? 0) < (than[at] ?? 0);
}

/** Whether the host that wrote this may leave out that an event is a sub-agent's. */
export function mayBeSilentAboutAgents({ version }: ContextEnd): boolean {
  return version !== undefined && isBefore(version, FIRST_THAT_SAYS);
}

/**
 * Whether a compaction that came by itself is a sub-agent's: one is at work, and the main conversation waits for it, or has the
 * emptier context. `agents`: those whose transcripts were written lately.
 */
export function isCompactionOfAgent(main: ContextEnd, agents: readonly ContextEnd[]): boolean {
  const atWork = agents.filter(({ isFinished }) => !isFinished);
  if (atWork.length === 0) return false;
  return main.waitsForAgent || atWork.some(({ usedTokens }) => usedTokens > main.usedTokens);
}
