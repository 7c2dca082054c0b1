/** Archived turns: SQL only. Rows come in masked. */
import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { ArchivedTurn, Neighbours, StoredTurn, TurnQuery, TurnRange, TurnText } from '../ports/turns.ts';

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

/** Characters that tell what a turn of a list is about. */
const BEGINNING = 400;

/**
 * Bytes of words that the full-text index gathers before it writes them out, when very many turns come in, and its own default:
 * fewer and larger pieces need less merging.
 */
const BULK_GATHERED = 16_777_216;
const GATHERED = 1_048_576;
/** Kibibytes of pages that stay in memory meanwhile. Of the connection, which goes back to SQLite's own figure afterwards. */
const BULK_PAGES_KIB = 32_768;
const PAGES_KIB = 2_000;

/** What makes two turns with one handle the same turn. */
function keyOf({ uuid, role }: Named, text: string | Buffer): string {
  if (uuid !== undefined && uuid !== '') return uuid;
  return createHash('sha256').update(`${role}\n`).update(text).digest('hex');
}

type Named = Omit<ArchivedTurn, 'text'>;

interface Scope {
  readonly session: string;
  readonly project: string | undefined;
}

export interface TurnTable {
  /**
   * The same turn twice is one row, the one that says more: it may have been read before all of it was written. A text in UTF-8 goes in
   * as it is, which is a quarter cheaper.
   */
  add(turn: Named, text: string | Buffer, atMs: number): void;
  /** For adding very many in one transaction, within which it must be called. */
  inBulk(work: () => void): void;
  byHandle(handle: string): StoredTurn[];
  byId(id: number): StoredTurn | undefined;
  texts(range: TurnRange): TurnText[];
  /** The highest id; 0 without turns. */
  newestId(): number;
  newest(query: TurnQuery): StoredTurn[];
  neighbours(turn: StoredTurn, count: number): Neighbours;
  search(expression: string, project: string | undefined, limit: number): StoredTurn[];
  /** As `search`, without what the session has before its eyes. */
  searchAway(expression: string, scope: Scope, limit: number): StoredTurn[];
  /** Of what has left the session's context. */
  searchLeft(expression: string, session: string, limit: number): StoredTurn[];
  /** Of these turns, those of which the table says less, or nothing. */
  unknownOf(turns: readonly ArchivedTurn[]): ArchivedTurn[];
  /** Whether a turn that the session has before its eyes matches. */
  isLive(expression: string, session: string): boolean;
  /** Notes that the turns of a session have left its context, all but those of these messages. */
  leave(session: string, stillThere: readonly string[], atMs: number): void;
  count(): number;
}

export function turnTable(db: Database.Database): TurnTable {
  const known = db.prepare<[string, string], { id: number; text: string }>(
    'SELECT id, text FROM turns WHERE handle = ? AND key = ?',
  );
  const insert = db.prepare(
    `INSERT INTO turns (handle, key, session, project, uuid, role, text, tokens, archived_ms, left_ms)
     VALUES (?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?, ?)`,
  );
  const extend = db.prepare('UPDATE turns SET text = ?, tokens = ? WHERE id = ?');
  const markLeft = db.prepare('UPDATE turns SET left_ms = ? WHERE id = ? AND left_ms IS NULL');
  const length = db
    .prepare<[string, string], number>('SELECT length(text) FROM turns WHERE handle = ? AND key = ?')
    .pluck();
  const addToIndex = db.prepare('INSERT INTO turns_fts (rowid, text) VALUES (?, CAST(? AS TEXT))');
  const gather = db.prepare("INSERT INTO turns_fts (turns_fts, rank) VALUES ('hashsize', CAST(? AS INTEGER))");
  const byHandle = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM turns WHERE handle = ? ORDER BY id`);
  const byId = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM turns WHERE id = ?`);
  // Along the ids: without an index by project it costs the same wherever the project's turns are.
  const texts = db.prepare<[TurnRange], TurnText>(
    `SELECT id, role, text FROM turns
     WHERE id > @above AND id <= @upTo AND project = @project AND octet_length(text) <= @maxBytes ORDER BY id`,
  );
  const newestId = db.prepare<[], number | null>('SELECT max(id) FROM turns').pluck();
  // Of a long text only the beginning is read: the rest stands on pages of its own.
  const newest = db.prepare<[{ project: string | null; beforeId: number; limit: number }], Row>(
    `SELECT ${COLUMNS.replace('turns.text', `substr(turns.text, 1, ${BEGINNING}) AS text`)} FROM turns
     WHERE project IS @project AND id < @beforeId ORDER BY id DESC LIMIT @limit`,
  );
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
  const searchAway = db.prepare<[{ expression: string; project: string | null; session: string; limit: number }], Row>(
    `SELECT ${COLUMNS} FROM turns_fts JOIN turns ON turns.id = turns_fts.rowid
     WHERE turns_fts MATCH @expression AND project IS @project AND (session IS NOT @session OR left_ms IS NOT NULL)
     ORDER BY bm25(turns_fts), turns.id DESC LIMIT @limit`,
  );
  const searchLeft = db.prepare<[string, string, number], Row>(
    `SELECT ${COLUMNS} FROM turns_fts JOIN turns ON turns.id = turns_fts.rowid
     WHERE turns_fts MATCH ? AND session = ? AND left_ms IS NOT NULL ORDER BY bm25(turns_fts), turns.id DESC LIMIT ?`,
  );
  const isLive = db.prepare<[string, string], number>(
    `SELECT 1 FROM turns_fts JOIN turns ON turns.id = turns_fts.rowid
     WHERE turns_fts MATCH ? AND session = ? AND left_ms IS NULL LIMIT 1`,
  );
  const leave = db.prepare(
    `UPDATE turns SET left_ms = @atMs WHERE session = @session AND left_ms IS NULL
       AND archived_ms <= @atMs AND (uuid IS NULL OR uuid NOT IN (SELECT value FROM json_each(@stillThere)))`,
  );
  const count = db.prepare<[], number>('SELECT count(*) FROM turns').pluck();
  return {
    add: (turn, text, atMs) => {
      const { handle, session, project, uuid, role, tokens } = turn;
      const key = keyOf(turn, text);
      const there = known.get(handle, key);
      if (there !== undefined) {
        const said = String(text);
        if (said.length > there.text.length) extend.run(said, tokens, there.id);
        if (turn.left === true) markLeft.run(atMs, there.id);
        return;
      }
      const origin = [session ?? null, project ?? null, uuid ?? null];
      const { lastInsertRowid } = insert.run(
        handle,
        key,
        ...origin,
        role,
        text,
        tokens,
        atMs,
        turn.left === true ? atMs : null,
      );
      addToIndex.run(lastInsertRowid, text);
    },
    inBulk: (work) => {
      db.pragma(`cache_size = -${BULK_PAGES_KIB}`);
      try {
        // Kept in the index, so that it is set back before the transaction ends.
        gather.run(BULK_GATHERED);
        work();
        gather.run(GATHERED);
      } finally {
        db.pragma(`cache_size = -${PAGES_KIB}`);
      }
    },
    byHandle: (handle) => byHandle.all(handle).map(turnOf),
    byId: (id) => {
      const row = byId.get(id);
      return row && turnOf(row);
    },
    texts: (range) => texts.all(range),
    newestId: () => newestId.get() ?? 0,
    newest: ({ project = null, beforeId = Number.MAX_SAFE_INTEGER, limit }) =>
      newest.all({ project, beforeId, limit }).map(turnOf),
    neighbours: ({ session, id }, limit) => ({
      before: before
        .all(session ?? null, id, limit)
        .map(turnOf)
        .reverse(),
      after: after.all(session ?? null, id, limit).map(turnOf),
    }),
    search: (expression, project, limit) => search.all(expression, project ?? null, limit).map(turnOf),
    searchAway: (expression, { session, project = null }, limit) =>
      searchAway.all({ expression, project, session, limit }).map(turnOf),
    searchLeft: (expression, session, limit) => searchLeft.all(expression, session, limit).map(turnOf),
    unknownOf: (turns) =>
      turns.filter((turn) => (length.get(turn.handle, keyOf(turn, turn.text)) ?? -1) < turn.text.length),
    isLive: (expression, session) => isLive.get(expression, session) !== undefined,
    leave: (session, stillThere, atMs) => {
      leave.run({ session, stillThere: JSON.stringify(stillThere), atMs });
    },
    count: () => count.get() ?? 0,
  };
}
