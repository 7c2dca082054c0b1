/** The `formula` strategy: units by the token-weighted mean score of their messages, whole, as many as fit. */
import { formulaScore } from '../scoring/formula.ts';
import { selectUnits } from './select.ts';
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

function reasonOf(item: Item, kept: boolean): Reason {
  if (kept) return item.protectedBy ?? 'within-budget';
  if (item.ownMark) return 'own-mark';
  return item.coverage >= COVERED_FROM ? 'covered' : 'over-budget';
}

/** See `formulaScore` for the terms; units stay whole whatever the detail. chitta's own marks score 0 and only stay where room is left. */
export const formula: Strategy = ({ items, budgetTokens }: StrategyInput): Chosen => {
  const scores = items.map((item) => (item.ownMark ? 0 : formulaScore(item.roleWeight, item)));
  const units = sumUnits(items, scores);
  const candidates = [...units.values()].map((unit) => ({
    tokens: unit.tokens,
    // A counter that prices everything at nothing leaves no weights: the plain mean stands in.
    score: unit.tokens > 0 ? unit.weighted / unit.tokens : unit.plain / unit.count,
    protected: unit.protected,
    last: unit.onlyMarks,
    newest: unit.newest,
  }));
  const kept = selectUnits(candidates, budgetTokens);
  const survives = new Map([...units.keys()].map((unit, index) => [unit, kept[index] === true]));
  const choices = items.map((item, index) => {
    const keep = survives.get(item.unit) === true;
    const action = keep ? ('keep' as const) : ('drop' as const);
    return { action, reason: reasonOf(item, keep), score: scores[index] ?? 0 };
  });
  return { choices };
};
