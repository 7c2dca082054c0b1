/** Sums outcomes up over transcripts, each paired with the one of its episode that ignores the memories. */
import type { Score } from '../../../src/evaluation/score.ts';
import { type Estimate, estimate, type Observation } from '../../../src/evaluation/statistics.ts';
import { IGNORED, type Outcome } from './episode.ts';

/** Shares, 0–1; undefined where no episode says anything. */
export interface Summary {
  readonly memories: string;
  readonly ratio: number;
  readonly factor: number;
  readonly kept: Estimate | undefined;
  /** Of `kept`, against memories ignored. */
  readonly keptChange: Estimate | undefined;
  readonly reached: Estimate | undefined;
  readonly reachedChange: Estimate | undefined;
  readonly reachedIds: Estimate | undefined;
  readonly reachedIdsChange: Estimate | undefined;
  readonly covered: Estimate | undefined;
  /** Share of the budget that went to what memories have, and no longer does. */
  readonly freed: Estimate | undefined;
  readonly flawed: number;
}

interface Placed {
  readonly transcript: number;
  readonly outcome: Outcome;
  /** The outcome of its episode, budget and memories with factor 1. */
  readonly ignored: Outcome;
}

type Measure = (outcome: Outcome) => number | null;

const keptOf =
  (key: keyof Score): Measure =>
  (outcome) =>
    outcome.kept[key];
const reachedOf =
  (key: keyof Score): Measure =>
  (outcome) =>
    outcome.reached[key];

function summaryOf(placed: readonly [Placed, ...Placed[]]): Summary {
  const value = (measure: Measure): Estimate | undefined =>
    estimate(placed.map(({ transcript, outcome }): Observation => ({ transcript, value: measure(outcome) })));
  const change = (measure: Measure): Estimate | undefined =>
    estimate(
      placed.map(({ transcript, outcome, ignored }): Observation => {
        const [own, other] = [measure(outcome), measure(ignored)];
        return { transcript, value: own === null || other === null ? null : own - other };
      }),
    );
  const [{ outcome }] = placed;
  return {
    memories: outcome.memories,
    ratio: outcome.ratio,
    factor: outcome.factor,
    kept: value(keptOf('composite')),
    keptChange: change(keptOf('composite')),
    reached: value(reachedOf('composite')),
    reachedChange: change(reachedOf('composite')),
    reachedIds: value(reachedOf('ids')),
    reachedIdsChange: change(reachedOf('ids')),
    covered: value(({ coveredShare }) => coveredShare),
    freed: change(({ coveredShare }) => -coveredShare),
    flawed: placed.filter(({ outcome: { flawed } }) => flawed).length,
  };
}

export class Outcomes {
  readonly #groups = new Map<string, [Placed, ...Placed[]]>();

  /** Takes the outcomes of one episode; those with factor 1 come before the others of their budget and memories. */
  add(transcript: number, outcomes: Iterable<Outcome>): void {
    let ignored: Outcome | undefined;
    for (const outcome of outcomes) {
      if (outcome.factor === IGNORED) ignored = outcome;
      if (ignored?.ratio !== outcome.ratio || ignored.memories !== outcome.memories) {
        throw new Error('an outcome has nothing to be compared with');
      }
      const key = `${outcome.ratio} ${outcome.memories} ${outcome.factor}`;
      const placed = { transcript, outcome, ignored };
      const group = this.#groups.get(key);
      if (group === undefined) this.#groups.set(key, [placed]);
      else group.push(placed);
    }
  }

  summaries(): Summary[] {
    return [...this.#groups.values()].map(summaryOf);
  }
}
