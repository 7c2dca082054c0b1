/**
 * The tools that chitta offers over MCP and JSON-RPC. What is said of them stands in the model's context, so the words are few.
 */
import { compactParamsSchema } from './compact-params.ts';
import { type ToolName, toolParamsSchema } from './tool-params.ts';
import { toolResultSchema } from './tool-results.ts';

export interface Tool {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** What it answers, an error included. For programs: hosts do not show it to models. */
  readonly outputSchema: Readonly<Record<string, unknown>>;
  /** Hints of MCP about what a call does. Nothing leaves the machine but the number of a ticket, to a tracker that the user named. */
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** `asks`: it reads, and may ask a tracker. */
type Effect = 'reads' | 'asks' | 'adds' | 'removes';

const WORDS: readonly (readonly [name: ToolName, effect: Effect, title: string, description: string])[] = [
  [
    'compact_context',
    'adds',
    'Compact a conversation',
    'Keeps the messages of a conversation that matter, word for word, within a token budget; tool calls stay with their results.',
  ],
  [
    'recall',
    'reads',
    'Recall',
    'Finds memories and past turns of this project, by words and meaning. ' +
      'Ask before you assume that something was never decided, tried or said.',
  ],
  [
    'search',
    'reads',
    'Search past turns',
    'Finds where something was said: past turns of this project with these words, and the lines around them.',
  ],
  [
    'show',
    'asks',
    'Show a turn',
    'A turn that left the context, word for word, by the handle in a mark of chitta or a hit; or a memory, or a ticket.',
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
    'Rules of the user that hold until they are revoked: lists them; proposes one or a change, which holds once the user ' +
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
    outputSchema: toolResultSchema(name),
    annotations: {
      readOnlyHint: effect === 'reads' || effect === 'asks',
      destructiveHint: effect === 'removes',
      idempotentHint: effect !== 'adds',
      openWorldHint: effect === 'asks',
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
