import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addMemoryCommand, forgottenNotes } from '../../src/commands/memory.ts';
import { SOURCE_CHOICES } from '../../src/commands/memory-transfer.ts';
import { FOREIGN_SOURCES } from '../../src/ports/transfer.ts';
import type { Bench } from './context.ts';
import { memoryBench } from './memory-bench.ts';

let bench: Bench;
beforeEach(() => {
  bench = memoryBench(addMemoryCommand);
});
afterEach(() => bench.remove());

test('stores, lists, finds, shows and forgets', async () => {
  expect(await bench.run('memory', 'add', 'use port 8080')).toBe('1\n');
  expect(bench.said.err).toContain('memory 1 is stored');
  expect(await bench.run('memory', 'add', '--global', '--kind', 'preference', 'answer in English')).toBe('2\n');
  expect(await bench.run('memory', 'list')).toBe(
    '2  preference  everywhere  answer in English\n1  fact        project     use port 8080\n',
  );
  expect(await bench.run('memory')).toContain('use port 8080');
  expect(await bench.run('memory', 'search', 'which', 'port')).toBe('1  fact        project     use port 8080\n');
  expect(await bench.run('memory', 'show', '1')).toMatch(/stored by {2}person\n[\s\S]*\nuse port 8080\n$/);
  expect(await bench.run('memory', 'forget', '1')).toBe('');
  expect(bench.said.err).toContain('memory 1 is forgotten');
  expect(await bench.run('memory', 'list')).not.toContain('8080');
});

test('lists and finds a long memory on one line, and says how to see the whole', async () => {
  await bench.run('memory', 'add', `port 8080 ${'because of the proxy '.repeat(40)}`);
  for (const words of [['list'], ['search', 'proxy']]) {
    const printed = await bench.run('memory', ...words);
    expect(printed).toMatch(/^1 {2}fact {8}project {5}port 8080 because [^\n]*…\n$/);
    expect(printed.trimEnd()).toHaveLength(80);
    expect(bench.said.err).toContain('chitta memory show ID');
  }
});

test('the same text again is the same memory', async () => {
  await bench.run('memory', 'add', 'use port 8080');
  expect(await bench.run('memory', 'add', ' use port 8080 ')).toBe('1\n');
  expect(bench.said.err).toContain('was there already');
});

test('JSON says of a memory that was made or taken over where its words stand, and of others nothing', async () => {
  const known = { quote: 'no, the port is 9090', topic: 'port', confidence: 0.8, imported: 'notes.md line 3' };
  const row = { kind: 'fact', text: 'the port is 9090', project: bench.project, session: 's', origin: 'auto' };
  const more = { source_ids: ['u1'], status: 'active', created: '2026-01-31T00:00:00.000Z', ...known };
  writeFileSync(join(bench.project, 'm.ndjson'), JSON.stringify({ ...row, ...more }));
  await bench.run('memory', 'import', join(bench.project, 'm.ndjson'));
  await bench.run('memory', 'add', 'plain');
  expect(JSON.parse(await bench.run('memory', 'show', '1', '--json'))).toMatchObject(known);
  const { memories } = JSON.parse(await bench.run('memory', 'list', '--json'));
  const named = memories.map((memory: object) => Object.keys(known).filter((key) => key in memory));
  expect(named.toSorted((a: string[], b: string[]) => a.length - b.length)).toEqual([[], Object.keys(known)]);
});

test('JSON has the documented fields', async () => {
  const added = JSON.parse(await bench.run('memory', 'add', 'use port 8080', '--json'));
  const memory = {
    id: 1,
    kind: 'fact',
    text: 'use port 8080',
    project: bench.project,
    session: null,
    origin: 'person',
    source_ids: [],
    status: 'active',
    superseded_by: null,
    created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  };
  expect(added).toEqual({ added: true, ...memory });
  expect(JSON.parse(await bench.run('memory', 'list', '--json'))).toEqual({ memories: [memory] });
  expect(JSON.parse(await bench.run('memory', 'show', '1', '--json'))).toEqual(memory);
  expect(JSON.parse(await bench.run('memory', 'search', 'port', '--json'))).toEqual({
    embedding: false,
    found: [{ type: 'memory', score: 1, ...memory }],
  });
  expect(JSON.parse(await bench.run('memory', 'forget', '1', '--json'))).toEqual({
    id: 1,
    forgotten: true,
    erased: true,
    removed_files: [],
  });
  expect(JSON.parse(await bench.run('memory', 'stats', '--json'))).toEqual({
    memories: { active: 0, superseded: 0, archived: 0 },
    vectors: [],
    turns: 0,
    episodes: 0,
    prompts: { seen: 0, injected: 0, tokens: 0 },
    bytes: expect.any(Number),
    spool_bytes: 0,
    room: {
      turns: expect.any(Number),
      memories: expect.any(Number),
      vectors: expect.any(Number),
      rest: expect.any(Number),
    },
    growth: [7, 30].map((days) => ({ days, turns: 0, memories: 0, bytes: 0 })),
    cache_bytes: 0,
    projects: [],
  });
});

test('stats name the projects with most text, what holds everywhere, and how many more there are', async () => {
  const row = { kind: 'fact', origin: 'person', status: 'active', created: '2026-01-31T00:00:00.000Z' };
  const rows = [1, 2, 3, 4, 5, 6, 7].map((n) => ({ ...row, text: 'x'.repeat(n * 14_000), project: `/p${n}\u001b[2J` }));
  const lines = [...rows, { ...row, text: 'answer in English' }].map((one) => JSON.stringify(one));
  writeFileSync(join(bench.project, 'm.ndjson'), lines.join('\n'));
  await bench.run('memory', 'import', join(bench.project, 'm.ndjson'));
  const said = await bench.run('memory', 'stats');
  expect(said).toMatch(/^project {3}0 turns, 1 memories, 0\.1 MB of text: \/p7$/m);
  expect(said).toMatch(/^others {4}3 more projects, 0\.0 MB of text: --json names them$/m);
  expect(said).not.toContain('\u001b');
  const { projects } = JSON.parse(await bench.run('memory', 'stats', '--json'));
  expect(projects).toHaveLength(8);
  expect(projects.at(-1)).toEqual({ project: null, memories: 1, turns: 0, bytes: 17 });
});

test('secrets are masked, and what could move a cursor does not reach the terminal', async () => {
  await bench.run('memory', 'add', `the token is ghp_${'a1B2c3D4e5'.repeat(4)} \u001b[2Jhere`);
  const listed = await bench.run('memory', 'list');
  expect(listed).toContain('[masked:');
  expect(listed).toContain('here');
  expect(listed).not.toContain('\u001b');
  expect(await bench.run('memory', 'show', '1')).not.toContain('\u001b');
});

test('an empty text, an unknown number and an unknown kind are errors that say what to do', async () => {
  await expect(bench.run('memory', 'add', '  ')).rejects.toMatchObject({ code: 'E_PARAM_INVALID', field: 'text' });
  await expect(bench.run('memory', 'show', '7')).rejects.toMatchObject({
    code: 'E_NOT_FOUND',
    hint: 'chitta memory list',
  });
  await expect(bench.run('memory', 'forget', '7')).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
});

test('nothing remembered is no error', async () => {
  expect(await bench.run('memory', 'list')).toBe('');
  expect(bench.said.err).toContain('chitta memory add');
  expect(await bench.run('memory', 'search', 'port')).toBe('');
  expect(await bench.run('memory', 'stats')).toContain('0 active');
});

test('what could not be erased yet, and what went with it, is said', () => {
  const notes = forgottenNotes(3, { found: true, erased: false, removedFiles: ['memory.db.backup-v1'] });
  expect(notes.join('\n')).toMatch(/memory 3 is forgotten\nmemory\.db\.backup-v1 was deleted.*\nanother process/);
});

test('exports, imports, and says what became of it', async () => {
  await bench.run('memory', 'add', 'use port 8080');
  const lines = (await bench.run('memory', 'export')).split('\n');
  expect(lines[0]).toBe('{"format":"chitta-memories","version":1}');
  const file = join(bench.project, 'memories.ndjson');
  writeFileSync(file, `${lines.join('\n')}{"torn":`);
  await bench.run('memory', 'import', 'memories.ndjson');
  expect(bench.said.err).toContain('line 3');
  expect(bench.said.err).toContain('0 memories are new, 1 were there already');
  writeFileSync(join(bench.project, 'CLAUDE.md'), '- never push to main\n');
  const report = JSON.parse(await bench.run('memory', 'import', '--from', 'claude-md', '--json', '.'));
  expect(report).toEqual({ added: 1, known: 0, turns: 0, unreadable: 0, elsewhere: 0 });
  await expect(bench.run('memory', 'import', '--from', 'markdown')).rejects.toMatchObject({ code: 'E_USAGE' });
  await expect(bench.run('memory', 'import', 'nowhere')).rejects.toMatchObject({ code: 'E_INPUT_MISSING' });
});

test('offers the sources that are read', () => {
  expect(SOURCE_CHOICES).toEqual(FOREIGN_SOURCES);
});
