/**
 * A compaction with a summary: what a memory covers is dropped, and a language model summarises the rest of what is dropped. What
 * survives does so word for word, and is not summarised. All or nothing: nothing is archived unless the summary is made.
 */
import { DEFAULT_TARGET_RATIO } from '../compaction/compact.ts';
import { ChittaError } from '../errors.ts';
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { ChatModel } from '../ports/chat-model.ts';
import type { MemoryStore } from '../ports/memory.ts';
import type { CompactParams } from '../protocol/compact-params.ts';
import type { CompactResult, Decision } from '../protocol/compact-result.ts';
import { summaryMessage } from '../summarize/assemble.ts';
import { budgetOf } from '../summarize/budget.ts';
import type { CompactionEvent } from '../summarize/events.ts';
import { Masker } from '../summarize/source.ts';
import { estimateMessageTokens, estimateViewTokens } from '../tokens/message.ts';
import { type CompactDeps, compactChecked } from './compact.ts';
import { writeSummary } from './write-summary.ts';

/** Of the budget, what the summary may take, and tokens that it never takes more of. */
const SUMMARY_SHARE = 0.25;
const MAX_SUMMARY_TOKENS = 4_096;
/** Fewer tokens hold no summary in its fixed structure. */
const MIN_SUMMARY_TOKENS = 128;
/** Fewer dropped messages are not worth a request. */
const MIN_DROPPED = 4;

export interface CompactSummaryOptions {
  readonly model: ChatModel;
  readonly window?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
}

type Later = (() => Promise<void>)[];

/** The store, but that what it is to archive waits. */
function deferring(memory: CompactDeps['memory'], later: Later): CompactDeps['memory'] {
  if (memory === undefined) return undefined;
  const archive: MemoryStore['archive'] = async (turns, ms) => void later.push(() => memory.archive(turns, ms));
  return { ...memory, archive };
}

/** Dropped without being kept in any other way. */
function isLost({ action, reason }: Decision): boolean {
  return action === 'drop' && reason !== 'covered' && reason !== 'kept-elsewhere' && reason !== 'own-mark';
}

function withSummary(survivors: readonly Message[], summary: Message): Message[] {
  const leading = survivors.findIndex((message) => viewOf(message).role !== 'system');
  const at = leading < 0 ? survivors.length : leading;
  return [...survivors.slice(0, at), summary, ...survivors.slice(at)];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/**
 * Compacts checked parameters, and summarises what neither survives nor is covered; `query` is what the summary keeps in full detail.
 * The summary is within the budget: a quarter of it at most. With fewer than 4 such messages there is none. Rejects as `compactChecked`
 * and `summarize` do.
 */
export async function compactAndSummarize(
  params: CompactParams,
  deps: CompactDeps,
  { model, window: given, signal, onEvent = () => undefined }: CompactSummaryOptions,
): Promise<CompactResult> {
  if (params.distillNovel === true) {
    throw new ChittaError('E_PARAM_INVALID', 'distill_novel: not together with a summary', { field: 'distill_novel' });
  }
  const { messages } = params;
  const views = messages.map(viewOf);
  const price = deps.countTokens ?? estimateMessageTokens;
  const total = messages.reduce((sum, message) => sum + price(message), 0);
  const target =
    params.budgetTokens ?? Math.floor(total * (params.targetRatio ?? deps.targetRatio ?? DEFAULT_TARGET_RATIO));
  const reserved = Math.min(MAX_SUMMARY_TOKENS, Math.floor(target * SUMMARY_SHARE));
  if (reserved < MIN_SUMMARY_TOKENS) {
    throw new ChittaError('E_SUMMARY', `a budget of ${target} tokens has no room for a summary`, {
      hint: 'a larger --budget or --ratio, or no --summarize',
    });
  }
  const window = given ?? model.contextWindow;
  const budget = budgetOf(window, params.query === undefined ? undefined : new Masker().clean(params.query), reserved);
  const later: Later = [];
  const asked = { ...params, budgetTokens: target - reserved, explain: true };
  const { decisions = [], ...compacted } = await compactChecked(asked, {
    ...deps,
    memory: deferring(deps.memory, later),
  });
  const archive = async (): Promise<void> => {
    try {
      for (const write of later) await write();
    } catch (error) {
      // The caller's own copy is still there.
      deps.log?.(`error: dropped turns were not archived: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const explained = params.explain === true ? { decisions } : {};
  const lost = decisions.filter(isLost).map(({ index }) => index);
  if (lost.length < MIN_DROPPED) {
    await archive();
    return { ...compacted, ...explained };
  }
  let written;
  try {
    written = await writeSummary({
      messages,
      views,
      tokens: views.map(estimateViewTokens),
      shown: lost,
      standsFor: lost,
      earlier: undefined,
      model,
      budget,
      signal,
      onEvent,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onEvent({ type: 'failed', reason, cancelled: signal?.aborted === true });
    throw error;
  }
  const summary = summaryMessage(written.text);
  const tokens = price(summary);
  const { stats } = compacted;
  const after = stats.after_tokens + tokens;
  if (after >= stats.before_tokens) {
    const reason = `the summary would make the conversation no smaller: ${stats.before_tokens} tokens before, ${after} after`;
    onEvent({ type: 'failed', reason, cancelled: false });
    throw new ChittaError('E_SUMMARY', reason);
  }
  await archive();
  onEvent({ type: 'done', messages: lost.length, freed: stats.before_tokens - after, reused: false });
  const { chunks, requests, checked, unverified, unverifiedRate, missingSections } = written.figures;
  return {
    messages: withSummary(compacted.messages, summary),
    stats: {
      ...stats,
      after_tokens: after,
      dropped_pct: round((100 * (stats.before_tokens - after)) / stats.before_tokens),
      over_budget: after > target,
      summary: {
        model: model.name,
        summarised: lost.length,
        tokens,
        chunks,
        requests,
        checked,
        unverified,
        unverified_rate: unverifiedRate,
        missing_sections: missingSections,
      },
    },
    ...explained,
  };
}
