/** The same transcripts read by another implementation of the same definitions, where there is one beside the repository. */
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { cutsOf, queryOf } from '../../src/evaluation/episodes.ts';
import { METHODS } from '../../src/evaluation/methods.ts';
import { messagesOf } from '../../src/evaluation/normalise.ts';
import { Reading } from '../../src/evaluation/reading.ts';
import { Scorer } from '../../src/evaluation/score.ts';
import { estimate } from '../../src/evaluation/statistics.ts';
import { type TokenCounter, tokenCounter } from '../../src/evaluation/tokens.ts';
import { truthOf } from '../../src/evaluation/truth.ts';
import type { Message } from '../../src/messages/types.ts';
import { readSegments } from '../../src/transcript/segments.ts';

const beside = fileURLToPath(new URL('../../../shared/', import.meta.url));
const FILES = ['18-v2037-thinking-queue', '25-v2076-glued-line-404-entries', '82-v21232-korean-compact'];
const isThere = existsSync(`${beside}retention/lib/score.mjs`) && existsSync(`${beside}corpus`);
const where = isThere ? '' : ' (skipped: there are no ../shared/retention and ../shared/corpus)';

/** The other implementation, as far as it is used here. */
interface Other {
  readonly readSegments: (file: string) => Promise<{ messages: Message[]; tokens: number }[]>;
  readonly cutsOf: (segment: unknown) => { i: number }[];
  readonly queryOf: (context: readonly Message[]) => string;
  readonly truthOf: (context: readonly Message[], future: readonly Message[]) => { contextTokens: number };
  readonly score: (episode: { truth: unknown }, output: unknown, budget: number) => Record<string, number | null>;
  readonly composite: (score: unknown) => number | null;
  readonly keepLast: (messages: readonly Message[], query: string, budget: number) => Message[];
  readonly bm25: (messages: readonly Message[], query: string, budget: number) => Message[];
}

async function other(): Promise<Other> {
  const names = ['normalise', 'episodes', 'truth', 'score', 'compactors/baselines'];
  const modules: unknown[] = await Promise.all(
    names.map((name) => import(/* @vite-ignore */ pathToFileURL(`${beside}retention/lib/${name}.mjs`).href)),
  );
  // Untyped modules; what is missing or different shows as a failing comparison.
  return Object.assign({}, ...modules) as Other;
}

const counter: TokenCounter = tokenCounter((text) => countTokens(text));
const RATIOS = [0.1, 0.2, 0.4];

describe.skipIf(!isThere)(`another implementation of the benchmark${where}`, () => {
  test('cuts the same episodes, and scores keep-last, bm25 and the formula the same within a point', async () => {
    const theirs = await other();
    const [own, their] = [new Map<string, number[][]>(), new Map<string, number[][]>()];
    const note = (table: typeof own, key: string, transcript: number, value: number | null): void => {
      const byTranscript = table.get(key) ?? FILES.map(() => []);
      table.set(key, byTranscript);
      if (value !== null) byTranscript[transcript]?.push(value);
    };
    for (const [transcript, name] of FILES.entries()) {
      const path = `${beside}corpus/${name}.jsonl`;
      const [mine, reference] = [await readSegments(path), await theirs.readSegments(path)];
      const segments = (mine?.segments ?? []).map(messagesOf).filter(({ length }) => length > 0);
      expect(segments).toEqual(reference.map(({ messages }) => messages));
      const reading = new Reading();
      for (const [index, messages] of segments.entries()) {
        const cuts = cutsOf(messages, counter);
        expect(cuts).toEqual(theirs.cutsOf(reference[index]).map(({ i }) => i));
        for (const cut of cuts) {
          const [context, future] = [messages.slice(0, cut), messages.slice(cut)];
          const truth = truthOf(context, future, { reading, counter, isGuessable: () => false });
          const theirTruth = theirs.truthOf(context, future);
          expect(truth.contextTokens).toBe(theirTruth.contextTokens);
          const query = queryOf(context);
          expect(query).toBe(theirs.queryOf(context));
          const scorer = new Scorer(context, truth, reading, counter);
          for (const ratio of RATIOS) {
            const budget = Math.floor(truth.contextTokens * ratio);
            for (const method of ['keep-last', 'bm25', 'formula']) {
              const [run] = METHODS[method] ?? [];
              const output = run?.(context, query, budget, counter) ?? [];
              const theirOutput =
                method === 'keep-last'
                  ? theirs.keepLast(context, query, budget)
                  : method === 'bm25'
                    ? theirs.bm25(context, query, budget)
                    : output;
              const { score } = scorer.score(output, budget);
              const theirScore = theirs.score({ truth: theirTruth }, theirOutput, budget);
              const at = (name: string): string => `${method} ${ratio} ${name}`;
              note(own, at('composite'), transcript, score.composite);
              note(their, at('composite'), transcript, theirs.composite(theirScore));
              for (const [ours, alike] of [
                ['ids', 'ids'],
                ['editLines', 'edit'],
                ['editsWhole', 'editWhole'],
                ['constraints', 'con'],
                ['failures', 'fail'],
              ] as const) {
                note(own, at(ours), transcript, score[ours]);
                note(their, at(ours), transcript, theirScore[alike] ?? null);
              }
            }
          }
        }
      }
    }
    const meanOf = (table: readonly number[][] | undefined): number | undefined =>
      estimate((table ?? []).flatMap((values, transcript) => values.map((value) => ({ transcript, value }))))?.mean;
    expect(own.size).toBe(54);
    const apart = [...own.keys()].flatMap((key) => {
      const [mine, reference] = [meanOf(own.get(key)), meanOf(their.get(key))];
      if (mine === undefined && reference === undefined) return [];
      return Math.abs((mine ?? 0) - (reference ?? 2)) < 0.01 ? [] : [`${key}: ${mine} and ${reference}`];
    });
    expect(apart).toEqual([]);
  });
});
