/** What other daemons have left in the folder. */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpointOf } from '../../src/daemon/places.ts';
import { daemonRig, eventually, MODEL } from './support/rig.ts';

const rig = daemonRig();
const MONTH_S = 31 * 24 * 3_600;

function nameFor(home: string): string {
  return endpointOf({ env: { CHITTA_RUNTIME_DIR: rig().runtimeDir }, home, model: MODEL }).name;
}

/** A file as it was left so many seconds ago. */
function leave(file: string, ageS: number): string {
  const path = join(rig().runtimeDir, file);
  const at = Date.now() / 1_000 - ageS;
  writeFileSync(path, '', { mode: 0o600 });
  utimesSync(path, at, at);
  return file;
}

test('a daemon that starts removes what was left a month ago by those whose home is gone, and nothing else', async () => {
  mkdirSync(rig().runtimeDir, { mode: 0o700 });
  const old = nameFor('/old');
  for (const end of ['lock', 'sock', 'new', 'start-7', 'lock-4711']) leave(`${old}.${end}`, MONTH_S);
  const kept = [
    leave(`${nameFor('/used')}.lock`, 3_600),
    leave(`${nameFor('/half')}.lock`, MONTH_S),
    leave(`${nameFor('/half')}.start-1`, 3_600),
    leave('notes.txt', MONTH_S),
    leave(`${nameFor('/other')}.txt`, MONTH_S),
  ];
  await rig().daemon();
  const files = await eventually(() => {
    const names = readdirSync(rig().runtimeDir);
    return !names.some((name) => name.startsWith(old)) && names;
  }, 'an end of the old files');
  // SQLite's journal is there as long as the lock is held.
  const own = ['lock', 'lock-journal', 'sock'].map((end) => `${rig().endpoint.name}.${end}`);
  expect(files.toSorted()).toEqual([...kept, ...own].toSorted());
});

test('a daemon that runs is left alone, however old its files are', async () => {
  const other = { home: join(rig().folder, 'other') };
  rig().spawn(other);
  const name = nameFor(other.home);
  await eventually(() => rig().journal('serving')[0], 'the first');
  const at = Date.now() / 1_000 - MONTH_S;
  for (const file of [`${name}.lock`, `${name}.sock`]) utimesSync(join(rig().runtimeDir, file), at, at);
  await rig().daemon();
  await eventually(() => rig().journal('serving')[1], 'the second');
  expect(readdirSync(rig().runtimeDir)).toEqual(expect.arrayContaining([`${name}.lock`, `${name}.sock`]));
});
