/** What a compaction came to, in words. */
import { pairUp } from '../messages/pairs.ts';
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

/** Counts the pairs of the input that the survivors (the same objects) hold, whole and in all. */
export function countPairs(messages: readonly Message[], survivors: readonly Message[]): PairCount {
  const kept = new Set(survivors);
  const isKept = messages.map((message) => kept.has(message));
  let intact = 0;
  let touched = 0;
  for (const { call, result } of pairUp(messages.map(viewOf)).pairs) {
    if (isKept[call] === true && isKept[result] === true) intact += 1;
    if (isKept[call] === true || isKept[result] === true) touched += 1;
  }
  return { intact, touched };
}

/** One line: tokens before and after, share let go, tool pairs, time. */
export function totalsLine(stats: CompactStats, pairs: PairCount): string {
  return [
    `${grouped(stats.before_tokens)} → ${grouped(stats.after_tokens)} tokens`,
    `${stats.dropped_pct.toFixed(1)} % let go`,
    ...(pairs.touched === 0 ? [] : [`${pairs.intact} of ${pairs.touched} tool pairs intact`]),
    `${stats.took_ms < 10 ? stats.took_ms : Math.round(stats.took_ms)} ms`,
  ].join(' · ');
}

/** The totals and what stands behind them, a few lines. `kept` and `stats.dropped` count messages. */
export function totals(stats: CompactStats, pairs: PairCount, kept: number): string {
  const { vectors, embedding, strategy } = stats;
  const covered = stats.covered === 0 ? '' : `, ${grouped(stats.covered)} of them covered by memory`;
  const lines = [
    totalsLine(stats, pairs),
    `${grouped(kept)} messages kept, ${grouped(stats.dropped)} let go${covered}`,
    `strategy ${strategy} · ${embedding ? `vectors for ${vectors.used} of ${vectors.total} messages` : 'without vectors'}`,
  ];
  if (stats.over_budget) lines.push('over budget: what must stay is larger than the budget');
  return `${lines.join('\n')}\n`;
}
