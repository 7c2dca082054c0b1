import { describe, expect, test } from 'vitest';
import { LIVE_BUDGET } from '../../src/memory/learned.ts';
import type { NewMemory } from '../../src/ports/memories.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import { fact, filesWith, MS, newHome, opened, openedAt } from './home.ts';

function found(text: string, source: string, more: Partial<NewMemory> = {}): NewMemory {
  return fact(text, { origin: 'auto', session: 's', sourceIds: [source], confidence: 0.7, quote: text, ...more });
}

async function learn(
  memory: MemoryDatabase,
  learned: readonly NewMemory[],
  when: 'now' | 'later' = 'now',
): Promise<void> {
  const read = { session: 's', project: '/project', transcript: '/t.jsonl', archivedBytes: 1, turns: [] };
  await memory.capture({ ...read, learned }, MS, when);
}

const active = async (memory: MemoryDatabase): Promise<string[]> =>
  (await memory.memories({ project: '/project', status: 'active', limit: 1_000 }, MS)).map(({ text }) => text);

test('what is found again is one memory, also by the spool', async () => {
  const { memory } = opened();
  const one = found('We decided to keep the retry logic in the gateway.', 'uuid 1');
  await learn(memory, [one]);
  await learn(memory, [one]);
  await learn(memory, [one], 'later');
  expect(await memory.memories({ project: '/project', limit: 9 }, MS)).toMatchObject([
    { text: one.text, quote: one.quote, confidence: 0.7, sourceIds: ['uuid 1'], origin: 'auto' },
  ]);
});

test('said once more elsewhere, it is surer, and covers neither of the messages', async () => {
  const { memory } = opened();
  await learn(memory, [found('We decided to keep the retry logic in the gateway.', 'uuid 1')]);
  await learn(memory, [found('we decided to keep the retry logic in the gateway', 'uuid 2')]);
  const [only, ...more] = await memory.memories({ project: '/project', limit: 9 }, MS);
  expect(more).toEqual([]);
  expect(only?.confidence).toBeCloseTo(0.85);
  expect([...(only?.sourceIds ?? [])].sort()).toEqual(['uuid 1', 'uuid 2']);
  expect((await memory.madeFrom(['uuid 2'], MS)).get('uuid 2')).toEqual([only?.id]);
});

test('a later value of the same thing supersedes the earlier one, which is recalled no more', async () => {
  const { memory } = opened();
  await learn(memory, [found('The port is 8080.', 'uuid 1', { topic: 'port' })]);
  await learn(memory, [found('No, the port is 9090.', 'uuid 2', { topic: 'port', kind: 'correction' })]);
  expect(await active(memory)).toEqual(['No, the port is 9090.']);
  expect((await memory.searchText('port', '/project', 5, MS)).memories.map(({ text }) => text)).toEqual([
    'No, the port is 9090.',
  ]);
  const [, old] = await memory.memories({ project: '/project', limit: 5 }, MS);
  expect(old).toMatchObject({ status: 'superseded', supersededBy: 2 });
});

test('other numbers, other names and other projects are other memories', async () => {
  const { memory } = opened();
  await learn(memory, [
    found('The retry limit is 5.', 'u1'),
    found('The retry limit is 6.', 'u2'),
    found('src/a.ts holds the routes', 'u3'),
    found('src/b.ts holds the routes', 'u4'),
    found('Always use tabs.', 'u5'),
    found('Never use tabs.', 'u6'),
    found('The retry limit is 5.', 'u7', { project: '/other' }),
  ]);
  expect(await active(memory)).toHaveLength(6);
});

test('what was learned is bounded, the least useful archived first, and what a person stored stays', async () => {
  let now = 1_000;
  const { memory } = opened(() => now);
  await memory.remember(fact('stored by a person'), MS);
  await learn(memory, [
    found('seldom useful thing alpha', 'weak', { confidence: 0.1 }),
    found('useful thing beta', 'used', { confidence: 0.2 }),
  ]);
  const used = (await memory.memories({ project: '/project', status: 'active', limit: 9 }, MS)).find(({ text }) =>
    text.includes('beta'),
  );
  for (let prompt = 0; prompt < 9; prompt += 1) {
    await memory.recordPrompt(
      {
        session: 's',
        key: `k${prompt}`,
        project: '/project',
        tokens: 5,
        injected: [`memory ${used?.id}`],
        toldDirective: undefined,
      },
      MS,
    );
  }
  now += 1_000;
  const many = Array.from({ length: LIVE_BUDGET - 1 }, (_, n) =>
    found(`item${n}x sets value${n}y for case${n}z`, `m${n}`),
  );
  await learn(memory, many);
  const texts = await active(memory);
  expect(texts).toHaveLength(LIVE_BUDGET + 1);
  expect(texts).toContain('stored by a person');
  expect(texts).toContain('useful thing beta');
  expect(texts).not.toContain('seldom useful thing alpha');
  expect((await memory.memoriesById([used?.id ?? 0], MS))[0]).toMatchObject({ uses: 9 });
});

describe('by vector', () => {
  const vector = (...numbers: number[]): Float32Array => new Float32Array(numbers);

  test('the same in other words is one memory', async () => {
    const { memory } = opened();
    await learn(memory, [found('We keep retries in the gateway', 'u1'), found('Retries stay in the gateway', 'u2')]);
    await memory.putVectors(
      'm',
      [
        { id: 1, vector: vector(1, 0) },
        { id: 2, vector: vector(0.999, 0.0447) },
      ],
      MS,
    );
    expect(await active(memory)).toEqual(['We keep retries in the gateway']);
    expect((await memory.memoriesById([1], MS))[0]?.sourceIds).toEqual(['u1', 'u2']);
  });

  test.each([
    ['number', 'The limit of retries is 5', 'Retries are limited to 6'],
    ['path', 'Routes stand in src/a.ts', 'Routes are in src/b.ts'],
    ['negation', 'Retries stay in the gateway', 'Retries do not stay in the gateway'],
  ])('another %s is another memory, however near', async (_what, one, other) => {
    const { memory } = opened();
    await learn(memory, [found(one, 'u1'), found(other, 'u2')]);
    await memory.putVectors(
      'm',
      [
        { id: 1, vector: vector(1, 0) },
        { id: 2, vector: vector(1, 0) },
      ],
      MS,
    );
    expect(await active(memory)).toHaveLength(2);
  });

  test('what a person stored is not merged away', async () => {
    const { memory } = opened();
    await memory.remember(fact('We keep retries in the gateway'), MS);
    await memory.remember(fact('Retries stay in the gateway'), MS);
    await memory.putVectors(
      'm',
      [
        { id: 1, vector: vector(1, 0) },
        { id: 2, vector: vector(1, 0) },
      ],
      MS,
    );
    expect(await active(memory)).toHaveLength(2);
  });
});

test('a learned memory is masked, in the spool as well', async () => {
  const { memory, home } = openedAt(newHome());
  const token = `ghp_${'a1B2'.repeat(9)}`;
  await learn(memory, [found(`The deploy key is called ${token}`, 'u1', { topic: token })], 'later');
  expect(filesWith(home, token)).toEqual([]);
  await memory.stats(MS);
  expect(await active(memory)).toHaveLength(1);
  expect(filesWith(home, token)).toEqual([]);
});
