/**
 * The parameters of the tools, once: from here come the schemas that clients read and the checks of what they send. Those of
 * compact_context have a module of their own.
 */
import * as z from 'zod';
import type { MemoryKind } from '../ports/memories.ts';
import { KINDS } from './kinds.ts';
import { parseLineRange } from './line-range.ts';
import { checkedParams, paramsSchema } from './params.ts';

/** Characters of a question; longer ones say nothing that a search could use. */
const MAX_QUERY = 2_000;
/** Characters that a memory may have at most are fewer; this only keeps what is absurd from being looked at. */
const MAX_TEXT = 20_000;
const MAX_NAME = 200;
const MAX_HITS = 50;
const MAX_EPISODES = 100;
const MAX_AROUND = 10;
const MAX_BUDGET = 20_000;

const query = z.string().trim().min(1).max(MAX_QUERY);
const session = z.string().min(1).max(MAX_NAME);
const number = z.int().positive();

const recall = z.strictObject({
  query: query.describe('What you want to know, in words or names.'),
  limit: number.max(MAX_HITS).default(10),
  memories_only: z.boolean().default(false).describe('Leave out past turns.'),
});

const search = z.strictObject({
  query: query.describe('Any of these words; the best first.'),
  session: session.optional(),
  limit: number.max(MAX_HITS).default(10),
});

const show = z
  .strictObject({
    handle: z.string().max(MAX_NAME).optional().describe('Such as #k3v7q2a, or ticket:12.'),
    memory: number.optional().describe('Or the number of a memory.'),
    about: query.optional().describe('Only what stands around these words.'),
    lines: z
      .string()
      .refine((text) => parseLineRange(text) !== undefined, 'must be A-B, lines counted from 1')
      .optional()
      .describe('Only these lines, A-B.'),
    context: z.int().min(0).max(MAX_AROUND).default(0).describe('So many turns before and after.'),
  })
  .refine(({ handle, memory }) => (handle === undefined) !== (memory === undefined), {
    path: ['handle'],
    error: 'give a handle or a memory, and not both',
  });

const remember = z.strictObject({
  text: z.string().max(MAX_TEXT).describe('One statement that is understood without this conversation.'),
  kind: z.enum(KINDS).default(KINDS[0]),
  global: z.boolean().default(false).describe('For every project.'),
});

const forget = z.strictObject({ id: number });

const episodes = z.strictObject({
  session: session.optional(),
  limit: number.max(MAX_EPISODES).default(20),
});

const directives = z
  .strictObject({
    action: z.enum(['list', 'add', 'amend', 'revoke']).default('list'),
    text: z.string().max(MAX_TEXT).optional().describe('The rule.'),
    id: number.optional().describe('Which to amend or revoke.'),
    global: z.boolean().default(false).describe('For every project.'),
    all: z.boolean().default(false).describe('List also what no longer holds.'),
  })
  .refine(({ action, text }) => text !== undefined || (action !== 'add' && action !== 'amend'), {
    path: ['text'],
    error: 'is needed to add or amend',
  })
  .refine(({ action, id }) => id !== undefined || action === 'list' || action === 'add', {
    path: ['id'],
    error: 'is needed to amend or revoke',
  });

const hotContext = z.strictObject({
  focus: z.string().max(MAX_TEXT).optional().describe('What is worked on, a title a line; else read off the session.'),
  budget_tokens: number.max(MAX_BUDGET).optional().describe('Default 2000.'),
});

const why = z.strictObject({ session: session.optional() });

export interface RecallParams {
  readonly query: string;
  readonly limit: number;
  readonly memories_only: boolean;
}

export interface SearchParams {
  readonly query: string;
  readonly session?: string | undefined;
  readonly limit: number;
}

export interface ShowParams {
  /** Of a turn, or `ticket:N`. */
  readonly handle?: string | undefined;
  readonly memory?: number | undefined;
  readonly about?: string | undefined;
  readonly lines?: string | undefined;
  readonly context: number;
}

export interface RememberParams {
  readonly text: string;
  readonly kind: MemoryKind;
  readonly global: boolean;
}

export interface EpisodesParams {
  readonly session?: string | undefined;
  readonly limit: number;
}

export interface DirectivesParams {
  readonly action: 'list' | 'add' | 'amend' | 'revoke';
  readonly text?: string | undefined;
  readonly id?: number | undefined;
  readonly global: boolean;
  readonly all: boolean;
}

export interface HotContextParams {
  readonly focus?: string | undefined;
  readonly budget_tokens?: number | undefined;
}

/** Checked parameters by tool. */
export interface ToolParams {
  readonly recall: RecallParams;
  readonly search: SearchParams;
  readonly show: ShowParams;
  readonly remember: RememberParams;
  readonly forget: { readonly id: number };
  readonly episodes: EpisodesParams;
  readonly directives: DirectivesParams;
  readonly hot_context: HotContextParams;
  readonly why: { readonly session?: string | undefined };
}

/** A tool by its name; `compact_context` has its parameters in a file of its own. */
export type ToolName = keyof ToolParams | 'compact_context';

const DEFINITIONS: { readonly [Name in keyof ToolParams]: z.ZodObject & z.ZodType<ToolParams[Name]> } = {
  recall,
  search,
  show,
  remember,
  forget,
  episodes,
  directives,
  hot_context: hotContext,
  why,
};

/** JSON Schema of a tool's parameters, for `tools/list`. */
export function toolParamsSchema(name: keyof ToolParams): Record<string, unknown> {
  return paramsSchema(DEFINITIONS[name]);
}

/** Parameters from outside, with their defaults. Throws E_PARAM_INVALID naming the field. */
export function parseToolParams<Name extends keyof ToolParams>(name: Name, value: unknown): ToolParams[Name] {
  const definition: z.ZodObject & z.ZodType<ToolParams[Name]> = DEFINITIONS[name];
  return checkedParams(definition, value, name);
}
