/** The compaction use case, the same behind the library, the command line, JSON-RPC and the hooks. */
import { compactMessages, DEFAULT_STRATEGY, STRATEGIES, type Compaction } from '../compaction/compact.ts';
import { COVERED_FROM } from '../compaction/formula.ts';
import { ChittaError } from '../errors.ts';
import { handleOf } from '../messages/handle.ts';
import { hasSearchText, searchTextOf } from '../messages/search-text.ts';
import type { Message, MessageView } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { MemoryStore, NovelStore } from '../ports/memory.ts';
import type { Scorer, VectorScores } from '../ports/scores.ts';
import type { CompactParams } from '../protocol/compact-params.ts';
import type { CompactResult } from '../protocol/compact-result.ts';
import { archiveTurns, type LeavingTurn } from './archive.ts';
import { decisionsOf } from './decisions.ts';
import type { NovelTurn } from './distill.ts';

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
  /** Where dropped turns go before the result is handed out; `distill_novel` needs the rest of it too. */
  readonly memory?: (MemoryStore & Partial<NovelStore>) | undefined;
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

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Scored {
  readonly scores: VectorScores;
  readonly used: number;
  readonly total: number;
}

/** Asks the scorer, and keeps only what the rules allow: similarity for all messages with text or for none. */
async function scoreMessages(
  params: CompactParams,
  strategy: string,
  views: readonly MessageView[],
  deps: CompactDeps,
  deadlineMs: number,
): Promise<Scored> {
  const total = views.filter(hasSearchText).length;
  if (deps.scorer === undefined) return { scores: {}, used: 0, total };
  const answer = await deps.scorer.score({
    texts: views.map(searchTextOf),
    // Only the formula weighs similarity.
    query: strategy === 'formula' ? params.query : undefined,
    sourceIds: params.messages.map(sourceIdOf),
    project: deps.project,
    deadlineMs,
  });
  const { similarity: likeness, coverage } = answer ?? {};
  const known = likeness ?? coverage ?? [];
  const used = views.filter((view, index) => hasSearchText(view) && known[index] !== undefined).length;
  const similarity = params.query !== undefined && likeness !== undefined && used === total ? likeness : undefined;
  return { scores: { similarity, coverage }, used, total };
}

/** Texts of memories that hold names of the conversation. A store that cannot tell is logged, and nothing is covered by it. */
async function readMemories(
  { messages }: CompactParams,
  views: readonly MessageView[],
  { memory, project, log }: CompactDeps,
  deadlineMs: number,
): Promise<readonly string[]> {
  const searchText = memory?.searchText?.bind(memory);
  if (searchText === undefined) return [];
  try {
    const { coveringTexts } = await import('./covering.ts');
    return await coveringTexts(views, { searchText }, { project, sourceIds: messages.map(sourceIdOf), deadlineMs });
  } catch (error) {
    log?.(`error: memories were not looked at: ${reasonOf(error)}`);
    return [];
  }
}

/** Whether vectors had a part in the choice: the formula weighs every number, `need` what a memory covers. */
function haveDecided(strategy: string, { similarity, coverage = [] }: VectorScores): boolean {
  if (strategy !== 'formula') return coverage.some((value) => value !== undefined && value >= COVERED_FROM);
  return similarity !== undefined || coverage.some((value) => value !== undefined);
}

/** What is dropped or shortened, with what is known of it. */
function droppedOf(
  messages: readonly Message[],
  views: readonly MessageView[],
  result: Compaction,
): (LeavingTurn & NovelTurn)[] {
  return result.verdicts.flatMap(({ item, choice }) => {
    const [message, view] = [messages[item.message], views[item.message]];
    if (choice.action === 'keep' || message === undefined || view === undefined) return [];
    return [{ message, view, tokens: item.tokens, sourceId: sourceIdOf(message), coverage: item.coverage }];
  });
}

/** Keeps what is dropped. A store that cannot take it is logged: the caller's own copy is still there. */
async function archiveDropped(dropped: readonly LeavingTurn[], deps: CompactDeps, deadlineMs: number): Promise<void> {
  if (deps.memory === undefined) return;
  try {
    await archiveTurns(dropped, deps.memory, { session: deps.session, project: deps.project, deadlineMs });
  } catch (error) {
    deps.log?.(`error: dropped turns were not archived: ${reasonOf(error)}`);
  }
}

function canRemember(memory: CompactDeps['memory']): memory is MemoryStore & NovelStore {
  return memory?.madeFrom !== undefined && memory.searchText !== undefined && memory.remember !== undefined;
}

/** The store that `distill_novel` writes to, if it was asked for. */
function novelStoreOf({ distillNovel: wanted }: CompactParams, { memory }: CompactDeps): NovelStore | undefined {
  if (wanted !== true) return undefined;
  if (canRemember(memory)) return memory;
  throw new ChittaError('E_PARAM_INVALID', 'distill_novel: there is no memory to store anything in', {
    field: 'distill_novel',
    hint: 'leave distill_novel out, or pass a memory that can remember',
  });
}

/** Makes memories of what is dropped. A store that cannot take them is logged. */
async function distillDropped(
  dropped: readonly NovelTurn[],
  store: NovelStore,
  deps: CompactDeps,
  timing: { readonly now: () => number; readonly deadlineMs: number },
): Promise<number> {
  try {
    const { distillNovel } = await import('./distill.ts');
    return await distillNovel(dropped, store, { session: deps.session, project: deps.project, ...timing });
  } catch (error) {
    deps.log?.(`error: dropped turns were not distilled: ${reasonOf(error)}`);
    return 0;
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
  const novelStore = novelStoreOf(params, deps);
  const { messages } = params;
  const views = messages.map(viewOf);
  // The database is read while the daemon thinks.
  const [{ scores, used, total }, memories] = await Promise.all([
    scoreMessages(params, name, views, deps, deadlineMs),
    name === 'need' ? readMemories(params, views, deps, deadlineMs) : [],
  ]);
  const compaction = compactMessages(messages, {
    ...scores,
    memories,
    views,
    strategy,
    detail: params.detail,
    query: params.query,
    budgetTokens: params.budgetTokens,
    targetRatio: params.targetRatio ?? deps.targetRatio,
    countTokens: deps.countTokens,
    pinned: deps.pinned,
  });
  const dropped = droppedOf(messages, views, compaction);
  await archiveDropped(dropped, deps, deadlineMs);
  const distilled = novelStore && (await distillDropped(dropped, novelStore, deps, { now, deadlineMs }));
  const { beforeTokens, afterTokens } = compaction;
  return {
    messages: compaction.messages,
    stats: {
      before_tokens: beforeTokens,
      after_tokens: afterTokens,
      dropped: compaction.dropped,
      dropped_pct: beforeTokens === 0 ? 0 : round((100 * (beforeTokens - afterTokens)) / beforeTokens),
      embedding: haveDecided(name, scores),
      vectors: { used, total },
      over_budget: compaction.overBudget,
      strategy: name,
      covered: compaction.covered,
      excerpted: compaction.excerpted,
      pointer_tokens: compaction.pointerTokens,
      ...(distilled === undefined ? {} : { distilled }),
      took_ms: round(now() - startedAt),
    },
    ...(params.explain === true ? { decisions: decisionsOf(messages, views, compaction, memories) } : {}),
  };
}

/**
 * compact_context: keeps the messages that matter, verbatim, within a budget.
 *
 * `params` as documented in docs/json-output.md: `messages` and, optionally, `query`, `target_ratio`, `budget_tokens`,
 * `strategy`, `detail`, `distill_novel`, `explain`. Rejects with E_PARAM_INVALID or E_MESSAGE_INVALID naming the field.
 */
export async function compactContext(params: unknown, deps: CompactDeps = {}): Promise<CompactResult> {
  // The validator is the heaviest import here; callers with checked parameters go without it.
  const { parseCompactParams } = await import('../protocol/compact-params.ts');
  return compactChecked(parseCompactParams(params), deps);
}
