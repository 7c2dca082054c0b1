/** The compaction use case, the same behind the library, the command line, JSON-RPC and the hooks. */
import { compactMessages, STRATEGIES, type Compaction } from '../compaction/compact.ts';
import { ChittaError } from '../errors.ts';
import { handleOf } from '../messages/handle.ts';
import { hasSearchText, searchTextOf } from '../messages/search-text.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { MemoryStore } from '../ports/memory.ts';
import type { Scorer, VectorScores } from '../ports/scores.ts';
import type { CompactParams } from '../protocol/compact-params.ts';
import type { CompactResult, Decision } from '../protocol/compact-result.ts';
import { archiveTurns, type LeavingTurn } from './archive.ts';

const DEFAULT_STRATEGY = 'formula';

/** How long vectors and the archive may take together with the rest of a command. */
const DEFAULT_DEADLINE_MS = 500;

/** What a compaction may lean on; all of it optional. */
export interface CompactDeps {
  /** Price of a message in tokens, where the caller has a tokenizer; the estimate otherwise. */
  readonly countTokens?: (message: Message) => number;
  /** Messages that must stay whatever the budget, such as a harness's plan. */
  readonly pinned?: (message: Message) => boolean;
  /** Similarity and coverage; without it 0.5 and 0. */
  readonly scorer?: Scorer | undefined;
  /** Where dropped turns go before the result is handed out. */
  readonly memory?: MemoryStore | undefined;
  /** Share of the tokens to keep where the caller names neither a share nor a budget. */
  readonly targetRatio?: number | undefined;
  readonly project?: string | undefined;
  readonly session?: string | undefined;
  readonly deadlineMs?: number | undefined;
  /** Milliseconds, for `took_ms`. */
  readonly now?: () => number;
  /** Told in one line what had to be done without. */
  readonly log?: (line: string) => void;
}

/** What a memory made from this message names as its source. */
function sourceIdOf(message: Message): string {
  const { uuid } = message;
  return typeof uuid === 'string' && uuid !== '' ? uuid : handleOf(message);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

interface Scored {
  readonly scores: VectorScores;
  readonly used: number;
  readonly total: number;
  readonly decided: boolean;
}

/** Asks the scorer, and keeps only what the rules allow: similarity for all messages with text or for none. */
async function scoreMessages(
  params: CompactParams,
  views: readonly MessageView[],
  deps: CompactDeps,
  deadlineMs: number,
): Promise<Scored> {
  const total = views.filter(hasSearchText).length;
  if (deps.scorer === undefined) return { scores: {}, used: 0, total, decided: false };
  const answer = await deps.scorer.score({
    texts: views.map(searchTextOf),
    query: params.query,
    sourceIds: params.messages.map(sourceIdOf),
    project: deps.project,
    deadlineMs,
  });
  const { similarity: likeness, coverage } = answer ?? {};
  const known = likeness ?? coverage ?? [];
  const used = views.filter((view, index) => hasSearchText(view) && known[index] !== undefined).length;
  const similarity = params.query !== undefined && likeness !== undefined && used === total ? likeness : undefined;
  const decided = similarity !== undefined || (coverage?.some((value) => value !== undefined) ?? false);
  return { scores: { similarity, coverage }, used, total, decided };
}

function decisionsOf(messages: readonly Message[], compaction: Compaction): Decision[] {
  return compaction.verdicts.map(({ item, choice }) => {
    const message = messages[item.message];
    return {
      index: item.message,
      role: message?.role ?? item.role,
      tokens: item.tokens,
      score: choice.score,
      recency: item.recency,
      sim: item.similarity,
      coverage: item.coverage,
      action: choice.action,
      reason: choice.reason,
      handle: message === undefined ? '' : handleOf(message),
    };
  });
}

/** Keeps what is dropped. A store that cannot take it is logged: the caller's own copy is still there. */
async function archiveDropped(
  messages: readonly Message[],
  views: readonly MessageView[],
  result: Compaction,
  deps: CompactDeps,
  deadlineMs: number,
): Promise<void> {
  if (deps.memory === undefined) return;
  const leaving = result.verdicts.flatMap(({ item, choice }): LeavingTurn[] => {
    const [message, view] = [messages[item.message], views[item.message]];
    if (choice.action !== 'drop' || message === undefined || view === undefined) return [];
    return [{ message, view, tokens: item.tokens }];
  });
  try {
    await archiveTurns(leaving, deps.memory, { session: deps.session, project: deps.project, deadlineMs });
  } catch (error) {
    deps.log?.(`error: dropped turns were not archived: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Compacts checked parameters. Survivors are the caller's own objects, in order; `dropped` counts messages,
 * `dropped_pct` tokens. Vectors that are absent, late or incomplete are done without, and the stats say so.
 */
export async function compactChecked(params: CompactParams, deps: CompactDeps = {}): Promise<CompactResult> {
  const now = deps.now ?? ((): number => performance.now());
  const startedAt = now();
  const deadlineMs = deps.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const name = params.strategy ?? DEFAULT_STRATEGY;
  const strategy = STRATEGIES[name];
  if (strategy === undefined) {
    throw new ChittaError('E_PARAM_INVALID', `strategy ${name} is not known`, {
      field: 'strategy',
      hint: `one of: ${Object.keys(STRATEGIES).join(', ')}`,
    });
  }
  const { messages } = params;
  const views = messages.map(viewOf);
  const { scores, used, total, decided } = await scoreMessages(params, views, deps, deadlineMs);
  const compaction = compactMessages(messages, {
    ...scores,
    views,
    strategy,
    budgetTokens: params.budgetTokens,
    targetRatio: params.targetRatio ?? deps.targetRatio,
    countTokens: deps.countTokens,
    pinned: deps.pinned,
  });
  await archiveDropped(messages, views, compaction, deps, deadlineMs);
  const { beforeTokens, afterTokens } = compaction;
  return {
    messages: compaction.messages,
    stats: {
      before_tokens: beforeTokens,
      after_tokens: afterTokens,
      dropped: messages.length - compaction.messages.length,
      dropped_pct: beforeTokens === 0 ? 0 : round((100 * (beforeTokens - afterTokens)) / beforeTokens),
      embedding: decided,
      vectors: { used, total },
      over_budget: compaction.overBudget,
      strategy: name,
      covered: compaction.covered,
      excerpted: 0,
      took_ms: round(now() - startedAt),
    },
    ...(params.explain === true ? { decisions: decisionsOf(messages, compaction) } : {}),
  };
}

/**
 * compact_context: keeps the messages that matter, verbatim, within a budget.
 *
 * `params` as documented in docs/json-output.md: `messages` and, optionally, `query`, `target_ratio`, `budget_tokens`,
 * `strategy`, `detail`, `explain`. Rejects with E_PARAM_INVALID or E_MESSAGE_INVALID naming the field.
 */
export async function compactContext(params: unknown, deps: CompactDeps = {}): Promise<CompactResult> {
  // The validator is the heaviest import here; callers with checked parameters go without it.
  const { parseCompactParams } = await import('../protocol/compact-params.ts');
  return compactChecked(parseCompactParams(params), deps);
}
