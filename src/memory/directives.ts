/** The ledger of directives: SQL only. Rows come in masked, and none is ever changed. */
import type Database from 'better-sqlite3';
import type { NewDirective, StoredDirective } from '../ports/memory.ts';

interface Row {
  id: number;
  project: string | null;
  session: string | null;
  status: StoredDirective['status'];
  text: string;
  replaces: number | null;
  created_ms: number;
}

function directiveOf(row: Row): StoredDirective {
  return {
    id: row.id,
    project: row.project ?? undefined,
    session: row.session ?? undefined,
    status: row.status,
    text: row.text,
    replaces: row.replaces ?? undefined,
    createdMs: row.created_ms,
  };
}

export interface DirectiveTable {
  add(directive: NewDirective, atMs: number): StoredDirective;
  /** Oldest first. */
  list(project: string | undefined): StoredDirective[];
}

export function directiveTable(db: Database.Database): DirectiveTable {
  const insert = db.prepare(
    `INSERT INTO directives (project, session, status, text, replaces, created_ms)
     VALUES (@project, @session, @status, @text, @replaces, @atMs)`,
  );
  const list = db.prepare<[string | null], Row>(
    'SELECT * FROM directives WHERE project IS NULL OR project = ? ORDER BY id',
  );
  return {
    add: ({ project, session, status, text, replaces }, atMs) => {
      const { lastInsertRowid } = insert.run({
        project: project ?? null,
        session: session ?? null,
        status,
        text,
        replaces: replaces ?? null,
        atMs,
      });
      return { id: Number(lastInsertRowid), project, session, status, text, replaces, createdMs: atMs };
    },
    list: (project) => list.all(project ?? null).map(directiveOf),
  };
}
