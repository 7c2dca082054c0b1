import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FindSimilar } from '../../src/actions/recall.ts';
import { addRecallCommand } from '../../src/commands/recall.ts';
import { openMemory } from '../../src/memory/store.ts';
import { beside } from '../memory/home.ts';
import type { Bench } from './context.ts';
import { memoryBench } from './memory-bench.ts';

const MS = 5_000;
let similar: Awaited<ReturnType<FindSimilar>>;
let bench: Bench;

beforeEach(async () => {
  similar = undefined;
  bench = memoryBench(addRecallCommand, { findSimilar: async () => similar });
  const memory = openMemory({ home: bench.home });
  const fact = { kind: 'fact', project: bench.project, session: undefined, origin: 'person', sourceIds: [] } as const;
  await memory.remember({ ...fact, text: 'the server listens on port 8080' }, MS);
  await memory.remember({ ...fact, text: 'deploys happen on Friday' }, MS);
  const old = await memory.remember({ ...fact, text: 'the port was 7070' }, MS);
  await memory.remember({ ...fact, text: 'the port is 7071', project: '/elsewhere' }, MS, [old.memory.id]);
  await memory.archive(
    [
      {
        handle: '#aaaaaaa',
        session: 's',
        project: bench.project,
        uuid: 'a',
        role: 'tool',
        text: 'EADDRINUSE: port 8080',
        tokens: 9,
      },
    ],
    MS,
  );
  memory.close();
});
afterEach(() => bench.remove());

test('finds memories and archived turns by words, nothing superseded, nothing of another project', async () => {
  const lines = (await bench.run('recall', 'which', 'port')).trimEnd().split('\n');
  expect(lines.toSorted()).toEqual([
    '#aaaaaaa    tool        EADDRINUSE: port 8080',
    'memory 1    fact        the server listens on port 8080',
  ]);
});

test('finds by meaning what no word finds, unless it is too far away, superseded or elsewhere', async () => {
  similar = [
    { id: 2, cosine: 0.7 },
    { id: 3, cosine: 0.69 },
    { id: 4, cosine: 0.68 },
    { id: 1, cosine: 0.1 },
  ];
  const { found, embedding } = JSON.parse(await bench.run('recall', 'when', 'is', 'it', 'released', '--json'));
  expect(embedding).toBe(true);
  expect(found.map(({ id }: { id: number }) => id)).toEqual([2]);
});

test('what both words and meaning find goes first', async () => {
  similar = [{ id: 1, cosine: 0.8 }];
  const { found } = JSON.parse(await bench.run('recall', 'port', '--limit', '1', '--json'));
  expect(found).toMatchObject([{ type: 'memory', id: 1, score: expect.any(Number) }]);
});

test('finding nothing is no error', async () => {
  expect(await bench.run('recall', 'zebra')).toBe('');
  expect(bench.said.err).toContain('nothing found');
});

describe('what is found counts as used', () => {
  const uses = async (): Promise<(number | undefined)[]> => {
    const memory = openMemory({ home: bench.home });
    const memories = await memory.memoriesById([1, 2], MS);
    memory.close();
    return memories.map((one) => one.uses);
  };

  test('each time, and only what was found', async () => {
    for (let time = 0; time < 2; time += 1) await bench.run('recall', 'which', 'port');
    expect(await uses()).toEqual([2, undefined]);
  });

  test('but not where nothing is to be stored', async () => {
    writeFileSync(join(bench.project, '.chitta.json'), '{"private": true}');
    await bench.run('recall', 'which', 'port');
    expect(await uses()).toEqual([undefined, undefined]);
  });

  test('and where it cannot be counted the answer comes all the same', async () => {
    const other = beside(join(bench.home, 'memory.db'));
    other.exec('BEGIN IMMEDIATE');
    expect(await bench.run('recall', 'which', 'port')).toContain('memory 1');
    other.exec('ROLLBACK');
    expect(await uses()).toEqual([undefined, undefined]);
  });
});

test('prints a long turn on one line of 80 columns, and says how to see the whole', async () => {
  const memory = openMemory({ home: bench.home });
  const text = `zebra\n${'and more of it\n'.repeat(400)}`;
  const turn = { handle: '#bbbbbbb', session: 's', project: bench.project, uuid: 'b', role: 'tool', text, tokens: 9 };
  await memory.archive([turn], MS);
  memory.close();
  const printed = await bench.run('recall', 'zebra');
  expect(printed).toMatch(/^#bbbbbbb {4}tool {8}zebra and more [^\n]*…\n$/);
  expect(printed.trimEnd()).toHaveLength(80);
  expect(bench.said.err).toContain('chitta show HANDLE');
  const { found } = JSON.parse(await bench.run('recall', 'zebra', '--json'));
  expect(found[0].text).toBe(text);
  expect(bench.said.err).toBe('');
});
