/** What a compaction came to, in words. */
import { type Orphan, pairUp } from '../messages/pairs.ts';
import type { Message } from '../messages/types.ts';
import { viewOf } from '../messages/view.ts';
import type { CompactStats } from '../protocol/compact-result.ts';

/** A whole number with thousands separated by commas, the same everywhere. */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Tool calls with their results. */
export interface PairCount {
  /** Both halves survived. */
  readonly intact: number;
  /** At least one half survived. */
  readonly touched: number;
}

/** Counts the pairs that survive, also in excerpts, and the halves that lost the other. */
export function countPairs(messages: readonly Message[], survivors: readonly Message[]): PairCount {
  const nameOf = ({ id, half }: Orphan): string => `${half} ${id}`;
  const alone = new Set(pairUp(messages.map(viewOf)).orphans.map(nameOf));
  const { pairs, orphans } = pairUp(survivors.map(viewOf));
  const torn = orphans.filter((orphan) => !alone.has(nameOf(orphan))).length;
  return { intact: pairs.length, touched: pairs.length + torn };
}

/** One line: tokens before and after, share let go, messages kept in part, tool pairs, the list of what was dropped, time. */
export function totalsLine(stats: CompactStats, pairs: PairCount): string {
  return [
    `${grouped(stats.before_tokens)} → ${grouped(stats.after_tokens)} tokens`,
    `${stats.dropped_pct.toFixed(1)} % let go`,
    ...(stats.excerpted === 0 ? [] : [`${grouped(stats.excerpted)} in excerpts`]),
    ...(pairs.touched === 0 ? [] : [`${pairs.intact} of ${pairs.touched} tool pairs intact`]),
    ...(stats.pointer_tokens === 0 ? [] : [`list of ${grouped(stats.pointer_tokens)} tokens`]),
    `${stats.took_ms < 10 ? stats.took_ms : Math.round(stats.took_ms)} ms`,
  ].join(' · ');
}

/** What one can do about what is gone. */
export function hintsOf(
  { dropped, excerpted, pointer_tokens: pointerTokens }: CompactStats,
  explain: boolean,
): readonly string[] {
  const hints: string[] = [];
  if (pointerTokens > 0) hints.push('a list in front names dropped calls, each with the handle that brings it back');
  if (dropped + excerpted > 0) {
    hints.push(`bring one back: chitta show HANDLE --about WORD${explain ? '' : ' (handles: --explain)'}`);
  }
  return hints;
}

/** The totals and what stands behind them, a few lines. `kept` and `stats.dropped` count messages of the input. */
export function totals(stats: CompactStats, pairs: PairCount, kept: number): string {
  const { vectors, embedding, strategy } = stats;
  const excerpted = stats.excerpted === 0 ? '' : ` (${grouped(stats.excerpted)} in excerpts)`;
  const covered = stats.covered === 0 ? '' : `, ${grouped(stats.covered)} of them covered by memory`;
  const lines = [
    totalsLine(stats, pairs),
    `${grouped(kept)} messages kept${excerpted}, ${grouped(stats.dropped)} let go${covered}`,
    `strategy ${strategy} · ${embedding ? `vectors for ${vectors.used} of ${vectors.total} messages` : 'without vectors'}`,
  ];
  if (stats.over_budget) lines.push('over budget: what must stay is larger than the budget');
  return `${lines.join('\n')}\n`;
}
