/** Repairs that take long are left to those who have the time. */
import { closeSync, mkdirSync, openSync, readdirSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/memory/schema.ts';
import { spool } from '../../src/memory/spool.ts';
import { beside, MS, newHome, opened, openedAt, openSqlite, turn } from './home.ts';

/** What a prompt waits, and what a command or a hook beside the session has. */
const PROMPT_MS = 150;
const COMMAND_MS = 5_000;

const BODY_BYTES = 1_000_000;
const BODIES = 16;

/** Makes a database so large that looking through it takes longer than a prompt waits. */
function enlarge(path: string): void {
  const db = openSqlite(path);
  for (let i = 0; i < BODIES; i += 1) {
    db.exec(`INSERT INTO turns (handle, key, role, text, tokens, archived_ms) VALUES ('#big${i}', '${i}', 'user',
      hex(zeroblob(${BODY_BYTES / 2})), 1, 1)`);
  }
  db.close();
}

/** Writes nonsense over the page in which a table begins. */
function damagePageOf(path: string, table: string): void {
  const db = openSqlite(path);
  const root = Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table));
  db.close();
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, Buffer.alloc(4_096, 0x5a), 0, 4_096, (root - 1) * 4_096);
  closeSync(descriptor);
}

test('a large damaged database is set aside by a command, and not while a prompt waits', async () => {
  const { memory, home, path } = opened();
  await memory.archive([turn(1)], MS);
  memory.close();
  enlarge(path);
  damagePageOf(path, 'turns');
  const prompt = openedAt(home);
  await expect(prompt.memory.turns(turn(1).handle, PROMPT_MS)).rejects.toMatchObject({ code: 'E_STORE_CORRUPT' });
  await prompt.memory.archive([turn(2)], PROMPT_MS);
  expect(prompt.lines.join()).toContain('1 of 1 records were spooled: memory.db is damaged');
  prompt.memory.close();
  expect(readdirSync(home).filter((name) => name.includes('corrupt'))).toEqual([]);
  const command = openedAt(home);
  expect(await command.memory.turns(turn(2).handle, COMMAND_MS)).toHaveLength(1);
  expect(command.lines.join()).toContain('set aside');
});

test('the full-text index of a large database is made anew by a command, and not while a prompt waits', async () => {
  const { memory, home, path } = opened();
  await memory.archive([turn(1, { text: 'the quick brown fox' })], MS);
  memory.close();
  enlarge(path);
  const db = beside(path);
  db.unsafeMode(true);
  db.exec('UPDATE turns_fts_data SET block = zeroblob(20) WHERE id > 10');
  db.close();
  const prompt = openedAt(home);
  const search = prompt.memory.searchText('brown fox', '/project', 5, PROMPT_MS);
  await expect(search).rejects.toMatchObject({ code: 'E_STORE_CORRUPT', message: expect.stringContaining('index') });
  prompt.memory.close();
  const command = openedAt(home).memory;
  expect((await command.searchText('brown fox', '/project', 5, COMMAND_MS)).turns).toHaveLength(1);
});

test('a large database of an older format is brought up by a command, and not while a prompt waits', async () => {
  const home = newHome();
  const path = join(home, 'memory.db');
  const db = openSqlite(path);
  for (const step of MIGRATIONS.slice(0, 3)) db.exec(step);
  db.pragma('user_version = 3');
  db.close();
  enlarge(path);
  const prompt = openedAt(home).memory;
  await expect(prompt.stats(PROMPT_MS)).rejects.toMatchObject({
    code: 'E_STORE_UNAVAILABLE',
    message: expect.stringContaining('no time'),
  });
  prompt.close();
  expect(readdirSync(home)).not.toContain('memory.db.backup-v3');
  expect(await openedAt(home).memory.stats(COMMAND_MS)).toMatchObject({ turns: BODIES });
});

test('a lock file with something in it does not keep a damaged database in its place', async () => {
  const { memory, home, path } = opened();
  await memory.archive([turn(1)], MS);
  memory.close();
  writeFileSync(path, 'damaged '.repeat(1_000));
  writeFileSync(`${path}.lock`, 'not empty, '.repeat(500));
  const next = openedAt(home).memory;
  await next.archive([turn(2)], MS);
  expect(await next.stats(MS)).toMatchObject({ turns: 1, spoolBytes: 0 });
});

test('a spooled record that the database refuses keeps back no other', async () => {
  const { memory, home, lines } = opened();
  const episode = { state: 'done', trigger: 'x', strategy: 'x', embedding: false, tookMs: 1, dropped: 0 };
  const refused = JSON.stringify({
    kind: 'episode',
    atMs: 1,
    episode: { ...episode, beforeTokens: 1, afterTokens: 1 },
  });
  spool(home, [{ kind: 'turn', atMs: 1, turn: turn(1, { tokens: 1e300 }) }]);
  spool(home, [{ kind: 'turn', atMs: 1, turn: turn(2) }]);
  await memory.stats(MS);
  expect(await memory.stats(MS)).toMatchObject({ turns: 2, spoolBytes: 0 });
  memory.close();
  // A database with a rule of its own, as a later format may have.
  const db = beside(join(home, 'memory.db'));
  db.exec(`CREATE TRIGGER refuses BEFORE INSERT ON episodes BEGIN SELECT RAISE(ABORT, 'no more of them'); END`);
  db.close();
  writeFileSync(join(home, 'spool.ndjson'), `${refused}\n`, { mode: 0o600 });
  spool(home, [{ kind: 'turn', atMs: 1, turn: turn(3) }]);
  const next = openedAt(home);
  expect(await next.memory.stats(MS)).toMatchObject({ turns: 3, episodes: 0, spoolBytes: 0 });
  expect(next.lines.join()).toContain('a spooled episode cannot be taken in');
  expect(lines).toEqual([]);
});

test('a folder or a link among the spooled files keeps back none of them', async () => {
  const { memory, home } = opened();
  mkdirSync(join(home, 'spool.ndjson.taken-000000000000'));
  symlinkSync('/etc/passwd', join(home, 'spool.ndjson.taken-000000000001'));
  spool(home, [{ kind: 'turn', atMs: 1, turn: turn(1) }]);
  expect(await memory.stats(MS)).toMatchObject({ turns: 1, spoolBytes: 0 });
});
