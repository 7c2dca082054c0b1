import { afterEach, beforeEach, expect, test } from 'vitest';
import { addEpisodesCommand } from '../../src/commands/episodes.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { Episode } from '../../src/ports/episodes.ts';
import type { Bench } from './context.ts';
import { memoryBench } from './memory-bench.ts';

const MS = 5_000;
let bench: Bench;

beforeEach(async () => {
  bench = memoryBench(addEpisodesCommand);
  let clock = Date.UTC(2026, 0, 1);
  const memory = openMemory({ home: bench.home, now: () => (clock += 1_000) });
  const one: Episode = {
    session: 's1',
    project: bench.project,
    lastUuid: 'a',
    state: 'proposed',
    trigger: 'auto',
    strategy: 'formula',
    beforeTokens: 48_200,
    afterTokens: 18_600,
    dropped: 41,
    covered: 3,
    embedding: true,
    tookMs: 84,
    transcript: '/t/s.jsonl',
    transcriptBytes: 5_000_000,
  };
  await memory.recordEpisode(one, MS);
  await memory.recordEpisode(
    { ...one, session: 's2', trigger: 'manual', dropped: 1, covered: 0, embedding: false },
    MS,
  );
  await memory.finishEpisode('s1', MS);
  await memory.recordEpisode({ ...one, session: 's3', project: '/elsewhere' }, MS);
  memory.close();
});
afterEach(() => bench.remove());

test('lists the project’s compactions, newest first, in words that are true', async () => {
  expect(await bench.run('episodes')).toBe(
    [
      '2026-01-01 00:00:02  proposed  48200→18600 tokens, 61% dropped (1 message, 0 of them covered by memory); manual, formula, without embeddings',
      '2026-01-01 00:00:01  done      48200→18600 tokens, 61% dropped (41 messages, 3 of them covered by memory); auto, formula, with embeddings',
      '',
    ].join('\n'),
  );
});

test('lists those of all projects, or of one session', async () => {
  expect((await bench.run('episodes', '--all')).trimEnd().split('\n')).toHaveLength(3);
  expect((await bench.run('episodes', '--session', 's1')).trimEnd().split('\n')).toHaveLength(1);
});

test('JSON has the documented fields', async () => {
  const { episodes } = JSON.parse(await bench.run('episodes', '--limit', '1', '--json'));
  expect(episodes).toEqual([
    {
      id: 2,
      state: 'proposed',
      text: expect.stringContaining('48200→18600 tokens, 61% dropped'),
      before_tokens: 48_200,
      after_tokens: 18_600,
      dropped: 1,
      covered: 0,
      strategy: 'formula',
      trigger: 'manual',
      embedding: false,
      took_ms: 84,
      session: 's2',
      project: bench.project,
      last_uuid: 'a',
      transcript: '/t/s.jsonl',
      transcript_bytes: 5_000_000,
      created: '2026-01-01T00:00:02.000Z',
      done: null,
    },
  ]);
});
