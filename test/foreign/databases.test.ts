import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importEntries } from '../../src/actions/import.ts';
import { memoryJson } from '../../src/actions/memory-json.ts';
import { claudeMemEntries } from '../../src/foreign/claude-mem.ts';
import { episodicMemoryEntries } from '../../src/foreign/episodic-memory.ts';
import { charterEntries, markdownEntries } from '../../src/foreign/files.ts';
import type { MemoryDatabase } from '../../src/ports/memory.ts';
import type { ImportEntry } from '../../src/ports/transfer.ts';
import { MS, newHome, opened, openSqlite } from '../memory/home.ts';

function take(memory: MemoryDatabase, entries: AsyncIterable<ImportEntry>): ReturnType<typeof importEntries> {
  return importEntries(entries, memory, { deadlineMs: MS, onProblem: () => undefined });
}

/** Made by the rules of claude-mem's schema, with the columns that are read and some that are not. */
function claudeMem(path: string): void {
  const db = openSqlite(path);
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT, memory_session_id TEXT, project TEXT);
    INSERT INTO sdk_sessions VALUES (1, 'host-session', 'mem-session', 'shop');
    CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT, title TEXT,
      subtitle TEXT, facts TEXT, narrative TEXT, merged_into_project TEXT, created_at TEXT, created_at_epoch INTEGER);
    INSERT INTO observations VALUES
      (1, 'mem-session', 'shop', NULL, 'decision', 'Queue over cron', 's', '["jobs run in a queue","cron is gone"]', 'long', NULL, '', 1760000000000),
      (2, 'mem-session', 'shop', NULL, 'bugfix', 'Cart total', NULL, '[]', 'rounding was fixed', NULL, '', 1760000000),
      (3, 'mem-session', 'elsewhere', NULL, 'change', 'x', NULL, NULL, 'y', NULL, '', 1760000000000),
      (4, 'gone', 'shop', 'text of an old version', 'discovery', NULL, NULL, NULL, NULL, NULL, '2025-10-01T00:00:00Z', 0),
      (5, 'mem-session', 'shop', NULL, 'change', NULL, NULL, 'null', '  ', NULL, '', 1760000000000)`);
  db.close();
}

test('claude-mem: observations of this project become memories that say where they are from, once', async () => {
  const folder = newHome();
  const path = join(folder, 'claude-mem.db');
  claudeMem(path);
  const before = readFileSync(path);
  const { memory } = opened();
  const expected = { turns: 0, unreadable: 1, elsewhere: 1 };
  expect(await take(memory, claudeMemEntries(path, '/work/shop'))).toEqual({ added: 3, known: 0, ...expected });
  expect(await take(memory, claudeMemEntries(path, '/work/shop'))).toEqual({ added: 0, known: 3, ...expected });
  const stored = await memory.allMemories('/work/shop', MS);
  expect(stored).toMatchObject([
    {
      text: 'text of an old version',
      kind: 'fact',
      createdMs: Date.UTC(2025, 9, 1),
      imported: 'claude-mem observation 4',
    },
    {
      text: 'Queue over cron\n- jobs run in a queue\n- cron is gone',
      kind: 'decision',
      origin: 'auto',
      session: 'host-session',
    },
    { text: 'Cart total\nrounding was fixed', kind: 'fix', createdMs: 1_760_000_000_000 },
  ]);
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(folder)).toContain('claude-mem.db');
});

test('what chitta took over from a model covers nothing: the messages behind it are not known', async () => {
  const path = join(newHome(), 'claude-mem.db');
  claudeMem(path);
  const { memory } = opened();
  await take(memory, claudeMemEntries(path, '/work/shop'));
  const [first] = await memory.allMemories('/work/shop', MS);
  await memory.putVectors('m', [{ id: first?.id ?? 0, vector: new Float32Array([1, 0]) }], MS);
  const { rows } = await memory.changesSince('m', 0, 10, MS);
  expect(rows.filter(({ traced }) => traced)).toEqual([]);
});

test('episodic-memory: exchanges become turns of their project, once', async () => {
  const path = join(newHome(), 'db.sqlite');
  const db = openSqlite(path);
  db.exec(`CREATE TABLE exchanges (id TEXT PRIMARY KEY, project TEXT NOT NULL, timestamp TEXT NOT NULL, user_message TEXT NOT NULL,
      assistant_message TEXT NOT NULL, archive_path TEXT NOT NULL, line_start INTEGER NOT NULL, line_end INTEGER NOT NULL,
      is_sidechain BOOLEAN DEFAULT 0, session_id TEXT, cwd TEXT);
    INSERT INTO exchanges VALUES
      ('a', '-work-shop', '2026-01-01', 'why does the zebra test fail', 'the clock is off', '/x', 1, 2, 0, 's1', NULL),
      ('b', '-other', '2026-01-02', 'elsewhere', 'yes', '/x', 1, 2, 0, 's2', NULL),
      ('c', '-other', '2026-01-03', 'of an agent', 'yes', '/x', 1, 2, 1, 's2', '/work/shop')`);
  db.close();
  const { memory } = opened();
  for (let again = 0; again < 2; again += 1) {
    expect(await take(memory, episodicMemoryEntries(path, '/work/shop'))).toMatchObject({
      turns: 2,
      elsewhere: 1,
      added: 0,
    });
  }
  expect((await memory.stats(MS)).turns).toBe(2);
  expect((await memory.searchText('zebra', '/work/shop', 5, MS)).turns).toMatchObject([
    { role: 'user', session: 's1' },
  ]);
});

test.each([
  ['a file that is no database', 'text', 'E_INPUT_FORMAT'],
  ['a database without the table', 'other', 'E_INPUT_FORMAT'],
  ['a file that is not there', 'none', 'E_INPUT_MISSING'],
])('says so of %s', async (_what, kind, code) => {
  const path = join(newHome(), 'file.db');
  if (kind === 'text')
    writeFileSync(path, 'not a database, but long enough to be read as the header of one, or so it seems\n'.repeat(20));
  if (kind === 'other') openSqlite(path).exec('CREATE TABLE a (b)').close();
  const { memory } = opened();
  await expect(take(memory, claudeMemEntries(path, '/work/shop'))).rejects.toMatchObject({ code });
});

test('notes: a folder of Markdown, and CLAUDE.md in its own project; the user’s own holds everywhere', async () => {
  const folder = newHome();
  mkdirSync(join(folder, 'notes', 'node_modules'), { recursive: true });
  writeFileSync(join(folder, 'notes', 'a.md'), '# A\n\n- the server listens on port 8080\n- ok\n');
  writeFileSync(join(folder, 'notes', 'node_modules', 'b.md'), 'a file of a package');
  writeFileSync(join(folder, 'CLAUDE.md'), '## Style\n- always use tabs\n');
  const { memory } = opened();
  expect(await take(memory, markdownEntries(join(folder, 'notes'), '/project'))).toMatchObject({ added: 1 });
  expect(await take(memory, charterEntries(folder, '/nowhere'))).toMatchObject({ added: 1 });
  expect(await take(memory, charterEntries(join(folder, 'CLAUDE.md'), folder))).toMatchObject({ added: 1 });
  expect(await take(memory, charterEntries(join(folder, 'CLAUDE.md'), folder))).toMatchObject({ added: 0, known: 1 });
  const stored = await memory.allMemories({ all: true }, MS);
  expect(stored).toMatchObject([
    {
      text: 'the server listens on port 8080',
      project: '/project',
      origin: 'person',
      imported: 'markdown a.md line 3',
    },
    { text: 'Style: always use tabs', kind: 'preference', imported: 'claude-md CLAUDE.md line 2' },
    { text: 'Style: always use tabs', project: undefined },
  ]);
});

/** A database with that in it. */
function made(sql: string): string {
  const path = join(newHome(), 'theirs.db');
  const db = openSqlite(path);
  db.exec(sql);
  db.close();
  return path;
}

const OBSERVATIONS = 'CREATE TABLE observations (id, project, title, narrative, created_at, created_at_epoch);';

test('times that are none can be told afterwards like all others', async () => {
  const path = made(`${OBSERVATIONS} INSERT INTO observations VALUES
    (1, 'shop', 'a', 'b', NULL, 9e15), (2, 'shop', 'c', 'd', NULL, 1e300), (3, 'shop', 'e', 'f', NULL, 9223372036854775807),
    (4, 'shop', 'g', 'h', '+275760-09-13', 'soon'), (5, 'shop', 'i', 'j', '1900-01-01', -5), (6, 'shop', 'k', 'l', x'00', x'00')`);
  const { memory } = opened();
  expect(await take(memory, claudeMemEntries(path, '/work/shop'))).toMatchObject({ added: 6 });
  const times = (await memory.allMemories('/work/shop', MS)).map((one) => String(memoryJson(one)['created']));
  expect(times.filter((time) => !/^(?:1970|9999)-/.test(time))).toEqual([]);
});

test.each<[string, string]>([
  ['without the columns that are needed', 'CREATE TABLE observations (project, title)'],
  [
    'whose table is a view, which may have no end',
    `CREATE VIEW observations AS
     WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'shop' AS project, 'x' AS title FROM n`,
  ],
])('a database %s is named as what it is not', async (_, sql) => {
  const { memory } = opened();
  await expect(take(memory, claudeMemEntries(made(sql), '/work/shop'))).rejects.toMatchObject({
    code: 'E_INPUT_FORMAT',
    message: expect.stringContaining('theirs.db is not what it was taken for'),
  });
});

test('of a database that is damaged within, what can be read is taken, and the file is named', async () => {
  const rows = Array.from({ length: 2_000 }, (_, n) => `(${n}, 'shop', 'title ${n}', '${'n'.repeat(300)}', NULL, 1)`);
  const path = made(`${OBSERVATIONS} CREATE UNIQUE INDEX ids ON observations (id);
    INSERT INTO observations VALUES ${rows.join()}`);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0x7f, 300 * 1_024, 400 * 1_024));
  const { memory } = opened();
  await expect(take(memory, claudeMemEntries(path, '/work/shop'))).rejects.toMatchObject({ code: 'E_INPUT_FORMAT' });
  expect((await memory.allMemories('/work/shop', MS)).length).toBeGreaterThan(0);
});

test('a working directory without a beginning is no project', async () => {
  const path = made(`CREATE TABLE exchanges (id, project, cwd, user_message, assistant_message);
    INSERT INTO exchanges VALUES (1, 'x', '../../etc', 'hello', 'world')`);
  const { memory } = opened();
  expect(await take(memory, episodicMemoryEntries(path, '/work/shop'))).toMatchObject({ turns: 0, elsewhere: 1 });
});
