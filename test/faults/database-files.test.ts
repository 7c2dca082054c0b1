/** What may have become of the files: every hook goes on, every command names it, and `chitta doctor` says what to do. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handleOf } from '../../src/messages/handle.ts';
import { memoryProbe } from '../../src/memory/probe.ts';
import { MIGRATIONS } from '../../src/memory/schema.ts';
import type { Check } from '../../src/ports/check.ts';
import { SPOOL_MAX_BYTES } from '../../src/memory/spool.ts';
import { readTranscript } from '../../src/transcript/index.ts';
import { openSqlite } from '../memory/home.ts';
import {
  databaseRig,
  doctorOf,
  expectHarmless,
  expectNamed,
  HOOKS,
  logOf,
  SEED_TURNS,
  TRANSCRIPT_TURNS,
  turnsHeld,
} from './database.ts';

const rig = databaseRig();

function overwrite(path: string, from: number, bytes: Buffer): void {
  const all = readFileSync(path);
  bytes.copy(all, from);
  writeFileSync(path, all);
}

function inPlaceOf(path: string, put: (path: string) => void): void {
  rmSync(path);
  put(path);
}

interface Said {
  readonly state: string;
  readonly detail: RegExp;
  readonly fix: RegExp;
}

/** What a check must say. */
function said({ state, detail, fix }: Said): object {
  return { state, detail: expect.stringMatching(detail), fix: expect.stringMatching(fix) };
}

interface Fault {
  readonly damage: (path: string) => void;
  /** What the first use makes of it. */
  readonly heals: 'set aside' | 'as it was' | 'no';
  /** The error of a command, if it does not heal. */
  readonly command?: RegExp;
  /** What doctor says once every hook has been there. */
  readonly doctor: Said;
}

const DAMAGED = { state: 'fail', detail: /is damaged|not a database/, fix: /mkdir .*away' && mv / };
const WELL = { state: 'ok', detail: /turns/, fix: /./ };
const ASIDE = { state: 'warn', detail: /set aside/, fix: /sqlite3 '.*corrupt-.*' \.recover/ };

const FAULTS: Readonly<Record<string, Fault>> = {
  'a header overwritten': {
    damage: (path) => overwrite(path, 0, Buffer.alloc(100, 0x5a)),
    heals: 'set aside',
    doctor: ASIDE,
  },
  'its page size changed': {
    damage: (path) => overwrite(path, 16, Buffer.from([0x00, 0x07])),
    heals: 'set aside',
    doctor: ASIDE,
  },
  'half of it cut off': {
    damage: (path) => truncateSync(path, 40_960),
    heals: 'set aside',
    doctor: ASIDE,
  },
  'another file in its place': {
    damage: (path) => writeFileSync(path, 'this was never a database. '.repeat(400)),
    heals: 'set aside',
    doctor: ASIDE,
  },
  'zero bytes': {
    damage: (path) => truncateSync(path, 0),
    heals: 'as it was',
    doctor: WELL,
  },
  'a damaged journal beside it': {
    damage: (path) => writeFileSync(`${path}-wal`, 'no journal at all, '.repeat(500)),
    heals: 'as it was',
    doctor: WELL,
  },
  'a damaged index of the journal beside it': {
    damage: (path) => writeFileSync(`${path}-shm`, 'no index at all, '.repeat(4_000)),
    heals: 'as it was',
    doctor: WELL,
  },
  'a directory in its place': {
    damage: (path) => inPlaceOf(path, (at) => mkdirSync(at)),
    heals: 'no',
    command: /E_STORE_UNAVAILABLE/,
    doctor: { state: 'fail', detail: /not a regular file/, fix: /mv / },
  },
  'a link in its place': {
    damage: (path) => inPlaceOf(path, (at) => symlinkSync('/etc/passwd', at)),
    heals: 'no',
    command: /E_STORE_UNAVAILABLE/,
    doctor: { state: 'fail', detail: /not a regular file/, fix: /mv / },
  },
  'a directory in place of its journal': {
    damage: (path) => mkdirSync(`${path}-wal`),
    heals: 'no',
    command: /E_STORE_UNAVAILABLE/,
    doctor: { state: 'fail', detail: /cannot be used/, fix: /ls -ld/ },
  },
  'a format that a newer chitta wrote': {
    damage: makeNewer,
    heals: 'no',
    command: /E_STORE_VERSION/,
    doctor: { state: 'fail', detail: /formats up to/, fix: /update chitta/ },
  },
  'the number of a newer format, and nothing else of it': {
    damage: (path) => setVersion(path, MIGRATIONS.length + 1),
    heals: 'no',
    command: /E_STORE_VERSION/,
    doctor: { state: 'fail', detail: /the number is damaged/, fix: /PRAGMA user_version = / },
  },
  'a format that it does not have': {
    damage: (path) => setVersion(path, 0),
    heals: 'no',
    command: /E_STORE_CORRUPT/,
    doctor: { state: 'fail', detail: /not as chitta made it/, fix: /mkdir .*away' && mv / },
  },
};

function setVersion(path: string, version: number): void {
  const db = openSqlite(path);
  db.pragma(`user_version = ${version}`);
  db.close();
}

/** As a newer chitta would leave it: with something that this one does not know. */
function makeNewer(path: string): void {
  const db = openSqlite(path);
  db.exec('ALTER TABLE memories ADD COLUMN mood TEXT');
  db.pragma(`user_version = ${MIGRATIONS.length + 1}`);
  db.close();
}

/** Of those that heal, the first event to meet it is enough: all others meet a database that is well. */
const FIRST_TO_MEET: readonly string[] = ['pre-compact', 'stop'];

async function meet(home: string, events: readonly string[]): Promise<void> {
  for (const event of events) await expectHarmless(await rig.hook(home, event));
}

/** What doctor says; that it says so is tested where a person reads it. */
function checks(home: string): Promise<readonly Check[]> | readonly Check[] {
  return memoryProbe(home).run();
}

const cases = Object.entries(FAULTS);

test.each(cases.filter(([, { heals }]) => heals === 'no'))(
  'a database with %s is gone without, and what is to be kept waits for a better one',
  async (_name, { damage, command = /./, doctor }) => {
    const home = await rig.seededHome();
    const path = join(home, 'memory.db');
    const good = readFileSync(path);
    damage(path);
    await meet(home, HOOKS);
    const listed = await rig.run(home, 'memory', 'list');
    expectNamed(listed, command);
    expect(listed.stderr).toContain('try: ');
    const [database, spooled] = await checks(home);
    expect(database).toMatchObject(said(doctor));
    expect(spooled).toMatchObject({ state: 'warn', detail: expect.stringContaining('wait to be taken in') });
    expect(logOf(home)).toMatch(/19 of 19 records were spooled: memory\.db /);
    // Somebody does what doctor says, and has a copy.
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { recursive: true, force: true });
    writeFileSync(path, good, { mode: 0o600 });
    expect(await turnsHeld(home)).toBe(SEED_TURNS + TRANSCRIPT_TURNS);
    expect(await checks(home)).toMatchObject([{ state: 'ok' }]);
  },
);

test.each(cases.filter(([, { heals }]) => heals === 'set aside'))(
  'a database with %s is set aside, and a new one takes its place',
  async (_name, { damage, doctor }) => {
    const home = await rig.seededHome();
    const path = join(home, 'memory.db');
    damage(path);
    const damaged = readFileSync(path);
    expect(await checks(home)).toMatchObject([said(DAMAGED)]);
    // Looking changes nothing.
    expect(readFileSync(path).equals(damaged)).toBe(true);
    await meet(home, FIRST_TO_MEET);
    const aside = readdirSync(home).filter((name) => /^memory\.db\.corrupt-[\dTZ-]+$/.test(name));
    expect(aside).toHaveLength(1);
    expect(readFileSync(join(home, aside[0] ?? '')).equals(damaged)).toBe(true);
    expect(await turnsHeld(home)).toBe(TRANSCRIPT_TURNS);
    expect(logOf(home)).toContain('set aside as');
    expect(await checks(home)).toMatchObject([{ state: 'ok' }, said(doctor)]);
    const added = await rig.run(home, 'memory', 'add', 'the port is 9090');
    expect(added).toMatchObject({ stdout: expect.stringMatching(/^\d+\n$/), exitCode: 0 });
  },
);

test.each(cases.filter(([, { heals }]) => heals === 'as it was'))('a database with %s goes on', async (name, fault) => {
  const home = await rig.seededHome();
  fault.damage(join(home, 'memory.db'));
  await meet(home, FIRST_TO_MEET);
  expect(await turnsHeld(home)).toBe(TRANSCRIPT_TURNS + (name === 'zero bytes' ? 0 : SEED_TURNS));
  expect(readdirSync(home).filter((file) => file.includes('corrupt'))).toEqual([]);
  expect(await checks(home)).toMatchObject([{ state: 'ok' }]);
});

test('a database of a newer format stays as it is, byte for byte, whoever comes', async () => {
  const home = await rig.seededHome();
  const path = join(home, 'memory.db');
  makeNewer(path);
  const before = readFileSync(path);
  await meet(home, HOOKS);
  expectNamed(await rig.run(home, 'memory', 'add', 'text'), /E_STORE_VERSION/);
  expect(await doctorOf(rig, home)).toEqual(await checks(home));
  expect(readFileSync(path).equals(before)).toBe(true);
  // Compiled code is kept where a hook had time for it.
  const files = readdirSync(home).filter((name) => name !== 'code');
  expect(files.toSorted()).toEqual(['chitta.log', 'memory.db', 'spool.ndjson']);
});

test('damage that nobody meets is found by doctor, which leaves it as it is', async () => {
  const home = await rig.seededHome();
  const path = join(home, 'memory.db');
  truncateSync(path, statSync(path).size - 2_000);
  const before = readFileSync(path);
  const { stdout, exitCode } = await rig.run(home, 'doctor');
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/fail {2}memory +memory\.db is damaged: [\s\S]*→ move it away/);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('doctor says when the spool has no room left, and when only the index is damaged', async () => {
  const home = await rig.seededHome();
  writeFileSync(join(home, 'spool.ndjson'), Buffer.alloc(SPOOL_MAX_BYTES, '\n'), { mode: 0o600 });
  const db = openSqlite(join(home, 'memory.db'));
  db.unsafeMode(true);
  db.exec('UPDATE turns_fts_data SET block = zeroblob(20) WHERE id > 10');
  db.close();
  expect(await checks(home)).toMatchObject([
    {
      state: 'warn',
      detail: expect.stringContaining('full-text index'),
      fix: expect.stringContaining('memory search'),
    },
    { state: 'warn', detail: expect.stringContaining('no longer archived'), fix: expect.stringContaining('stats') },
  ]);
  // Of another project, so that nothing is found; the index is met all the same.
  expect(await rig.run(home, 'memory', 'search', 'turn old')).toMatchObject({ stdout: '', exitCode: 0 });
  expect(await checks(home)).toMatchObject([{ state: 'ok' }]);
});

test('what a lost database held comes back from the transcript, by its handle', async () => {
  const home = rig.emptyHome();
  mkdirSync(join(home, 'memory.db'));
  const { messages } = await readTranscript(rig.transcript);
  const { stdout, exitCode } = await rig.run(
    home,
    'show',
    handleOf(messages[1] ?? { role: '' }),
    '--file',
    rig.transcript,
    '--json',
  );
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ source: 'transcript', text: expect.stringContaining('Step 0 is done') });
});
