/** The benchmark of what memories free and cost: that it measures what it says, and cannot go wrong unseen. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  coveredTokens,
  IGNORED,
  type Memories,
  type Outcome,
  outcomesOf,
} from '../../bench/retention/covering/episode.ts';
import { memoriesOf, namesIn } from '../../bench/retention/covering/memories.ts';
import { Outcomes } from '../../bench/retention/covering/summary.ts';
import { compactMessages } from '../../src/compaction/compact.ts';
import { cutsOf } from '../../src/evaluation/episodes.ts';
import { blocksOf, Reading, stringsOf } from '../../src/evaluation/reading.ts';
import { tokenCounter } from '../../src/evaluation/tokens.ts';
import { truthOf } from '../../src/evaluation/truth.ts';
import type { Message } from '../../src/messages/types.ts';
import { need, needWith } from '../../src/need/need.ts';
import { estimateTokens } from '../../src/tokens/text.ts';
import { answer, call, prompt } from './session.ts';

/** The generator of the benchmark, which is a plain module. */
const generator = fileURLToPath(new URL('../../bench/retention/sessions.mjs', import.meta.url));
const { session }: { session: (options: object) => Message[] } = await import(
  /* @vite-ignore */ pathToFileURL(generator).href
);

const reading = new Reading();
const counter = tokenCounter(estimateTokens);
const whole = session({ seed: 3, count: 160 });
const [cut = 0] = cutsOf(whole, counter);
const context = whole.slice(0, cut);
const truth = truthOf(context, whole.slice(cut), { reading, counter, isGuessable: () => false });
const tools = { reading, counter, ratios: [0.1, 0.3], factors: [0.5, 0] };
const everyText = context.flatMap((message) => blocksOf(message).flatMap(stringsOf));
const drawn = (seed: number, share = 0.25): string[] =>
  memoriesOf(context, { share, seed, reading, counter }).map(({ text }) => text);

function set(name: string, stored: readonly string[], found = stored): Memories {
  return { name, stored, found };
}

function measured(...sets: readonly Memories[]): Outcome[] {
  return [...outcomesOf(context, truth, sets, tools)];
}

function summed(...sets: readonly Memories[]): ReturnType<Outcomes['summaries']> {
  const outcomes = new Outcomes();
  outcomes.add(0, measured(...sets));
  return outcomes.summaries();
}

test('the session has what is looked for', () => {
  expect(context.length).toBeGreaterThan(30);
  expect(truth.identifiers.length).toBeGreaterThan(3);
  expect(truth.editLines.length).toBeGreaterThanOrEqual(3);
});

describe('the factor', () => {
  const compact = (factor: number, memories: readonly string[], ratio: number, detail: 'whole' | 'excerpt'): unknown =>
    compactMessages(context, { strategy: needWith(factor), memories, targetRatio: ratio, detail }).messages;

  test.each(['whole', 'excerpt'] as const)('1 with memories is exactly as no memories, %s', (detail) => {
    for (const ratio of [0.1, 0.2, 0.4]) {
      expect(compact(IGNORED, everyText, ratio, detail)).toEqual(compact(IGNORED, [], ratio, detail));
      expect(compact(IGNORED, drawn(1), ratio, detail)).toEqual(compact(0.5, [], ratio, detail));
    }
  });

  test('of the strategy that users have is 0.5', () => {
    const asUsers = compactMessages(context, { strategy: need, memories: drawn(1), detail: 'excerpt' }).messages;
    expect(asUsers).toEqual(compact(0.5, drawn(1), 0.4, 'excerpt'));
    expect(asUsers).not.toEqual(compact(0, drawn(1), 0.4, 'excerpt'));
  });

  test('0 takes nothing that memories hold while there is anything else', () => {
    const names = (kind: string, n: number): string =>
      Array.from({ length: 8 }, (_, row) => `${kind}_${n}_${row} waits for ${kind}_worker_${n}_${row}`).join('\n');
    const mixed = [
      prompt('Find out who waits.'),
      ...Array.from({ length: 20 }, (_, n) =>
        call('Bash', { command: `show part${n}` }, names(n % 2 === 0 ? 'known' : 'other', n)),
      ).flat(),
      answer('Done so far.'),
      prompt('Go on.'),
    ];
    const memories = Array.from({ length: 20 }, (_, n) => names('known', n));
    const linesOf = (factor: number, kind: string): number => {
      const options = { strategy: needWith(factor), memories, targetRatio: 0.3, detail: 'excerpt' } as const;
      const kept = compactMessages(mixed, options).messages;
      return (
        kept
          .flatMap((message) => blocksOf(message).flatMap(stringsOf))
          .join('\n')
          .split(`${kind}_worker`).length - 1
      );
    };
    expect(linesOf(IGNORED, 'known')).toBeGreaterThan(12);
    expect(linesOf(IGNORED, 'other')).toBeLessThan(30);
    // A rest of room that nothing else fits into may hold one hunk of output.
    expect(linesOf(0, 'known')).toBeLessThanOrEqual(3);
    expect(linesOf(0, 'other')).toBeGreaterThan(30);
  });
});

describe('an episode', () => {
  test('without memories: every factor the same, and nothing freed', () => {
    for (const { keptChange, reachedChange, freed, covered } of summed(set('none', []))) {
      expect([keptChange, reachedChange, freed, covered].map((figure) => figure?.mean)).toEqual([0, 0, 0, 0]);
    }
  });

  test('memories that hold everything: all is reached whatever is kept, and all of it counts as covered', () => {
    for (const { reached, coveredShare, kept } of measured(set('all', everyText))) {
      expect(reached.composite).toBe(1);
      expect(kept.composite).toBeLessThan(1);
      expect(coveredShare).toBeGreaterThan(0.5);
    }
  });

  test('a list of names brings next to nothing back, though it covers', () => {
    const outcomes = measured(set('names', [[...namesIn(everyText, reading)].join(' ')]));
    for (const { reached, kept } of outcomes) expect(reached.ids).toBe(kept.ids);
    expect(outcomes.every(({ coveredShare }) => coveredShare > 0.2)).toBe(true);
    expect(outcomes.find(({ factor }) => factor === 0)?.kept).not.toEqual(outcomes[0]?.kept);
  });

  test('memories that were not found change nothing, but still can be reached', () => {
    const outcomes = measured(set('unseen', drawn(1, 0.5), []));
    for (const ratio of tools.ratios) {
      const own = outcomes.filter((outcome) => outcome.ratio === ratio);
      expect(new Set(own.map(({ kept }) => JSON.stringify(kept))).size).toBe(1);
    }
    expect(outcomes.some(({ reached, kept }) => (reached.ids ?? 0) > (kept.ids ?? 0))).toBe(true);
  });

  test('less of the budget goes to what memories hold, the lower the factor', () => {
    const shares = summed(set('some', drawn(1, 0.5))).filter(({ ratio }) => ratio === 0.1);
    expect(shares.map(({ factor }) => factor)).toEqual([1, 0.5, 0]);
    const [full, half, none] = shares.map(({ covered }) => covered?.mean ?? 0);
    expect(full).toBeGreaterThan(half!);
    expect(half).toBeGreaterThan(none!);
    expect(shares[2]?.freed?.mean).toBeCloseTo(full! - none!);
  });

  test('no output is flawed, and what is flawed would count as lost', () => {
    expect(summed(set('some', drawn(1))).map(({ flawed }) => flawed)).toEqual(Array(6).fill(0));
  });
});

test('an outcome without its counterpart at factor 1 is refused', () => {
  const [, half] = measured(set('some', drawn(1)));
  expect(() => new Outcomes().add(0, half === undefined ? [] : [half])).toThrow('nothing to be compared with');
});

test('lines are covered word for word or by all of their names, each as often as it stands', () => {
  const line = 'const lockHandle = acquireLock(path_a, 2500);';
  const messages = [prompt(`${line}\nplain words\n${line}\nreleaseLock(path_a) after lockHandle`)];
  const tokens = (stored: readonly string[]): number => coveredTokens(messages, stored, tools);
  expect(tokens([])).toBe(0);
  expect(tokens(['plain words'])).toBe(counter.text('plain words'));
  expect(tokens([line])).toBe(2 * counter.text(line));
  expect(tokens(['lockHandle'])).toBe(0);
});

describe('memories', () => {
  test('are the same for the same seed, and others for another', () => {
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
  });

  test('hold the share that was asked for, and more when more is asked for', () => {
    const held = [0.1, 0.25, 0.5].map((share) => drawn(1, share).length);
    expect(held.toSorted((a, b) => a - b)).toEqual(held);
    expect(new Set(held).size).toBe(3);
    expect(drawn(1, 0)).toEqual([]);
  });

  test('say only what the older part of the context says', () => {
    const older = new Set(
      context
        .slice(0, Math.floor(context.length * 0.9))
        .flatMap((message) => blocksOf(message).flatMap((block) => [...reading.lines(block)])),
    );
    const statements = drawn(1, 0.5).flatMap((text) => text.split('\n'));
    const foreign = statements.filter((line) => !older.has(line) && !/:$| holds /.test(line));
    expect(foreign.filter((line) => !everyText.some((text) => text.includes(line)))).toEqual([]);
    const newest = context.at(-2);
    expect(
      newest && reading.lines(blocksOf(newest)[0]!).some((line) => statements.includes(line) && !older.has(line)),
    ).toBe(false);
  });
});
