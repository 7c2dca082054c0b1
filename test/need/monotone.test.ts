/** A larger budget keeps no less of what was needed later: on generated sessions, and on recorded ones where there are some. */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cutsOf, queryOf } from '../../src/evaluation/episodes.ts';
import { METHODS } from '../../src/evaluation/methods.ts';
import { messagesOf } from '../../src/evaluation/normalise.ts';
import { Reading } from '../../src/evaluation/reading.ts';
import { Scorer } from '../../src/evaluation/score.ts';
import { type TokenCounter, tokenCounter } from '../../src/evaluation/tokens.ts';
import { truthOf } from '../../src/evaluation/truth.ts';
import type { Message } from '../../src/messages/types.ts';
import { estimateTokens } from '../../src/tokens/text.ts';
import { readSegments } from '../../src/transcript/segments.ts';

const RATIOS = [0.1, 0.2, 0.4];
const SMALL = 8;
const corpus = fileURLToPath(new URL('../../../shared/corpus/', import.meta.url));
const recorded = existsSync(corpus)
  ? readdirSync(corpus)
      .filter((name) => name.endsWith('.jsonl'))
      .slice(0, SMALL)
  : [];

/** Mean composite in points, 0–100, over the episodes of these sessions, for each ratio; undefined if there are none. */
function composites(sessions: readonly (readonly Message[])[], method: string): number[] | undefined {
  const counter: TokenCounter = tokenCounter(estimateTokens);
  const [run] = METHODS[method] ?? [];
  const scores: number[][] = RATIOS.map(() => []);
  for (const messages of sessions) {
    const reading = new Reading();
    for (const cut of cutsOf(messages, counter)) {
      const context = messages.slice(0, cut);
      const truth = truthOf(context, messages.slice(cut), { reading, counter, isGuessable: () => false });
      const scorer = new Scorer(context, truth, reading, counter);
      RATIOS.forEach((ratio, at) => {
        const budget = Math.floor(truth.contextTokens * ratio);
        const { score, overBudget, fault } = scorer.score(
          run?.(context, queryOf(context), budget, counter) ?? [],
          budget,
        );
        expect([overBudget, fault]).toEqual([false, undefined]);
        if (score.composite !== null) scores[at]?.push(score.composite * 100);
      });
    }
  }
  if (scores[0]?.length === 0) return undefined;
  return scores.map((list) => list.reduce((sum, score) => sum + score, 0) / list.length);
}

/** Where more room keeps less, by more than a point. */
function falls(means: readonly number[] | undefined): string[] {
  return (means ?? []).flatMap((mean, at, all) => {
    const before = all[at - 1] ?? 0;
    return mean >= before - 1 ? [] : [`${RATIOS[at]}: ${mean} after ${before}`];
  });
}

/** The generator of the benchmark, which is a plain module. */
async function generated(seed: number): Promise<Message[]> {
  const path = fileURLToPath(new URL('../../bench/retention/sessions.mjs', import.meta.url));
  const { session }: { session: (options: object) => Message[] } = await import(
    /* @vite-ignore */ pathToFileURL(path).href
  );
  return session({ seed, count: 200 });
}

describe.each(['need whole', 'need excerpt'])('%s', (method) => {
  test('generated sessions', async () => {
    const means = composites([await generated(1), await generated(2)], method);
    expect(means).toHaveLength(RATIOS.length);
    expect(falls(means)).toEqual([]);
  });

  test.skipIf(recorded.length === 0).each(recorded)(
    '%s (skipped where ../shared/corpus is not at hand)',
    async (name) => {
      const read = await readSegments(corpus + name);
      expect(falls(composites((read?.segments ?? []).map(messagesOf), method))).toEqual([]);
    },
  );
});
