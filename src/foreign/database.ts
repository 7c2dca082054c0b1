/** Databases of other programs: read, never written. */
import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { ChittaError } from '../errors.ts';
import { loadSqlite } from '../platform/native.ts';
import { reasonOf } from '../platform/small-file.ts';

/** A program that writes is waited for as long. */
const WAIT_MS = 5_000;

/**
 * Opens a database to read it. Throws E_INPUT_MISSING if it is not there, E_INPUT_FORMAT if it lacks one of the tables,
 * E_STORE_UNAVAILABLE without SQLite.
 */
export async function openForeign(path: string, tables: readonly string[]): Promise<Database.Database> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new ChittaError('E_INPUT_MISSING', `there is no file ${path}`, { hint: 'name the database file itself' });
  }
  const sqlite = await loadSqlite();
  if (sqlite.state !== 'ok') {
    throw new ChittaError('E_STORE_UNAVAILABLE', `${path} cannot be read: ${sqlite.reason}`, { hint: 'chitta setup' });
  }
  let db: Database.Database | undefined;
  try {
    db = sqlite.open(path, { readonly: true, fileMustExist: true, timeout: WAIT_MS });
    const opened = db;
    // What stands in its schema is another's: it may name no functions with effects, and a view may have rows without an end.
    db.pragma('trusted_schema = OFF');
    const isTable = db
      .prepare<[string], number>("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
      .pluck();
    const missing = tables.filter((table) => isTable.get(table) === undefined || columnsOf(opened, table).size === 0);
    if (missing.length > 0) throw new Error(`it has no table ${missing.join(', ')}`);
    return db;
  } catch (error) {
    db?.close();
    throw unlike(path, error);
  }
}

function unlike(path: string, error: unknown): ChittaError {
  return new ChittaError('E_INPUT_FORMAT', `${path} is not what it was taken for: ${reasonOf(error)}`, {
    hint: 'chitta memory import --help names the files that are read',
    cause: error,
  });
}

/** The rows of a query, one by one. Throws E_INPUT_FORMAT where the file is damaged, or has not the columns that are asked for. */
export function* rowsOf(db: Database.Database, query: string): Generator<Readonly<Record<string, unknown>>> {
  try {
    // Rows of a query, whose cells are looked at one by one.
    for (const row of db.prepare(query).iterate()) yield row as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw unlike(db.name, error);
  }
}

/** Names of a table's columns; none if there is no such table. Versions of a program differ in them. */
export function columnsOf(db: Database.Database, table: string): ReadonlySet<string> {
  return new Set(db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table));
}

/** A cell's text; undefined if it has none. */
export function cellText(row: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
