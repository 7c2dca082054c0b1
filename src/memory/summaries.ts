/** Summaries of sessions, each made from the one before: SQL only. Rows come in masked. */
import type Database from 'better-sqlite3';
import type { NewSummary, StoredSummary } from '../ports/sessions.ts';

interface Row {
  id: number;
  session: string;
  project: string | null;
  generation: number;
  up_to: string;
  messages: number;
  tokens: number;
  model: string;
  text: string;
  created_ms: number;
}

function summaryOf(row: Row): StoredSummary {
  return {
    id: row.id,
    session: row.session,
    project: row.project ?? undefined,
    generation: row.generation,
    upTo: row.up_to,
    messages: row.messages,
    tokens: row.tokens,
    model: row.model,
    text: row.text,
    createdMs: row.created_ms,
  };
}

export interface SummaryTable {
  add(summary: NewSummary, atMs: number): void;
  /** Oldest first. */
  of(session: string): StoredSummary[];
}

export function summaryTable(db: Database.Database): SummaryTable {
  const insert = db.prepare(
    `INSERT INTO summaries (session, project, generation, up_to, messages, tokens, model, text, created_ms)
     VALUES (@session, @project, @generation, @upTo, @messages, @tokens, @model, @text, @atMs)`,
  );
  const list = db.prepare<[string], Row>('SELECT * FROM summaries WHERE session = ? ORDER BY id');
  return {
    add: ({ project = null, ...summary }, atMs) => void insert.run({ ...summary, project, atMs }),
    of: (session) => list.all(session).map(summaryOf),
  };
}
