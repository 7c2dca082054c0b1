/** Runs methods on the episodes of one transcript. */
import type { Message } from '../messages/types.ts';
import type { Method } from './baselines.ts';
import { cutsOf, queryOf } from './episodes.ts';
import type { Reading } from './reading.ts';
import { Scorer } from './score.ts';
import type { Run } from './tally.ts';
import type { TokenCounter } from './tokens.ts';
import { truthOf } from './truth.ts';

export interface RunOptions {
  readonly methods: Readonly<Record<string, readonly Method[]>>;
  readonly ratios: readonly number[];
  readonly counter: TokenCounter;
  readonly reading: Reading;
  readonly isGuessable: (identifier: string) => boolean;
  /** Milliseconds of any clock that goes on evenly. */
  readonly now: () => number;
}

/** What a run says besides whose it is. `episode` counts within these segments. */
export type OwnRun = Omit<Run, 'transcript'>;

/** Scores each method at each ratio on each episode of a transcript's segments, one after the other. */
export function* runsOf(segments: readonly (readonly Message[])[], options: RunOptions): Generator<OwnRun> {
  let episode = 0;
  for (const messages of segments) {
    for (const cut of cutsOf(messages, options.counter)) {
      yield* runsOfEpisode(messages.slice(0, cut), messages.slice(cut), episode, options);
      episode += 1;
    }
  }
}

function* runsOfEpisode(
  context: readonly Message[],
  future: readonly Message[],
  episode: number,
  options: RunOptions,
): Generator<OwnRun> {
  const { methods, ratios, counter, reading, now } = options;
  const truth = truthOf(context, future, options);
  const scorer = new Scorer(context, truth, reading, counter);
  const query = queryOf(context);
  const { contextTokens } = truth;
  for (const ratio of ratios) {
    const budget = Math.floor(contextTokens * ratio);
    for (const [method, runs] of Object.entries(methods)) {
      for (const run of runs) {
        const startedAt = now();
        const output = run(context, query, budget, counter);
        const tookMs = now() - startedAt;
        yield { method, ratio, episode, scored: scorer.score(output, budget), contextTokens, tookMs };
      }
    }
  }
}
