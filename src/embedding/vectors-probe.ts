/** What `chitta doctor` says about the vector cache: nothing while it is well or not there. It looks only. */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { loadSqlite } from '../platform/native.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';
import type { Check, Probe } from '../ports/check.ts';
import { isDamage, SCHEMA_VERSION } from './vector-file.ts';

const name = 'vectors';
const WAIT_MS = 2_000;

/** Without the file vectors last as long as the daemon: all that is lost is time. */
function warning(detail: string, fix: string): Check {
  return { name, state: 'warn', detail: `${detail}; until then every daemon embeds anew`, fix };
}

/** Whether it could be written, without writing. */
function tryToWrite(db: Database.Database, version: number): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.pragma(`user_version = ${version}`);
  } finally {
    db.exec('ROLLBACK');
  }
}

function problemIn(db: Database.Database, path: string): Check[] {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > SCHEMA_VERSION) {
    const detail = `vectors.db has format ${version}, and this chitta knows formats up to ${SCHEMA_VERSION}`;
    return [warning(detail, `update chitta, or rm '${path}'*`)];
  }
  tryToWrite(db, version);
  const verdict = String(db.pragma('quick_check(1)', { simple: true }));
  return verdict === 'ok' ? [] : [damaged(verdict, path)];
}

function damaged(reason: string, path: string): Check {
  return warning(
    `vectors.db is damaged: ${reason}`,
    `rm '${path}'*, or leave it to the daemon, once it meets the damage`,
  );
}

function problemOf(error: unknown, path: string): Check {
  if (isDamage(error)) return damaged(reasonOf(error), path);
  if (codeOf(error)?.startsWith('SQLITE_BUSY') === true) {
    return warning('vectors.db is held by another process', `end the process that holds it: fuser -v '${path}'`);
  }
  const fix = `see that you may write it, and that the disk has room: ls -ld '${dirname(path)}' '${path}'*; df '${path}'`;
  return warning(`vectors.db cannot be used: ${reasonOf(error)}`, fix);
}

/** Names what is wrong with the vector cache, and the command that mends it. */
export function vectorsProbe(home: string): Probe {
  const path = join(home, 'vectors.db');
  return {
    name,
    run: async () => {
      const entry = lstatSync(path, { throwIfNoEntry: false });
      if (entry === undefined) return [];
      if (!entry.isFile()) {
        return [warning('vectors.db is not a regular file', `move it away: mv '${path}' '${path}.away'`)];
      }
      const sqlite = await loadSqlite();
      // What is missing then is told by the check of the memory.
      if (sqlite.state !== 'ok') return [];
      let db: Database.Database | undefined;
      try {
        db = sqlite.open(path, { fileMustExist: true, timeout: WAIT_MS });
        return problemIn(db, path);
      } catch (error) {
        return [problemOf(error, path)];
      } finally {
        db?.close();
      }
    },
  };
}
