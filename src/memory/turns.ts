/** Archived turns: SQL only. Rows come in masked. */
import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { ArchivedTurn, Neighbours, StoredTurn } from '../ports/memory.ts';

interface Row {
  id: number;
  handle: string;
  session: string | null;
  project: string | null;
  uuid: string | null;
  role: string;
  text: string;
  tokens: number;
  archived_ms: number;
}

const COLUMNS = 'turns.id, handle, session, project, uuid, role, turns.text, tokens, archived_ms';

function turnOf(row: Row): StoredTurn {
  return {
    id: row.id,
    handle: row.handle,
    session: row.session ?? undefined,
    project: row.project ?? undefined,
    uuid: row.uuid ?? undefined,
    role: row.role,
    text: row.text,
    tokens: row.tokens,
    archivedMs: row.archived_ms,
  };
}

/** What makes two turns with one handle the same turn. */
function keyOf({ uuid, role, text }: ArchivedTurn): string {
  if (uuid !== undefined && uuid !== '') return uuid;
  return createHash('sha256').update(`${role}\n${text}`).digest('hex');
}

export interface TurnTable {
  /** The same turn twice is one row, the first. */
  add(turn: ArchivedTurn, atMs: number): void;
  byHandle(handle: string): StoredTurn[];
  neighbours(turn: StoredTurn, count: number): Neighbours;
  search(expression: string, project: string | undefined, limit: number): StoredTurn[];
  count(): number;
}

export function turnTable(db: Database.Database): TurnTable {
  const insert = db.prepare(
    `INSERT INTO turns (handle, key, session, project, uuid, role, text, tokens, archived_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (handle, key) DO NOTHING`,
  );
  const addToIndex = db.prepare('INSERT INTO turns_fts (rowid, text) VALUES (?, ?)');
  const byHandle = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM turns WHERE handle = ? ORDER BY id`);
  const before = db.prepare<[string | null, number, number], Row>(
    `SELECT ${COLUMNS} FROM turns WHERE session = ? AND id < ? ORDER BY id DESC LIMIT ?`,
  );
  const after = db.prepare<[string | null, number, number], Row>(
    `SELECT ${COLUMNS} FROM turns WHERE session = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const search = db.prepare<[string, string | null, number], Row>(
    `SELECT ${COLUMNS} FROM turns_fts JOIN turns ON turns.id = turns_fts.rowid
     WHERE turns_fts MATCH ? AND project IS ? ORDER BY bm25(turns_fts), turns.id DESC LIMIT ?`,
  );
  const count = db.prepare<[], number>('SELECT count(*) FROM turns').pluck();
  return {
    add: (turn, atMs) => {
      const { handle, session, project, uuid, role, text, tokens } = turn;
      const origin = [session ?? null, project ?? null, uuid ?? null];
      const { changes, lastInsertRowid } = insert.run(handle, keyOf(turn), ...origin, role, text, tokens, atMs);
      if (changes > 0) addToIndex.run(lastInsertRowid, text);
    },
    byHandle: (handle) => byHandle.all(handle).map(turnOf),
    neighbours: ({ session, id }, limit) => ({
      before: before
        .all(session ?? null, id, limit)
        .map(turnOf)
        .reverse(),
      after: after.all(session ?? null, id, limit).map(turnOf),
    }),
    search: (expression, project, limit) => search.all(expression, project ?? null, limit).map(turnOf),
    count: () => count.get() ?? 0,
  };
}
