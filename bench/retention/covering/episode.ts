/** What memories free and cost in one episode: the same compaction with what they hold counted in full, in part, and not at all. */
import { compactMessages } from '../../../src/compaction/compact.ts';
import { queryOf } from '../../../src/evaluation/episodes.ts';
import { blocksOf, lineOf, type Reading } from '../../../src/evaluation/reading.ts';
import { type Score, Scorer } from '../../../src/evaluation/score.ts';
import type { TokenCounter } from '../../../src/evaluation/tokens.ts';
import type { Truth } from '../../../src/evaluation/truth.ts';
import type { Message } from '../../../src/messages/types.ts';
import { needWith } from '../../../src/need/need.ts';
import { namesIn } from './memories.ts';

/** As if there were no memory: what the other factors are compared with. */
export const IGNORED = 1;

export interface Memories {
  /** What this set of memories is called. */
  readonly name: string;
  /** All that is stored. */
  readonly stored: readonly string[];
  /** What the compaction was told of. */
  readonly found: readonly string[];
}

export interface EpisodeTools {
  readonly reading: Reading;
  readonly counter: TokenCounter;
  readonly ratios: readonly number[];
  /** Besides `IGNORED`, which is always measured. */
  readonly factors: readonly number[];
}

export interface Outcome {
  readonly memories: string;
  readonly ratio: number;
  readonly factor: number;
  /** What the compacted context holds. */
  readonly kept: Score;
  /** What it holds together with all that is stored. */
  readonly reached: Score;
  /** Share of the budget that goes to lines a memory has: word for word, or each name in them. */
  readonly coveredShare: number;
  readonly flawed: boolean;
}

/** What is stored, as a message in front: it is scored by the same rule as what is kept, so a list of names holds nothing. */
function recalled(stored: readonly string[]): Message[] {
  return stored.length === 0 ? [] : [{ role: 'user', content: [{ type: 'text', text: stored.join('\n') }] }];
}

/** Tokens of the lines of a context that memories have. */
export function coveredTokens(
  messages: readonly Message[],
  stored: readonly string[],
  { reading, counter }: Pick<EpisodeTools, 'reading' | 'counter'>,
): number {
  const lines = new Set(stored.flatMap((text) => text.split('\n').map(lineOf)));
  const names = namesIn(stored, reading);
  const isCovered = (line: string): boolean => {
    if (lines.has(line)) return true;
    const own = reading.identifiers(line);
    return own.length > 0 && own.every(({ key }) => names.has(key));
  };
  let tokens = 0;
  for (const block of messages.flatMap(blocksOf)) {
    for (const line of reading.lines(block)) if (isCovered(line)) tokens += counter.text(line);
  }
  return tokens;
}

/** Measures an episode; throws where ignored memories change anything, for then nothing that is measured means anything. */
export function* outcomesOf(
  context: readonly Message[],
  truth: Truth,
  sets: readonly Memories[],
  tools: EpisodeTools,
): Generator<Outcome> {
  const { reading, counter, ratios, factors } = tools;
  const scorer = new Scorer(context, truth, reading, counter);
  const query = queryOf(context);
  const compact = (budgetTokens: number, factor: number, memories: readonly string[]): readonly Message[] =>
    compactMessages(context, {
      strategy: needWith(factor),
      detail: 'excerpt',
      query,
      budgetTokens,
      memories,
      countTokens: counter.message,
    }).messages;
  for (const ratio of ratios) {
    const budget = Math.floor(truth.contextTokens * ratio);
    const without = compact(budget, IGNORED, []);
    const keptWithout = scorer.score(without, budget);
    for (const { name, stored, found } of sets) {
      if (JSON.stringify(compact(budget, IGNORED, found)) !== JSON.stringify(without)) {
        throw new Error(`memories (${name}) change a compaction that ignores them`);
      }
      for (const factor of [IGNORED, ...factors]) {
        const output = factor === IGNORED ? without : compact(budget, factor, found);
        const { score, fault, overBudget } = factor === IGNORED ? keptWithout : scorer.score(output, budget);
        const flawed = fault !== undefined || overBudget;
        const both = flawed ? [] : [...recalled(stored), ...output];
        yield {
          memories: name,
          ratio,
          factor,
          kept: score,
          reached: scorer.score(both, Number.POSITIVE_INFINITY).score,
          coveredShare: coveredTokens(output, stored, tools) / Math.max(1, budget),
          flawed,
        };
      }
    }
  }
}
