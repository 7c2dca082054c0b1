/** The database in the hands of another process: for a moment, and for longer than anyone waits. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryProbe } from '../../src/memory/probe.ts';
import {
  databaseRig,
  expectHarmless,
  expectNamed,
  HOOKS,
  logOf,
  SEED_TURNS,
  TRANSCRIPT_TURNS,
  turnsHeld,
} from './database.ts';
import { ended, nextLine, script } from './database-process.ts';
import { expectInTime } from './support/machine.ts';

const rig = databaseRig();

/** Holds a database for so many milliseconds. `all`: readers are kept out as well. */
const HOLDER = `
  const [path, ms, what] = args;
  const db = open(path);
  if (what === 'all') db.pragma('locking_mode = EXCLUSIVE');
  db.exec('BEGIN EXCLUSIVE');
  say('held');
  setTimeout(() => { db.exec('ROLLBACK'); db.close(); }, Number(ms));
`;

test.each([['writers'], ['all']])(
  'held for minutes against %s, every hook and command is back within its own time',
  { timeout: 120_000 },
  async (what) => {
    const home = await rig.seededHome();
    const path = join(home, 'memory.db');
    const holder = script(HOLDER, path, '600000', what);
    await nextLine(holder);
    for (const event of HOOKS.slice(0, -2)) await expectHarmless(await rig.hook(home, event));
    // They have time, and take it.
    const [added, ...stopped] = await Promise.all([
      rig.run(home, 'memory', 'add', 'the port is 9090'),
      ...HOOKS.slice(-2).map((event) => rig.hook(home, event)),
    ]);
    for (const one of stopped) await expectHarmless(one);
    expectNamed(added, /E_STORE_BUSY/);
    expect(added.stderr).toContain('try: ');
    // It has 5 s for it, and a start and an end.
    await expectInTime(added, 8_000);
    expect(await memoryProbe(home).run()).toMatchObject([
      { state: 'fail', detail: expect.stringContaining('in use'), fix: expect.stringContaining('fuser') },
      { state: 'warn', detail: expect.stringContaining('wait to be taken in') },
    ]);
    expect(logOf(home)).toMatch(/records were spooled: memory\.db is in use/);
    // It was held all the time, and is let go as a process that was killed lets go.
    expect(holder.exitCode).toBeNull();
    holder.kill('SIGKILL');
    await ended(holder);
    expect(await turnsHeld(home)).toBe(SEED_TURNS + TRANSCRIPT_TURNS);
    expect(readdirSync(home).filter((name) => name.startsWith('spool'))).toEqual([]);
  },
);

test('held for three seconds, a command and the hook that runs beside the session wait for it', async () => {
  const home = await rig.seededHome();
  const holder = script(HOLDER, join(home, 'memory.db'), '3000', 'writers');
  await nextLine(holder);
  const [added, stopped, guided] = await Promise.all([
    rig.run(home, 'memory', 'add', 'the port is 9090'),
    rig.hook(home, 'stop'),
    rig.hook(home, 'pre-compact'),
  ]);
  // What the session itself taught may stand before it.
  expect(added).toMatchObject({ stdout: expect.stringMatching(/^\d+\n$/), exitCode: 0 });
  await expectHarmless(stopped);
  await expectHarmless(guided);
  expect(await turnsHeld(home)).toBe(SEED_TURNS + TRANSCRIPT_TURNS);
});
