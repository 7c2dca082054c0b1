/** The `formula` strategy: units by the token-weighted mean score of their messages, whole, as many as fit. */
import { formulaScore } from '../scoring/formula.ts';
import { selectUnits } from './select.ts';
import { beginningDemand, type Demand, givesUpTooMuch, isBarred, unitSurvival, withBeginnings } from './beginning.ts';
import type { Chosen, Item, Reason, Strategy, StrategyInput } from './strategy.ts';

/** From here on the memory is said to cover a message: what is dropped with it can be got back from there. */
export const COVERED_FROM = 0.75;

interface UnitSum {
  tokens: number;
  weighted: number;
  plain: number;
  count: number;
  newest: number;
  protected: boolean;
  onlyMarks: boolean;
}

function sumUnits(items: readonly Item[], scores: readonly number[]): Map<number, UnitSum> {
  const units = new Map<number, UnitSum>();
  items.forEach((item, index) => {
    let unit = units.get(item.unit);
    if (unit === undefined) {
      unit = { tokens: 0, weighted: 0, plain: 0, count: 0, newest: 0, protected: false, onlyMarks: true };
      units.set(item.unit, unit);
    }
    const score = scores[index] ?? 0;
    unit.tokens += item.tokens;
    unit.weighted += score * item.tokens;
    unit.plain += score;
    unit.count += 1;
    unit.newest = index;
    unit.protected ||= item.protectedBy !== undefined;
    unit.onlyMarks &&= item.ownMark;
  });
  return units;
}

/** Units that survive, and those of them that are there so that something begins as it must. */
interface ChosenUnits {
  readonly kept: ReadonlySet<number>;
  readonly held: ReadonlySet<number>;
  readonly demands: readonly Demand[];
  readonly tokens: number;
}

function reasonOf(item: Item, kept: boolean, isHeld: boolean): Reason {
  if (kept) return item.protectedBy ?? (isHeld ? 'opening' : 'within-budget');
  if (item.ownMark) return 'own-mark';
  return item.coverage >= COVERED_FROM ? 'covered' : 'over-budget';
}

/** See `formulaScore` for the terms; units stay whole whatever the detail. chitta's own marks score 0 and only stay where room is left. */
export const formula: Strategy = ({ messages, items, budgetTokens }: StrategyInput): Chosen => {
  const scores = items.map((item) => (item.ownMark ? 0 : formulaScore(item.roleWeight, item)));
  const units = sumUnits(items, scores);
  const choose = (demands: readonly Demand[]): ChosenUnits => {
    const held = new Set(demands.map(({ hold }) => items[hold]!.unit));
    const barred = new Set(items.filter(({ message }) => isBarred(message, demands)).map(({ unit }) => unit));
    const candidates = [...units].map(([unit, sum]) => ({
      tokens: sum.tokens,
      // A counter that prices everything at nothing leaves no weights: the plain mean stands in.
      score: sum.tokens > 0 ? sum.weighted / sum.tokens : sum.plain / sum.count,
      protected: sum.protected || held.has(unit),
      barred: barred.has(unit),
      last: sum.onlyMarks,
      newest: sum.newest,
    }));
    const survives = selectUnits(candidates, budgetTokens);
    const kept = new Set([...units.keys()].filter((_, index) => survives[index]));
    const tokens = candidates.reduce((sum, candidate, index) => sum + (survives[index] ? candidate.tokens : 0), 0);
    return { kept, held, demands, tokens };
  };
  const unmet = (chosen: ChosenUnits): Demand | undefined => {
    const isKept = (message: number): boolean => chosen.kept.has(items[message]!.unit);
    return beginningDemand({ messages, items }, unitSurvival(items, budgetTokens, isKept, chosen.demands));
  };
  const { kept, held } = withBeginnings(choose, unmet, (next, before) => givesUpTooMuch(next.tokens, before.tokens));
  const choices = items.map((item, index) => {
    const isKept = kept.has(item.unit);
    const action = isKept ? ('keep' as const) : ('drop' as const);
    return { action, reason: reasonOf(item, isKept, held.has(item.unit)), score: scores[index] ?? 0 };
  });
  return { choices };
};
