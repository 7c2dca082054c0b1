/** Processes that are killed with the database in their hands: what was committed is there, and the file is sound. */
import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/memory/schema.ts';
import { spool } from '../../src/memory/spool.ts';
import { builtStore } from '../memory/built.ts';
import { MS, openedAt, openSqlite, turn } from '../memory/home.ts';
import { databaseRig } from './database.ts';
import { ended, listen, script } from './database-process.ts';

const rig = databaseRig();
let store = '';
beforeAll(async () => {
  store = await builtStore();
}, 60_000);
afterAll(() => rmSync(dirname(store), { recursive: true, force: true }));

const KILLS = 50;
const SEED = 20_261_130;

/** The same numbers in every run, 0 to 1: mulberry32. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Archives for ever, two turns a call, and says which call was answered. */
const WRITER = `
  const [store, home, name] = args;
  const { openMemory } = await import(store);
  const memory = openMemory({ home });
  const turn = (uuid) => ({ handle: '#' + uuid, session: name, project: '/p', uuid, role: 'user', text: ('row ' + uuid + ' ').repeat(80), tokens: 1 });
  say('begun');
  for (let i = 0; ; i++) {
    await memory.archive([turn(name + i + 'a'), turn(name + i + 'b')], 20000);
    say(name + i);
  }
`;

/** So many homes are written to at once, each by one process at a time. */
const LANES = 2;

/** Kills writers of a home, one after the other, and looks at the file each time; then at all that was answered for. Says how much. */
async function survive(name: string, kills: number, random: () => number): Promise<number> {
  const home = rig.emptyHome();
  const path = join(home, 'memory.db');
  const answered: string[] = [];
  let spooled = 0;
  for (let round = 0; round < kills; round += 1) {
    // Now and then there is something to be taken in first.
    if (round % 5 === 4) {
      const records = Array.from(
        { length: 100 },
        (_, i) => ({ kind: 'turn', atMs: 1, turn: turn(spooled + i) }) as const,
      );
      spooled += records.length;
      spool(home, records);
    }
    const writer = script(WRITER, pathToFileURL(store).href, home, `${name}${round}-`);
    // From the moment at which it opens the file to some way into its work.
    const answersFirst = Math.floor(random() * 12);
    const thenMs = random() * 6;
    let heard = 0;
    listen(writer, (line) => {
      if (line !== 'begun') answered.push(line);
      heard += 1;
      if (heard === answersFirst + 1) setTimeout(() => writer.kill('SIGKILL'), thenMs);
    });
    await ended(writer);
    expect(writer.signalCode).toBe('SIGKILL');
    const db = openSqlite(path);
    const verdict = existsSync(path) ? db.pragma('quick_check', { simple: true }) : 'ok';
    db.close();
    expect({ name, round, verdict }).toEqual({ name, round, verdict: 'ok' });
  }
  const { memory } = openedAt(home);
  expect(await memory.stats(MS)).toMatchObject({ spoolBytes: 0 });
  const db = openSqlite(path);
  const held = db.prepare<[], string>('SELECT uuid FROM turns').pluck().all();
  // Both turns of a call or none of it, and none twice.
  expect(new Set(held).size).toBe(held.length);
  const uuids = new Set(held);
  expect(answered.flatMap((call) => [`${call}a`, `${call}b`]).filter((uuid) => !uuids.has(uuid))).toEqual([]);
  expect(held.filter((uuid) => /^k.*a$/.test(uuid) && !uuids.has(uuid.replace(/a$/, 'b')))).toEqual([]);
  expect(held.filter((uuid) => uuid.startsWith('uuid-'))).toHaveLength(spooled);
  // The index as well, word for word.
  expect(() => db.exec("INSERT INTO turns_fts(turns_fts, rank) VALUES ('integrity-check', 1)")).not.toThrow();
  db.close();
  return answered.length;
}

test(
  `killed ${KILLS} times in the middle of writing, it is sound each time and holds every turn that was answered for`,
  { timeout: 120_000 },
  async () => {
    const lanes = Array.from({ length: LANES }, (_, lane) =>
      survive(`k${lane}-`, KILLS / LANES, numbersFrom(SEED + lane)),
    );
    for (const answered of await Promise.all(lanes)) expect(answered).toBeGreaterThan(KILLS / LANES);
  },
);

/** The beginning of a script that kills its own process at one moment of one step. */
const KILLER = (step: number, moment: string): string => `
  const { step, sql, moment } = ${JSON.stringify({ step, sql: MIGRATIONS[step - 1], moment })};
  const { exec, pragma, prepare } = Database.prototype;
  const at = (name) => name === moment && process.kill(process.pid, 'SIGKILL');
  Database.prototype.exec = function (text) {
    if (text !== sql) return exec.call(this, text);
    at('begun');
    const result = exec.call(this, text);
    at('changed');
    return result;
  };
  Database.prototype.pragma = function (text, ...rest) {
    const result = pragma.call(this, text, ...rest);
    if (text === 'user_version = ' + step) at('numbered');
    return result;
  };
  Database.prototype.prepare = function (text) {
    const statement = prepare.call(this, text);
    if (!text.startsWith('VACUUM INTO')) return statement;
    return { run: (...args) => (at('copying'), statement.run(...args), at('copied')) };
  };
`;

/** A database of an older format with a row in it, where it has a table for one. */
function build(path: string, version: number): void {
  const db = openSqlite(path);
  // Nobody waits for the disk of a test.
  db.pragma('synchronous = OFF');
  for (const step of MIGRATIONS.slice(0, version)) db.exec(step);
  db.pragma(`user_version = ${version}`);
  if (version > 0) {
    db.exec(`INSERT INTO memories (kind, origin, status, text, hash, created_ms, revision)
      VALUES ('fact', 'person', 'active', 'kept from before', 'h', 1, 1)`);
  }
  db.close();
}

function shapeOf(path: string): unknown {
  const db = openSqlite(path, { readonly: true });
  try {
    const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2').all();
    return {
      version: db.pragma('user_version', { simple: true }),
      check: db.pragma('quick_check', { simple: true }),
      schema,
    };
  } finally {
    db.close();
  }
}

/** Brings the format of a home up as every process does, with its first call. */
const OPENER = `
  const [store, home] = args;
  const { openMemory } = await import(store);
  await openMemory({ home }).stats(20000);
  say('done');
`;

/** Runs a process that brings the format of a home up, and is killed at one moment of one step. */
async function killedAt(home: string, step: number, moment: string): Promise<void> {
  const opener = script(KILLER(step, moment) + OPENER, pathToFileURL(store).href, home);
  const said: string[] = [];
  listen(opener, (line) => said.push(line));
  await ended(opener);
  expect({ moment, step, signal: opener.signalCode, said }).toEqual({ moment, step, signal: 'SIGKILL', said: [] });
}

test.each(MIGRATIONS.map((_, before) => [before + 1]))(
  'killed at any moment of the step to format %i, it stands at the step before, and the next process takes it',
  async (step) => {
    const home = rig.emptyHome();
    const path = join(home, 'memory.db');
    build(path, Math.max(0, step - 2));
    const expected = join(rig.emptyHome(), 'memory.db');
    build(expected, step - 1);
    for (const moment of ['begun', 'changed', 'numbered']) {
      await killedAt(home, step, moment);
      expect(shapeOf(path)).toEqual({ ...(shapeOf(expected) as object), check: 'ok' });
    }
    const { memory } = openedAt(home);
    const texts = (await memory.memories({ project: undefined, limit: 5 }, MS)).map(({ text }) => text);
    expect(texts).toEqual(step > 2 ? ['kept from before'] : []);
    memory.close();
    expect(shapeOf(path)).toMatchObject({ version: MIGRATIONS.length, check: 'ok' });
  },
);

test.each([['copying'], ['copied']])(
  'killed while the copy is made (%s), nothing has changed but a file left over',
  async (moment) => {
    const home = rig.emptyHome();
    const path = join(home, 'memory.db');
    build(path, 3);
    const before = shapeOf(path);
    await killedAt(home, 4, moment);
    expect(shapeOf(path)).toEqual(before);
    const [left = '', ...more] = readdirSync(home).filter((name) => name.includes('.backup-v'));
    expect(left).toMatch(/^memory\.db\.backup-v3\.[\da-f]{12}$/);
    expect(more).toEqual([]);
    // Another process may be at it still, if it is young.
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(home, left), longAgo, longAgo);
    await openedAt(home).memory.stats(MS);
    expect(readdirSync(home).filter((name) => name.includes('.backup-v'))).toEqual(['memory.db.backup-v3']);
  },
);
