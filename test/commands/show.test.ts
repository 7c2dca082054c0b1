import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addShowCommand, lineRange } from '../../src/commands/show.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { Bench } from './context.ts';
import { memoryBench } from './memory-bench.ts';

const text = Array.from({ length: 40 }, (_, i) => (i === 19 ? 'the timeout is 30 s' : `line ${i + 1}`)).join('\n');
const told = { session: 's', role: 'tool', tokens: 90 };

let bench: Bench;
beforeEach(async () => {
  bench = memoryBench(addShowCommand, {
    findInTranscript: (file) => async (handle, _, other) =>
      other === '/t/gone.jsonl'
        ? Promise.reject(new Error('no such file'))
        : other === '/t/long.jsonl' && handle === '#yyyyyyy'
          ? { turn: { ...told, handle, text: 'said long ago' }, before: [], after: [] }
          : handle === '#zzzzzzz'
            ? { turn: { ...told, handle, text: `from ${file}` }, before: [], after: [] }
            : undefined,
  });
  const memory = openMemory({ home: bench.home });
  const turns = [
    { ...told, handle: '#aaaaaaa', uuid: 'a', text: 'before it' },
    { ...told, handle: '#bbbbbbb', uuid: 'b', text },
    { ...told, handle: '#ccccccc', uuid: 'c', text: 'after \u001b[31mit' },
  ];
  await memory.archive(
    turns.map((turn) => ({ ...turn, project: bench.project })),
    5_000,
  );
  memory.close();
});
afterEach(() => bench.remove());

test('prints an archived turn whole, with or without the # of its handle', async () => {
  const shown = await bench.run('show', 'bbbbbbb');
  expect(shown).toBe(`── #bbbbbbb tool, about 90 tokens, session s, from the archive\n${text}\n`);
  expect(await bench.run('show', '#BBBBBBB')).toBe(shown);
});

test('prints only the lines about a word, and says which', async () => {
  const shown = await bench.run('show', 'bbbbbbb', '--about', 'Timeout');
  expect(shown.split('\n').slice(1)).toEqual([
    'lines 17–23 of 40',
    'line 17',
    'line 18',
    'line 19',
    'the timeout is 30 s',
    'line 21',
    'line 22',
    'line 23',
    '',
  ]);
  expect(await bench.run('show', 'bbbbbbb', '--about', 'nothing')).toContain('line 40');
});

test('where only the other half of a call is about the words, that one is shown', async () => {
  const memory = openMemory({ home: bench.home });
  const half = { session: 'other', tokens: 9, project: bench.project };
  await memory.archive(
    [
      {
        ...half,
        handle: '#eeeeeee',
        uuid: 'e',
        role: 'assistant',
        text: 'Edit {"new_string":"let port;\\nlisten(port);"}',
      },
      { ...half, handle: '#fffffff', uuid: 'f', role: 'user', text: 'The file was updated.' },
    ],
    5_000,
  );
  memory.close();
  const asked = await bench.run('show', 'fffffff', '--about', 'listen');
  expect(asked).toContain('── #eeeeeee assistant');
  expect(asked).toContain('listen(port);');
  expect(await bench.run('show', 'eeeeeee', '--about', 'updated')).toContain('The file was updated.');
  expect(await bench.run('show', 'fffffff', '--about', 'nowhere')).toContain('── #fffffff user');
  expect(await bench.run('show', 'eeeeeee', '--lines', '3')).toContain('lines 3–3 of 4\nlet port;\n');
});

test('prints only the lines asked for', async () => {
  expect(await bench.run('show', 'bbbbbbb', '--lines', '39-99')).toContain('lines 39–40 of 40\nline 39\nline 40\n');
  expect(await bench.run('show', 'bbbbbbb', '--lines', '50-60')).toContain('it has 40 lines');
});

test('prints the turns around it, made safe for a terminal', async () => {
  const shown = await bench.run('show', 'bbbbbbb', '--context', '1', '--lines', '1');
  expect(shown).toMatch(/^── #aaaaaaa [^\n]*\nbefore it\n── #bbbbbbb [\s\S]*── #ccccccc [^\n]*\nafter it\n$/);
});

test('looks into the transcript for what is not archived', async () => {
  expect(await bench.run('show', 'zzzzzzz', '--file', 'x.jsonl')).toContain('from the transcript\nfrom x.jsonl\n');
});

test('looks into the transcripts that compactions of the project noted, whatever became of some of them', async () => {
  const memory = openMemory({ home: bench.home });
  const episode = {
    session: 's',
    project: bench.project,
    state: 'done',
    trigger: 'auto',
    strategy: 'formula',
    beforeTokens: 2,
    afterTokens: 1,
    dropped: 1,
    embedding: false,
    tookMs: 1,
  } as const;
  await memory.recordEpisode({ ...episode, lastUuid: 'a', transcript: '/t/long.jsonl', transcriptBytes: 9 }, 5_000);
  await memory.recordEpisode({ ...episode, lastUuid: 'b', transcript: '/t/gone.jsonl', transcriptBytes: 9 }, 5_000);
  await memory.recordEpisode({ ...episode, lastUuid: 'c' }, 5_000);
  memory.close();
  expect(await bench.run('show', 'yyyyyyy')).toContain('from the transcript\nsaid long ago\n');
  await expect(bench.run('show', 'xxxxxxx')).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
});

test('JSON has the passages and the text asked for', async () => {
  expect(JSON.parse(await bench.run('show', 'bbbbbbb', '--lines', '1-2', '--json'))).toEqual({
    handle: '#bbbbbbb',
    role: 'tool',
    tokens: 90,
    session: 's',
    text: 'line 1\nline 2',
    source: 'archive',
    total_lines: 40,
    passages: [{ first: 1, last: 2, text: 'line 1\nline 2' }],
    more: 0,
    before: [],
    after: [],
  });
});

test('a handle that is nowhere, and one that is none, are errors', async () => {
  await expect(bench.run('show', 'ddddddd')).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
  await expect(bench.run('show', 'no')).rejects.toMatchObject({ code: 'E_PARAM_INVALID', field: 'handle' });
});

describe('a range of lines', () => {
  test.each([
    ['3-5', [3, 5]],
    ['3', [3, 3]],
    ['3-', [3, Number.MAX_SAFE_INTEGER]],
  ])('%s is %j', (range, expected) => {
    expect(lineRange(range)).toEqual(expected);
  });

  test.each(['', '0-3', '5-3', '-4', 'a', '1-2-3'])('%j is none', (range) => {
    expect(() => lineRange(range)).toThrow('A-B');
  });
});
