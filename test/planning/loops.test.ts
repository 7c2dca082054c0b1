import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/messages/types.ts';
import { viewOf } from '../../src/messages/view.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { firstWords, type Format, type LoopOptions, playLoop, type Summariser } from '../support/agent-loop.ts';
import { LOOPS } from '../support/loops.ts';

const WINDOW = 8_192;
const LONGEST = '1,000 small steps';
const FORMATS: readonly Format[] = ['anthropic', 'openai'];
/** Steps of the longest that are played here; `npm run bench -- guard` plays all of them. */
const STEPS = 400;
const cases = LOOPS.map((loop) =>
  loop.name === LONGEST
    ? { ...loop, turns: loop.turns.map((turn) => ({ ...turn, steps: turn.steps.slice(0, STEPS) })) }
    : loop,
).flatMap((loop) =>
  // The longest in one format: its steps are all alike.
  FORMATS.slice(loop.name === LONGEST ? 1 : 0).map((format) => [loop.name, format, loop] as const),
);

const options = (format: Format, more: Partial<LoopOptions> = {}): LoopOptions => ({
  format,
  config: { contextWindow: WINDOW },
  summarise: firstWords,
  ...more,
});

describe.each(cases)('%s, %s', (name, format, loop) => {
  test('no request is larger than the window but those whose prompt alone is, and none is malformed', () => {
    const tally = playLoop(loop, options(format));
    expect(tally.problems).toEqual([]);
    expect(tally.over).toBe(tally.hopeless);
    expect(tally.hopeless > 0).toBe(name === 'a prompt that cannot fit');
    // Said once, however many steps it goes on.
    expect(new Set(tally.notices).size).toBe(tally.notices.length);
    expect(tally.summaries).toBeLessThan(tally.requests / 6);
    const { prune, summary, 'prune-tail': last } = tally.lost;
    expect(prune + summary + last).toBeLessThanOrEqual(tally.produced);
  });
});

const short = LOOPS.filter(({ name }) => name !== LONGEST);
/** Says everything again. */
function longWinded({ messages }: Parameters<Summariser>[0]): Message {
  return { role: 'user', content: `[CONVERSATION SUMMARY — ${messages.length}]\n${messages.map(saidIn).join('\n')}` };
}

function saidIn(message: Message): string {
  const { text, results } = viewOf(message);
  return [text, ...results.map((result) => result.text)].join('\n');
}

/** How it writes, and of how many requests one asks for a summary at most. */
const failures: [string, Summariser, number][] = [
  ['that always fails', () => undefined, 6],
  ['whose summaries are as long as what they stand for', longWinded, 3],
];

describe.each(failures)('a summariser %s', (_name, summarise, among) => {
  test.each(short.map((loop, at) => [loop.name, FORMATS[at % 2]!, loop] as const))(
    'fails no turn and is not asked at every step: %s, %s',
    (_loop, format, loop) => {
      const tally = playLoop(loop, options(format, { summarise }));
      expect(tally.problems).toEqual([]);
      expect(tally.summaries).toBeLessThan(Math.max(6, tally.requests / among));
    },
  );
});

test.each(short.map((loop, at) => [loop.name, FORMATS[at % 2]!, loop] as const))(
  'a provider that does not say what it counted changes nothing about that: %s, %s',
  (_loop, format, loop) => {
    const tally = playLoop(loop, options(format, { counts: false }));
    expect(tally.problems).toEqual([]);
    expect(tally.over).toBe(tally.hopeless);
  },
);

/** Each of the shorter loops, in one of the formats. */
const alternating = short.map((loop, at) => [loop, FORMATS[at % 2]!] as const);

test('without pruning beforehand, the last resort still keeps requests within the window', () => {
  for (const [loop, format] of alternating) {
    const tally = playLoop(loop, options(format, { config: { contextWindow: WINDOW, prune: false } }));
    expect([loop.name, tally.lost.prune, tally.over - tally.hopeless, tally.problems]).toEqual([loop.name, 0, 0, []]);
  }
});

test('what is switched off lets everything pass as it is', () => {
  const [loop] = LOOPS;
  const tally = playLoop(loop!, options('anthropic', { config: { contextWindow: WINDOW, auto: false } }));
  expect([tally.summaries, tally.lost, tally.over]).toEqual([0, { prune: 0, summary: 0, 'prune-tail': 0 }, 29]);
});

test.each([
  [1.1, 0],
  [1.25, 1],
  [1.5, 1],
])(
  'a provider that counts %f times what is estimated is learned of: over are %i at most, before that',
  (factor, most) => {
    for (const [loop, format] of alternating) {
      const count = (message: Message): number => Math.ceil(estimateMessageTokens(message) * factor);
      const tally = playLoop(loop, options(format, { count, checks: false }));
      expect([loop.name, tally.over - tally.hopeless > most]).toEqual([loop.name, false]);
    }
  },
);
