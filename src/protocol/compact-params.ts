/** The parameters of compact_context on the wire (snake_case) and inside (camelCase): the one place that maps them. */
import * as z from 'zod';
import { DEFAULT_STRATEGY, DEFAULT_TARGET_RATIO, STRATEGIES } from '../compaction/compact.ts';
import type { Detail } from '../compaction/strategy.ts';
import { ChittaError } from '../errors.ts';
import { parseMessages } from '../messages/parse.ts';
import type { Message } from '../messages/types.ts';
import { checkedParams, paramsSchema } from './params.ts';

/** What a compaction is asked to do, checked. */
export interface CompactParams {
  readonly messages: readonly Message[];
  readonly query?: string | undefined;
  readonly targetRatio?: number | undefined;
  readonly budgetTokens?: number | undefined;
  readonly strategy?: string | undefined;
  readonly detail?: Detail | undefined;
  readonly distillNovel?: boolean | undefined;
  readonly explain?: boolean | undefined;
}

const MIN_RATIO = 0.05;
const MAX_RATIO = 1;

const wire = z.strictObject({
  messages: z.array(z.unknown()).describe('In Anthropic Messages or OpenAI chat shape.'),
  query: z.string().optional().describe('What the next step is about.'),
  target_ratio: z
    .number()
    .min(MIN_RATIO)
    .max(MAX_RATIO)
    .optional()
    .describe(`Share of the tokens to keep. Default ${DEFAULT_TARGET_RATIO}.`),
  budget_tokens: z.int().positive().optional().describe('Tokens to keep; goes before target_ratio.'),
  strategy: z.enum(Object.keys(STRATEGIES)).optional().describe(`Default ${DEFAULT_STRATEGY}.`),
  detail: z.enum(['whole', 'excerpt']).optional().describe('excerpt: long texts may survive in part. Default whole.'),
  distill_novel: z.boolean().optional().describe('Make memories of dropped turns that say something new.'),
  explain: z.boolean().optional().describe('Say why each message was kept or dropped.'),
});

/** JSON Schema of the parameters, for `tools/list`. */
export function compactParamsSchema(): Record<string, unknown> {
  return paramsSchema(wire);
}

/**
 * Checks parameters that came from outside. Throws E_PARAM_INVALID or E_MESSAGE_INVALID with `field` naming the
 * parameter: unknown ones, and those not supported yet, are errors too.
 */
export function parseCompactParams(value: unknown): CompactParams {
  const { messages, query, target_ratio, budget_tokens, strategy, detail, distill_novel, explain } = checkedParams(
    wire,
    value,
    'compact_context',
  );
  if (strategy === 'formula' && detail === 'excerpt') {
    throw new ChittaError('E_PARAM_INVALID', 'detail: the strategy formula keeps messages whole or not at all', {
      field: 'detail',
      hint: 'leave detail out, or choose the strategy need',
    });
  }
  return {
    messages: parseMessages(messages),
    query,
    targetRatio: target_ratio,
    budgetTokens: budget_tokens,
    strategy,
    detail,
    distillNovel: distill_novel,
    explain,
  };
}
