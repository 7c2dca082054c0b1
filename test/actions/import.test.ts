import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportMemories } from '../../src/actions/export.ts';
import { exportedEntries, importEntries, type ImportReport } from '../../src/actions/import.ts';
import type { PortedMemory } from '../../src/ports/memories.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import { fact, filesWith, MS, opened } from '../memory/home.ts';

async function* linesOf(lines: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const line of lines) yield Buffer.from(line);
}

async function exported(memory: MemoryDatabase): Promise<string[]> {
  return (await exportMemories(memory, { all: true }, MS)).map((row) => JSON.stringify(row));
}

async function imported(
  memory: MemoryDatabase,
  lines: readonly (string | Buffer)[],
): Promise<{ report: ImportReport; problems: string[] }> {
  const problems: string[] = [];
  const report = await importEntries(exportedEntries(linesOf(lines)), memory, {
    deadlineMs: MS,
    onProblem: (at, problem) => problems.push(`${at}: ${problem}`),
  });
  return { report, problems };
}

const HEADER = '{"format":"chitta-memories","version":1}';
const row = (more: object): string =>
  JSON.stringify({
    kind: 'fact',
    text: 'x is y',
    origin: 'person',
    status: 'active',
    created: '2026-01-31T00:00:00.000Z',
    ...more,
  });

test('an export that is imported elsewhere is exported the same, kinds, scopes, status and provenance included', async () => {
  let now = 1_760_000_000_000;
  const { memory } = opened(() => (now += 1_000));
  const first = await memory.remember(fact('the port is 8080', { sourceIds: ['uuid 1', 'uuid 2'], session: 's' }), MS);
  await memory.remember(fact('answer in English', { kind: 'preference', project: undefined, origin: 'model' }), MS);
  await memory.remember(fact('of another project', { project: '/other', kind: 'decision' }), MS);
  await memory.remember(
    fact('the port is 9090', { quote: 'no, it is 9090', topic: 'port', confidence: 0.75, origin: 'auto' }),
    MS,
    [first.memory.id],
  );
  // Numbers that are not those of the other store.
  const gone = await memory.remember(fact('forgotten'), MS);
  await memory.forget(gone.memory.id, MS);
  await memory.remember(fact('the last one 🙂\nof two lines'), MS);

  const lines = await exported(memory);
  expect(lines[0]).toBe(HEADER);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({
    n: 1,
    status: 'superseded',
    superseded_by: 4,
    source_ids: ['uuid 1', 'uuid 2'],
  });
  const other = opened();
  expect((await imported(other.memory, lines)).report).toMatchObject({ added: 5, known: 0, unreadable: 0 });
  expect(await exported(other.memory)).toEqual(lines);
  expect((await imported(other.memory, lines)).report).toMatchObject({ added: 0, known: 5 });
  expect(await exported(other.memory)).toEqual(lines);
});

test('whatever a store holds comes back the same', async () => {
  const anyMemory = fc.record({
    text: fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((text) => text.trim() !== ''),
    kind: fc.constantFrom('fact', 'preference', 'fix', 'novel'),
    project: fc.constantFrom(undefined, '/a', '/b'),
    session: fc.constantFrom(undefined, 's1'),
    origin: fc.constantFrom('auto', 'person', 'model'),
    sourceIds: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')).map((ids) => ids.sort()),
    status: fc.constantFrom('active', 'archived', 'superseded'),
    createdMs: fc.integer({ min: 0, max: 8_000_000_000_000 }),
    confidence: fc.constantFrom(undefined, 0, 0.5, 1),
    uses: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyMemory, { maxLength: 8 }), async (memories) => {
      const [here, there] = [opened(), opened()];
      await here.memory.takeOver(memories as PortedMemory[], MS);
      const lines = await exported(here.memory);
      await imported(there.memory, lines);
      expect(await exported(there.memory)).toEqual(lines);
      here.memory.close();
      there.memory.close();
    }),
    { numRuns: 12 },
  );
});

test('names the lines that cannot be read, and takes the others', async () => {
  const { memory } = opened();
  const lines = [
    HEADER,
    row({ text: 'kept' }),
    '{"kind":',
    '[]',
    row({ kind: 'rumour' }),
    row({ text: '  ' }),
    row({ created: 'soon' }),
    '',
    row({ text: 'kept too' }),
  ];
  const { report, problems } = await imported(memory, lines);
  expect(report).toEqual({ added: 2, known: 0, turns: 0, unreadable: 5, elsewhere: 0 });
  expect(problems.map((problem) => problem.split(':')[0])).toEqual(['line 3', 'line 4', 'line 5', 'line 6', 'line 7']);
  expect(problems[2]).toContain('kind must be one of');
});

describe('fails', () => {
  test('if something is there and nothing of it can be read', async () => {
    const { memory } = opened();
    await expect(imported(memory, ['# notes', 'no JSON'])).rejects.toMatchObject({ code: 'E_INPUT_FORMAT' });
  });

  test('for a file of a newer version, and takes nothing of it', async () => {
    const { memory } = opened();
    const lines = ['{"format":"chitta-memories","version":2}', row({})];
    await expect(imported(memory, lines)).rejects.toMatchObject({ code: 'E_INPUT_FORMAT' });
    expect(await memory.memories({ project: { all: true }, limit: 5 }, MS)).toEqual([]);
  });
});

test('nothing of an empty export is no failure', async () => {
  const { memory } = opened();
  expect((await imported(memory, [HEADER, ''])).report).toMatchObject({ added: 0, unreadable: 0 });
});

test('masks secrets on the way in, in whatever field they stand', async () => {
  const { memory, home } = opened();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const said = { text: `deploy with ${token}`, quote: `use ${token}`, source_ids: [token, `of ${token}`] };
  const named = { topic: token, session: token, project: `/work/${token}`, imported: token, [token]: token };
  const lines = [HEADER, row({ ...said, ...named }), row({ kind: token }), row({ created: token }), `${token} {`];
  const { report, problems } = await imported(memory, lines);
  expect(report).toMatchObject({ added: 1, unreadable: 3 });
  expect(problems.join()).not.toContain(token);
  expect(filesWith(home, token)).toEqual([]);
});

test.each([
  ['a project that is no folder', { project: ' ' }, 'project must be'],
  ['a project that is no text', { project: 7 }, 'project must be'],
  ['a time after the year 9999', { created: '+275760-09-13T00:00:00.000Z' }, 'created must be a time'],
  ['a time before 1970', { used: '1900-01-01T00:00:00.000Z' }, 'used must be a time'],
  ['surer than sure', { confidence: 1.5 }, 'confidence must be'],
  ['half a use', { uses: 0.5 }, 'uses must be'],
  ['sources that are none', { source_ids: [1] }, 'source_ids must be'],
])('passes over a line with %s', async (_, fields, problem) => {
  const { memory } = opened();
  const { report, problems } = await imported(memory, [row(fields), row({ text: 'kept' })]);
  expect([report.added, problems]).toEqual([1, [expect.stringContaining(problem)]]);
});

test('does not bring back as active what was superseded here meanwhile', async () => {
  const { memory } = opened();
  const { memory: old } = await memory.remember(fact('the port is 8080'), MS);
  const lines = await exported(memory);
  await memory.remember(fact('the port is 9090'), MS, [old.id]);
  expect((await imported(memory, lines)).report).toMatchObject({ added: 0, known: 1 });
  expect(
    (await memory.memories({ project: '/project', status: 'active', limit: 5 }, MS)).map(({ text }) => text),
  ).toEqual(['the port is 9090']);
});
