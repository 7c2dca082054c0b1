import { describe, expect, test } from 'vitest';
import { compactContext, type CompactDeps } from '../../src/actions/compact.ts';
import { ChittaError } from '../../src/errors.ts';
import { handleOf } from '../../src/messages/handle.ts';
import type { MemoryStore } from '../../src/ports/memory.ts';
import type { ArchivedTurn } from '../../src/ports/turns.ts';
import type { Scorer, VectorScores } from '../../src/ports/scores.ts';

const messages = [
  { role: 'user', content: 'first: use port 8080', uuid: 'u-1', extra: true },
  { role: 'assistant', content: 'noted' },
  { role: 'user', content: 'last' },
];

const scorer = (answer: VectorScores | undefined): Scorer => ({ score: async () => answer });

function store(): { memory: MemoryStore; turns: ArchivedTurn[] } {
  const turns: ArchivedTurn[] = [];
  const memory: MemoryStore = {
    archive: async (rows) => {
      turns.push(...rows);
    },
    recordEpisode: async () => {},
  };
  return { memory, turns };
}

async function errorOf(params: unknown): Promise<string> {
  try {
    await compactContext(params);
  } catch (error) {
    if (error instanceof ChittaError) return `${error.code} ${error.field}`;
    throw error;
  }
  return 'no error';
}

const stats = async (params: object, deps: CompactDeps): Promise<object> =>
  (await compactContext({ messages, ...params }, deps)).stats;

describe('compact_context', () => {
  test('answers the survivors themselves and what was let go', async () => {
    const result = await compactContext({ messages, budget_tokens: 10 }, { countTokens: () => 10, now: () => 7 });
    expect(result.messages[0]).toBe(messages[2]);
    expect(result.stats).toEqual({
      before_tokens: 30,
      after_tokens: 10,
      dropped: 2,
      dropped_pct: 66.7,
      embedding: false,
      vectors: { used: 0, total: 3 },
      over_budget: false,
      strategy: 'need',
      covered: 0,
      excerpted: 0,
      pointer_tokens: 0,
      took_ms: 0,
    });
    expect(result).not.toHaveProperty('decisions');
  });

  test('explains each message when asked', async () => {
    const { decisions } = await compactContext(
      { messages, budget_tokens: 10, explain: true },
      { countTokens: () => 10 },
    );
    expect(decisions).toHaveLength(3);
    expect(decisions?.[0]).toMatchObject({
      index: 0,
      role: 'user',
      tokens: 10,
      recency: 0.1,
      sim: 0.5,
      coverage: 0,
      action: 'drop',
      reason: 'over-budget',
    });
    expect(decisions?.[0]?.handle).toBe(handleOf({ role: 'user', content: '', uuid: 'u-1' }));
  });

  test.each<[why: string, params: unknown, error: string]>([
    ['no parameters', undefined, 'E_PARAM_INVALID '],
    ['no messages', {}, 'E_PARAM_INVALID messages'],
    ['messages that are no list', { messages: 'hi' }, 'E_PARAM_INVALID messages'],
    ['a message that is null', { messages: [null] }, 'E_MESSAGE_INVALID messages[0]'],
    ['a ratio too small', { messages, target_ratio: 0.01 }, 'E_PARAM_INVALID target_ratio'],
    ['a ratio above one', { messages, target_ratio: 1.5 }, 'E_PARAM_INVALID target_ratio'],
    ['a ratio as text', { messages, target_ratio: '0.4' }, 'E_PARAM_INVALID target_ratio'],
    ['a budget of nothing', { messages, budget_tokens: 0 }, 'E_PARAM_INVALID budget_tokens'],
    ['half a token', { messages, budget_tokens: 1.5 }, 'E_PARAM_INVALID budget_tokens'],
    ['a query that is no text', { messages, query: 3 }, 'E_PARAM_INVALID query'],
    ['an unknown strategy', { messages, strategy: 'magic' }, 'E_PARAM_INVALID strategy'],
    ['an unknown detail', { messages, detail: 'half' }, 'E_PARAM_INVALID detail'],
    [
      'excerpts of a strategy that makes none',
      { messages, strategy: 'formula', detail: 'excerpt' },
      'E_PARAM_INVALID detail',
    ],
    ['distilling without a memory', { messages, distill_novel: true }, 'E_PARAM_INVALID distill_novel'],
    ['distilling that is no boolean', { messages, distill_novel: 1 }, 'E_PARAM_INVALID distill_novel'],
    ['a misspelt parameter', { messages, targetratio: 0.4 }, 'E_PARAM_INVALID targetratio'],
  ])('%s is an error that names the field', async (_why, params, error) => {
    expect(await errorOf(params)).toBe(error);
  });

  test('accepts every documented parameter', async () => {
    const params = {
      messages,
      query: 'port',
      target_ratio: 0.4,
      budget_tokens: 10,
      strategy: 'formula',
      detail: 'whole',
      distill_novel: false,
      explain: false,
    };
    expect(await errorOf(params)).toBe('no error');
    expect(await errorOf({ ...params, strategy: 'need', detail: 'excerpt' })).toBe('no error');
  });
});

describe('similarity and coverage', () => {
  test.each<[strategy: string, decide: string, scores: VectorScores, embedding: boolean]>([
    ['formula', 'and a query decide', { similarity: [0.9, 0.1, 0.2], coverage: [0, 0, 0] }, true],
    [
      'need',
      'decide nothing where no memory covers a turn',
      { similarity: [0.9, 0.1, 0.2], coverage: [0.7, 0, 0] },
      false,
    ],
    ['need', 'decide where a memory covers a turn', { similarity: [0.9, 0.1, 0.2], coverage: [0.8, 0, 0] }, true],
  ])('under %s complete vectors %s', async (strategy, _decide, scores, embedding) => {
    expect(await stats({ query: 'port', strategy }, { scorer: scorer(scores) })).toMatchObject({
      embedding,
      vectors: { used: 3, total: 3 },
    });
  });

  test('one missing vector makes similarity neutral for all', async () => {
    const { decisions, stats: numbers } = await compactContext(
      { messages, query: 'port', explain: true },
      { scorer: scorer({ similarity: [0.9, undefined, 0.2] }) },
    );
    expect(decisions?.map(({ sim }) => sim)).toEqual([0.5, 0.5, 0.5]);
    expect(numbers).toMatchObject({ embedding: false, vectors: { used: 2, total: 3 } });
  });

  test('without a query there is no similarity, but coverage still counts', async () => {
    const result = await compactContext(
      { messages, explain: true, budget_tokens: 15 },
      { countTokens: () => 5, scorer: scorer({ similarity: [1, 1, 1], coverage: [0.9, 0, 0] }) },
    );
    expect(result.decisions?.map(({ sim, coverage }) => [sim, coverage])).toEqual([
      [0.5, 0.9],
      [0.5, 0],
      [0.5, 0],
    ]);
    expect(result.stats.embedding).toBe(true);
  });

  test('a scorer that has no answer is done without', async () => {
    expect(await stats({ query: 'port' }, { scorer: scorer(undefined) })).toMatchObject({ embedding: false });
  });
});

describe('the archive', () => {
  test('gets what is dropped, by handle', async () => {
    const { memory, turns } = store();
    const deps = { countTokens: () => 10, memory, session: 's', project: '/p' };
    await compactContext({ messages, budget_tokens: 10 }, deps);
    expect(turns.map(({ text }) => text)).toEqual(['first: use port 8080', 'noted']);
    expect(turns[0]).toMatchObject({
      handle: handleOf(messages[0] ?? { role: '' }),
      uuid: 'u-1',
      session: 's',
      project: '/p',
      role: 'user',
      tokens: 10,
    });
  });

  test("gets nothing of chitta's own, and no empty turn", async () => {
    const { memory, turns } = store();
    const own = [
      { role: 'user', content: '[chitta:gap #abcdefg 3 messages]' },
      { role: 'assistant', content: '' },
    ];
    await compactContext({ messages: [...own, ...messages], budget_tokens: 1 }, { countTokens: () => 10, memory });
    expect(turns.map(({ text }) => text)).toEqual(['first: use port 8080', 'noted']);
  });

  test('that cannot be written costs a log line, not the compaction', async () => {
    const lines: string[] = [];
    const memory: MemoryStore = {
      archive: () => Promise.reject(new Error('disk full')),
      recordEpisode: async () => {},
    };
    const result = await compactContext(
      { messages, budget_tokens: 10 },
      { countTokens: () => 10, memory, log: (line) => lines.push(line) },
    );
    expect(result.stats.dropped).toBe(2);
    expect(lines).toEqual(['error: dropped turns were not archived: disk full']);
  });
});

describe('the share to keep', () => {
  test('is the caller’s, else the setting, else 0.4', async () => {
    const ten = Array.from({ length: 10 }, (_, index) => ({ role: 'assistant', content: `turn ${index}` }));
    const kept = async (params: object, deps: CompactDeps): Promise<number> =>
      (await compactContext({ messages: ten, ...params }, { countTokens: () => 10, ...deps })).messages.length;
    expect(await kept({}, {})).toBe(4);
    expect(await kept({}, { targetRatio: 0.2 })).toBe(2);
    expect(await kept({ target_ratio: 0.7 }, { targetRatio: 0.2 })).toBe(7);
    expect(await kept({ budget_tokens: 10 }, { targetRatio: 0.2 })).toBe(1);
  });
});
