/** Collects what was scored and sums it up: by method and ratio, over transcripts. */
import { REFERENCE_METHOD } from './methods.ts';
import type { Score, Scored } from './score.ts';
import { type Estimate, estimate, type Observation } from './statistics.ts';

/** One run of one method on one episode. */
export interface Run {
  readonly method: string;
  readonly ratio: number;
  readonly transcript: number;
  /** Numbered over all transcripts. */
  readonly episode: number;
  readonly scored: Scored;
  readonly contextTokens: number;
  readonly tookMs: number;
}

export type Measure = keyof Score;

export interface MethodSummary {
  readonly method: string;
  readonly ratio: number;
  /** Shares, 0–1; absent where no episode had enough of it. */
  readonly measures: Readonly<Partial<Record<Measure, Estimate>>>;
  /** Mean difference of the composite to the reference method on the same episodes. */
  readonly difference: Estimate | undefined;
  /** Outputs that were no valid request, and that were too large: all they held counted as lost. */
  readonly invalid: number;
  readonly overBudget: number;
  readonly msPer100kTokens: number;
}

const MEASURES: readonly Measure[] = [
  'composite',
  'ids',
  'idsOld',
  'idsCommon',
  'idsLoose',
  'idsInReach',
  'prose',
  'editLines',
  'editsWhole',
  'editLinesInReach',
  'errors',
  'failures',
  'constraints',
  'fill',
];

function observationsOf(runs: readonly Run[], measure: Measure): Observation[] {
  return runs.map(({ transcript, scored }) => ({ transcript, value: scored.score[measure] }));
}

/** Difference of each run to the reference on its episode; absent where one of them has no composite. */
function differences(runs: readonly Run[], reference: ReadonlyMap<number, number>): Observation[] {
  return runs.map(({ transcript, episode, scored }) => {
    const [own, other] = [scored.score.composite, reference.get(episode)];
    return { transcript, value: own === null || other === undefined ? null : own - other };
  });
}

export class Tally {
  /** Runs by ratio, then by method, in the order they came. */
  readonly #runs = new Map<number, Map<string, Run[]>>();

  add(run: Run): void {
    const byMethod = this.#runs.get(run.ratio) ?? new Map<string, Run[]>();
    this.#runs.set(run.ratio, byMethod);
    const runs = byMethod.get(run.method);
    if (runs === undefined) byMethod.set(run.method, [run]);
    else runs.push(run);
  }

  /** One summary for each method and ratio. */
  summaries(): MethodSummary[] {
    return [...this.#runs.values()].flatMap((byMethod) => {
      const reference = new Map<number, number>();
      for (const { episode, scored } of byMethod.get(REFERENCE_METHOD) ?? []) {
        if (scored.score.composite !== null) reference.set(episode, scored.score.composite);
      }
      return [...byMethod.values()].map((runs) => summaryOf(runs, reference));
    });
  }
}

function summaryOf(runs: readonly Run[], reference: ReadonlyMap<number, number>): MethodSummary {
  const sum = (valueOf: (run: Run) => number): number => runs.reduce((total, run) => total + valueOf(run), 0);
  const measures: Partial<Record<Measure, Estimate>> = {};
  for (const measure of MEASURES) {
    const found = estimate(observationsOf(runs, measure));
    if (found !== undefined) measures[measure] = found;
  }
  const [first] = runs;
  const method = first?.method ?? '';
  return {
    method,
    ratio: first?.ratio ?? 0,
    measures,
    difference: method === REFERENCE_METHOD ? undefined : estimate(differences(runs, reference)),
    invalid: sum(({ scored }) => (scored.fault === undefined ? 0 : 1)),
    overBudget: sum(({ scored }) => (scored.overBudget ? 1 : 0)),
    msPer100kTokens: (sum(({ tookMs }) => tookMs) / sum(({ contextTokens }) => contextTokens)) * 100_000,
  };
}
