import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/memory/schema.ts';
import { fact, MS, newHome, openedAt, openSqlite, turn } from './home.ts';

/** SHA-256 of the steps, first 16 digits. A released step never changes; a new one adds a line. */
const RELEASED: readonly string[] = [
  '22a8ba7ab908fd1d',
  'b9a2cd593ec1b0b8',
  'a52cd92673766825',
  'eef4c5956b0f1f24',
  'b51cbd9770040310',
  '075c292596328e63',
  '6000032be4ad792a',
  '7f3bad9de4b05081',
  'c10a4aec4778e34f',
];

function build(path: string, version: number): Sqlite.Database {
  const db = openSqlite(path);
  for (const step of MIGRATIONS.slice(0, version)) db.exec(step);
  db.pragma(`user_version = ${version}`);
  return db;
}

test('released steps are what they were', () => {
  const hashes = MIGRATIONS.map((step) => createHash('sha256').update(step).digest('hex').slice(0, 16));
  expect(hashes.slice(0, RELEASED.length)).toEqual(RELEASED);
  expect(hashes).toHaveLength(RELEASED.length);
});

describe('a database of an older format', () => {
  test.each(MIGRATIONS.map((_, version) => version).slice(1))(
    '%i comes to the newest with its rows',
    async (version) => {
      const home = newHome();
      const path = join(home, 'memory.db');
      const db = build(path, version);
      db.exec(`INSERT INTO memories (kind, origin, status, text, hash, created_ms, revision)
      VALUES ('fact', 'person', 'active', 'kept from before', 'h', 1, 1);
        INSERT INTO memories_fts (rowid, text) SELECT id, text FROM memories`);
      db.close();
      const { memory } = openedAt(home);
      expect((await memory.memories({ project: undefined, limit: 5 }, MS)).map(({ text }) => text)).toEqual([
        'kept from before',
      ]);
      await memory.archive([turn(1)], MS);
      expect((await memory.searchText('kept', undefined, 5, MS)).memories).toHaveLength(1);
      const rule = {
        text: 'a rule',
        status: 'accepted',
        replaces: undefined,
        project: undefined,
        session: 's',
      } as const;
      await memory.addDirective(rule, MS);
      expect(await memory.directives(undefined, MS)).toMatchObject([{ id: 1, ...rule }]);
      const backup = join(home, `memory.db.backup-v${version}`);
      expect(statSync(backup).mode & 0o777).toBe(0o600);
      const copy = openSqlite(backup, { readonly: true });
      expect(copy.pragma('user_version', { simple: true })).toBe(version);
      expect(copy.prepare('SELECT text FROM memories').pluck().all()).toEqual(['kept from before']);
      copy.close();
    },
  );

  test('keeps its directives under their numbers, what was purged of them too', async () => {
    const home = newHome();
    const db = build(join(home, 'memory.db'), 7);
    db.exec(`INSERT INTO directives (id, project, session, status, text, replaces, created_ms) VALUES
      (3, '/project', 's', 'accepted', 'one', NULL, 10), (4, '/project', NULL, 'amended', 'two', 3, 20),
      (5, NULL, NULL, 'accepted', 'three', NULL, 30), (6, NULL, NULL, 'revoked', 'three', 5, 40),
      (7, '/project', NULL, 'revoked', '', NULL, 50)`);
    db.close();
    const { memory } = openedAt(home);
    expect(await memory.directives('/project', MS)).toMatchObject([
      { id: 3, status: 'accepted', text: 'one', session: 's', who: 'person', createdMs: 10 },
      { id: 4, status: 'amended', text: 'two', replaces: 3 },
      { id: 5, project: undefined, text: 'three' },
      { id: 6, status: 'revoked', text: 'three', replaces: 5 },
      { id: 7, status: 'revoked', text: '' },
    ]);
    const rule = { text: 'new', status: 'accepted', replaces: 4, project: '/project', session: undefined } as const;
    expect(await memory.addDirective(rule, MS)).toMatchObject({ id: 8 });
  });

  test('is the same in the end as a new one', async () => {
    const shape = (path: string): unknown => {
      const db = openSqlite(path, { readonly: true });
      try {
        return [db.pragma('user_version'), db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2').all()];
      } finally {
        db.close();
      }
    };
    const [old, fresh] = [newHome(), newHome()];
    build(join(old, 'memory.db'), 1).close();
    await openedAt(old).memory.stats(MS);
    await openedAt(fresh).memory.stats(MS);
    expect(shape(join(old, 'memory.db'))).toEqual(shape(join(fresh, 'memory.db')));
  });

  test('stays at its step if the next one fails', async () => {
    const home = newHome();
    const db = build(join(home, 'memory.db'), 1);
    db.exec('CREATE TABLE vectors_by_model (x)');
    db.close();
    await expect(openedAt(home).memory.stats(MS)).rejects.toThrow(/vectors_by_model/);
    const left = openSqlite(join(home, 'memory.db'));
    expect(left.pragma('user_version', { simple: true })).toBe(1);
    expect(left.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'vectors'").pluck().get()).toBe(0);
    left.exec('DROP TABLE vectors_by_model');
    left.close();
    await openedAt(home).memory.remember(fact('a'), MS);
  });
});

test('a database of a newer format is left byte for byte, and the error says what to do', async () => {
  const home = newHome();
  const path = join(home, 'memory.db');
  const db = build(path, MIGRATIONS.length);
  db.pragma(`user_version = ${MIGRATIONS.length + 1}`);
  db.close();
  const before = readFileSync(path);
  const { memory } = openedAt(home);
  await expect(memory.stats(MS)).rejects.toMatchObject({
    code: 'E_STORE_VERSION',
    hint: expect.stringContaining('update'),
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(home)).toEqual(['memory.db']);
});

test('a database of a newer format has turns spooled for the chitta that knows it', async () => {
  const home = newHome();
  build(join(home, 'memory.db'), 0).pragma('user_version = 99');
  const { memory } = openedAt(home);
  await memory.archive([turn(1)], MS);
  expect(readFileSync(join(home, 'spool.ndjson'), 'utf8')).toContain(turn(1).text);
});
