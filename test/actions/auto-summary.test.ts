import { describe, expect, test } from 'vitest';
import { summarizeIfCritical } from '../../src/actions/auto-summary.ts';
import type { Message } from '../../src/messages/types.ts';
import type { CompactionEvent } from '../../src/summarize/events.ts';
import { pressureOf } from '../../src/summarize/pressure.ts';
import { scriptedModel, structured } from '../summarize/scripted.ts';

const history = Array.from({ length: 6 }, (_, turn): Message[] => [
  { role: 'user', content: `prompt ${turn} ${'word '.repeat(200)}`, uuid: `u${turn}` },
  { role: 'assistant', content: 'ok', uuid: `a${turn}` },
]).flat();

describe('critical pressure', () => {
  test.each([
    [{ window: 100_000, usedTokens: 86_313, estimatedTokens: 0 }, true, 'provider'],
    [{ window: 100_000, usedTokens: 86_312, estimatedTokens: 99_999 }, false, 'provider'],
    [{ window: 100_000, estimatedTokens: 86_313 }, true, 'estimate'],
    [{ window: 100_000, usedTokens: 0, estimatedTokens: 10 }, false, 'estimate'],
    [{ window: 100_000, responseTokens: 20_000, estimatedTokens: 72_000 }, true, 'estimate'],
    [{ window: undefined, usedTokens: 1e9, estimatedTokens: 1e9 }, false, 'provider'],
    [{ window: 1_000, estimatedTokens: 0 }, true, 'estimate'],
    [{ window: 100_000, usedTokens: Number.NaN, estimatedTokens: 90_000 }, true, 'estimate'],
    [{ window: 100_000, usedTokens: -1, estimatedTokens: 90_000 }, true, 'estimate'],
    [{ window: 100_000, usedTokens: Infinity, estimatedTokens: 10 }, false, 'estimate'],
  ])('of %o is %s', (input, isCritical, source) => {
    expect(pressureOf({ usedTokens: undefined, ...input })).toMatchObject({ isCritical, source });
  });

  test.each([
    [false, 10_000, 0],
    [true, 1_000, 0],
    [true, 10_000, 1],
    // No count: what it weighs by estimate is more than nine tenths of what the answer leaves.
    [true, 0, 1],
    [true, Number.NaN, 1],
  ])(
    'with autoSummarize %s and %d tokens used, %i summaries are asked for',
    async (autoSummarize, usedTokens, count) => {
      const model = scriptedModel([structured('x')]);
      const result = await summarizeIfCritical(history, {
        model,
        autoSummarize,
        pressure: { window: 12_000, usedTokens, responseTokens: usedTokens > 0 ? undefined : 10_500 },
      });
      expect([result === undefined ? 0 : 1, model.asked.length]).toEqual([count, count]);
    },
  );

  test('a failure does not fail the turn, and is an event', async () => {
    const events: CompactionEvent[] = [];
    const options = {
      autoSummarize: true,
      pressure: { window: 1_000 },
      onEvent: (event: CompactionEvent) => events.push(event),
    };
    expect(
      await summarizeIfCritical(history, { ...options, model: scriptedModel([new Error('down')]) }),
    ).toBeUndefined();
    expect(events.at(-1)).toEqual({ type: 'failed', reason: 'down', cancelled: false });
  });
});
