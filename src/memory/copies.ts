/** The files of the database, and the copies of it that chitta makes. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setAsideNames } from './damage.ts';
import { BACKUP } from './migrate.ts';

/** Bytes of the database with its journal. */
export function storeBytes(path: string): number {
  return ['', '-wal', '-shm'].reduce(
    (sum, end) => sum + (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/** Deletes migration backups and files set aside as damaged: they hold what was just forgotten. Returns their names. */
export function removeCopies(path: string): string[] {
  const backups = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path) + BACKUP));
  const names = [...backups, ...setAsideNames(path)];
  for (const name of names) rmSync(join(dirname(path), name), { force: true });
  return names;
}
