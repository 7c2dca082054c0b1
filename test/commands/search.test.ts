import { afterEach, beforeEach, expect, test } from 'vitest';
import { addSearchCommand } from '../../src/commands/search.ts';
import { openMemory } from '../../src/memory/store.ts';
import type { Bench } from './context.ts';
import { memoryBench } from './memory-bench.ts';

const text = Array.from({ length: 40 }, (_, i) => (i === 19 ? 'lock wait\u001b[31m timeout' : `line ${i + 1}`)).join(
  '\n',
);

let bench: Bench;
beforeEach(async () => {
  bench = memoryBench(addSearchCommand, {});
  const memory = openMemory({ home: bench.home });
  const turn = { uuid: undefined, project: bench.project, role: 'tool', tokens: 90, text };
  await memory.archive(
    [
      { ...turn, handle: '#aaaaaaa', session: 's' },
      { ...turn, handle: '#bbbbbbb', session: 't', text: 'a timeout of another session' },
      { ...turn, handle: '#ccccccc', session: 's', project: '/elsewhere', text: 'a timeout elsewhere' },
    ],
    5_000,
  );
  memory.close();
});
afterEach(() => bench.remove());

test('prints the lines around the words, of this project only, without control characters', async () => {
  const printed = await bench.run('search', 'timeout');
  expect(printed).toContain('── #aaaaaaa tool, about 90 tokens, session s\nlines 17–23 of 40\nline 17\n');
  expect(printed).toContain('#bbbbbbb');
  expect(printed).not.toContain('#ccccccc');
  expect(printed).not.toContain('\u001b');
});

test('of one session, at most so many, as JSON', async () => {
  const { turns } = JSON.parse(await bench.run('search', 'timeout', '--session', 't', '--json'));
  expect(turns).toMatchObject([{ handle: '#bbbbbbb', session: 't', total_lines: 1, more: 0 }]);
  expect(JSON.parse(await bench.run('search', 'timeout', '--limit', '1', '--json')).turns).toHaveLength(1);
});

test('says on stderr that nothing was found, and prints nothing', async () => {
  expect(await bench.run('search', 'quetzal')).toBe('');
});
