/** An evaluation as programs get it: snake_case, shares in percent. */
import type { Measure, MethodSummary } from '../evaluation/tally.ts';
import type { Estimate } from '../evaluation/statistics.ts';
import type { Evaluation } from './evaluate.ts';

/** Names on the wire. */
const NAMES: Readonly<Record<Measure, string>> = {
  composite: 'composite',
  ids: 'ids',
  idsOld: 'ids_old',
  idsCommon: 'ids_common',
  idsLoose: 'ids_loose',
  idsInReach: 'ids_in_reach',
  prose: 'prose',
  editLines: 'edit_lines',
  editsWhole: 'edits_whole',
  editLinesInReach: 'edit_lines_in_reach',
  errors: 'errors',
  failures: 'failures',
  constraints: 'constraints',
  fill: 'fill',
};

const percent = (share: number): number => Math.round(share * 10_000) / 100;

function estimateJson(estimate: Estimate | undefined): Record<string, number> | null {
  if (estimate === undefined) return null;
  const { mean, low, high, transcripts } = estimate;
  return { mean: percent(mean), low: percent(low), high: percent(high), transcripts };
}

function summaryJson(summary: MethodSummary): Record<string, unknown> {
  const measures = Object.entries(NAMES).map(([measure, name]) => {
    // The table has every measure, and nothing else.
    return [name, estimateJson(summary.measures[measure as Measure])];
  });
  return {
    method: summary.method,
    ratio: summary.ratio,
    ...Object.fromEntries(measures),
    difference: estimateJson(summary.difference),
    invalid: summary.invalid,
    over_budget: summary.overBudget,
    ms_per_100k: Math.round(summary.msPer100kTokens * 10) / 10,
  };
}

/** See docs/json-output.md. */
export function evaluationJson(evaluation: Evaluation): Record<string, unknown> {
  const { skipped } = evaluation;
  return {
    transcripts: evaluation.transcripts,
    projects: evaluation.projects,
    episodes: evaluation.episodes,
    mean_context_tokens: Math.round(evaluation.meanContextTokens),
    guessable_known: evaluation.guessableKnown,
    skipped: {
      too_short: skipped.tooShort,
      foreign: skipped.foreign,
      damaged: skipped.damaged,
      unreadable: skipped.unreadable,
    },
    results: evaluation.summaries.map(summaryJson),
  };
}
