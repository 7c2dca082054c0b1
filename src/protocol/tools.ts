/**
 * The tools that chitta offers over MCP and JSON-RPC. What is said of them stands in the model's context, so the words are few.
 */
import { compactParamsSchema } from './compact-params.ts';
import { type ToolParams, toolParamsSchema } from './tool-params.ts';

export type ToolName = keyof ToolParams | 'compact_context';

export interface Tool {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Hints of MCP about what a call does. Nothing leaves the machine. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

type Effect = 'reads' | 'adds' | 'removes';

const WORDS: readonly (readonly [name: ToolName, effect: Effect, title: string, description: string])[] = [
  [
    'compact_context',
    'adds',
    'Compact a conversation',
    'Keeps the messages of a conversation that matter, word for word, within a token budget. ' +
      'Tool calls stay with their results. Returns the survivors in order, and what it cost.',
  ],
  [
    'recall',
    'reads',
    'Recall',
    'What is known about something: memories of this project, and turns of past conversations, by words and meaning. ' +
      'Ask before you assume that something was never decided, tried or said.',
  ],
  [
    'search',
    'reads',
    'Search past turns',
    'Where something was said: archived turns of this project with these words, and the lines around them.',
  ],
  [
    'show',
    'reads',
    'Show a turn',
    'A turn that left the context, word for word, by the handle in a mark of chitta, such as #k3v7q2a, or in a hit; ' +
      'or a memory by its number.',
  ],
  [
    'remember',
    'adds',
    'Remember',
    'Keeps a fact, preference, decision or correction for later sessions. Secrets in it are masked.',
  ],
  ['forget', 'removes', 'Forget a memory', 'Removes a memory for good, by its number.'],
  [
    'directives',
    'adds',
    'Directives',
    'Rules of the user that hold until they are revoked: lists them; proposes a new one or a change, which holds once the user ' +
      'accepts it (chitta directives accept ID); revokes one when the user says so.',
  ],
  [
    'hot_context',
    'reads',
    'Hot context',
    'What is worked on, the directives that hold, and the rules of the project, within a budget.',
  ],
  ['episodes', 'reads', 'Past compactions', 'Past compactions of this project, the newest first.'],
  ['why', 'reads', 'Why', 'What the last compaction kept, dropped and gave back, and what the summary lost.'],
];

/** All tools, as `tools/list` gives them. */
export function listTools(): Tool[] {
  return WORDS.map(([name, effect, title, description]) => ({
    name,
    title,
    description,
    inputSchema: name === 'compact_context' ? compactParamsSchema() : toolParamsSchema(name),
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'removes',
      idempotentHint: effect !== 'adds',
      openWorldHint: false,
    },
  }));
}

/** In the order of the list. */
export function toolNames(): ToolName[] {
  return WORDS.map(([name]) => name);
}

/** The name if it is a tool's. */
export function toolNamed(name: string): ToolName | undefined {
  return WORDS.find(([known]) => known === name)?.[0];
}
