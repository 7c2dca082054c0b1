/** The files of the database, and the copies of it that chitta makes. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SET_ASIDE } from './damage.ts';
import { BACKUP } from './migrate.ts';

/** Bytes of the database with its journal. */
export function storeBytes(path: string): number {
  return ['', '-wal', '-shm'].reduce(
    (sum, end) => sum + (statSync(path + end, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

/** Paths of the databases that were set aside as damaged, without those of their journals. */
export function setAsideFiles(path: string): string[] {
  const start = basename(path) + SET_ASIDE;
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(start) && !/-(?:wal|shm)$/.test(name));
  return names.map((name) => join(dirname(path), name));
}

/** Deletes migration backups and files set aside as damaged: they hold what was just forgotten. Returns their names. */
export function removeCopies(path: string): string[] {
  const starts = [BACKUP, SET_ASIDE].map((end) => basename(path) + end);
  const names = readdirSync(dirname(path)).filter((name) => starts.some((start) => name.startsWith(start)));
  for (const name of names) rmSync(join(dirname(path), name), { force: true });
  return names;
}
