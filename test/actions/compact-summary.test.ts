import { describe, expect, test } from 'vitest';
import { compactAndSummarize } from '../../src/actions/compact-summary.ts';
import type { CompactDeps } from '../../src/actions/compact.ts';
import type { Message } from '../../src/messages/types.ts';
import type { Scorer } from '../../src/ports/scores.ts';
import type { ArchivedTurn } from '../../src/ports/turns.ts';
import type { CompactParams } from '../../src/protocol/compact-params.ts';
import type { CompactResult } from '../../src/protocol/compact-result.ts';
import type { CompactionEvent } from '../../src/summarize/events.ts';
import { estimateMessageTokens } from '../../src/tokens/message.ts';
import { looseHalves } from '../support/laws.ts';
import { type Reply, scriptedModel, type ScriptedModel, structured } from '../summarize/scripted.ts';

/** Steps that all hold something of their own, behind a system message. */
function conversation(steps: number): Message[] {
  const made = Array.from({ length: steps }, (_, step): Message[] => [
    { role: 'user', content: `look into src/part${step}.ts` },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `c${step}`, name: 'Read', input: { file_path: `/w/src/part${step}.ts` } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: `c${step}`,
          content: `export const value${step} = ${step + 1000};\n`.repeat(40),
        },
      ],
    },
    { role: 'assistant', content: `part${step} exports value${step}. ${'More words about it. '.repeat(30)}` },
  ]);
  return [{ role: 'system', content: 'Be careful.' }, ...made.flat()];
}

interface Outcome {
  readonly result: CompactResult | undefined;
  readonly error: unknown;
  readonly archived: readonly ArchivedTurn[];
  readonly events: readonly CompactionEvent[];
  readonly model: ScriptedModel;
}

async function compacted(
  params: Partial<CompactParams>,
  replies: readonly Reply[],
  { signal, scorer }: { readonly signal?: AbortSignal; readonly scorer?: Scorer } = {},
): Promise<Outcome> {
  const archived: ArchivedTurn[] = [];
  const events: CompactionEvent[] = [];
  const memory: CompactDeps['memory'] = {
    archive: async (turns) => void archived.push(...turns),
    recordEpisode: async () => undefined,
  };
  const model = scriptedModel(replies);
  const outcome = await compactAndSummarize(
    { messages: conversation(20), ...params },
    { memory, scorer },
    { model, signal, onEvent: (event) => events.push(event) },
  ).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  return { ...outcome, archived, events, model };
}

describe('a compaction with a summary', () => {
  test('stands behind the system messages and in front of what survives, within the budget', async () => {
    const messages = conversation(20);
    const { result, archived, events } = await compacted({ messages, targetRatio: 0.3 }, [
      structured('see src/part1.ts'),
    ]);
    const { stats, messages: after } = result!;
    expect(after[0]).toBe(messages[0]);
    expect(after[1]?.content).toMatch(/^\[CONVERSATION SUMMARY — \d+ messages compressed\]/);
    expect(stats.after_tokens).toBeLessThanOrEqual(0.3 * stats.before_tokens);
    expect(stats.over_budget).toBe(false);
    expect(looseHalves(after)).toEqual([]);
    expect(archived.length).toBeGreaterThan(0);
    expect(events.map(({ type }) => type)).toEqual(['started', 'stage', 'stage', 'stage', 'stage', 'done']);
  });

  test('tells the model what was dropped, and nothing of what survives', async () => {
    const { result, model } = await compacted({ targetRatio: 0.3 }, [structured('x')]);
    const survivors = result!.messages.flatMap(({ content }) =>
      typeof content === 'string' && content.startsWith('part') ? [content.slice(0, 24)] : [],
    );
    expect(survivors.length).toBeGreaterThan(0);
    expect(survivors.filter((text) => model.asked[0]?.prompt.includes(text))).toEqual([]);
    expect(result!.stats.summary?.summarised).toBeLessThanOrEqual(result!.stats.dropped);
  });

  test('has the query as its focus', async () => {
    const { model } = await compacted({ targetRatio: 0.3, query: 'the value of part3' }, [structured('x')]);
    expect(model.asked[0]?.prompt).toMatch(/kept in full detail[^]*the value of part3/);
  });

  test('is a quarter of the budget at most, and 4,096 tokens', async () => {
    const { result, model } = await compacted({ budgetTokens: 3_000 }, [structured('x')]);
    expect(model.asked[0]?.maxTokens).toBe(750);
    expect(result!.stats.after_tokens).toBeLessThanOrEqual(3_000);
    const messages = conversation(120);
    const large = await compacted({ messages, budgetTokens: 40_000 }, [structured('x')]);
    expect(large.model.asked[0]?.maxTokens).toBe(4_096);
  });

  test('says nothing of what a memory covers: that can be had back as it was', async () => {
    const messages = conversation(20);
    const coverage = messages.map(({ content }) => (/(?:part|value)3\b/.test(JSON.stringify(content)) ? 1 : 0));
    const scorer: Scorer = { score: async () => ({ coverage }) };
    const { result, model } = await compacted({ messages, targetRatio: 0.3, explain: true }, [structured('x')], {
      scorer,
    });
    const covered = result!.decisions!.filter(({ reason }) => reason === 'covered').map(({ index }) => index);
    expect(covered.length).toBeGreaterThan(0);
    expect(model.asked[0]?.prompt).toContain('value4');
    expect(model.asked[0]?.prompt).not.toMatch(/(?:part|value)3\b/);
  });

  test('asks nobody where fewer than 4 messages are dropped, and drops them all the same', async () => {
    const messages = conversation(40);
    const total = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    const { result, model } = await compacted({ messages, budgetTokens: total + 4_000 }, [new Error('asked')]);
    expect(model.asked).toEqual([]);
    expect(result!.stats.dropped).toBeGreaterThan(0);
    expect(result!.stats.dropped).toBeLessThan(4);
  });

  test('asks nobody where next to nothing is dropped', async () => {
    const { result, model } = await compacted({ targetRatio: 1, budgetTokens: 1_000_000 }, [new Error('asked')]);
    expect(model.asked).toEqual([]);
    expect(result!.stats.summary).toBeUndefined();
  });
});

describe('nothing is archived, and nothing comes of it', () => {
  test.each<[string, Partial<CompactParams>, readonly Reply[], string]>([
    ['after an empty answer', {}, [''], 'E_SUMMARY'],
    ['after an answer larger than what it stands for', {}, ['word '.repeat(100_000)], 'E_SUMMARY'],
    ['with a budget that has no room for a summary', { budgetTokens: 200 }, [structured('x')], 'E_SUMMARY'],
    ['together with distill_novel', { distillNovel: true }, [structured('x')], 'E_PARAM_INVALID'],
  ])('%s', async (_when, params, replies, code) => {
    const { error, archived } = await compacted(params, replies);
    expect(error).toMatchObject({ code });
    expect(archived).toEqual([]);
  });

  test('after a cancel', async () => {
    const { error, archived, events } = await compacted({}, [structured('x')], { signal: AbortSignal.abort() });
    expect(error).toMatchObject({ code: 'E_SUMMARY', message: expect.stringContaining('cancelled') });
    expect(archived).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'failed', cancelled: true });
  });
});
