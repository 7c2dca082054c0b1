/**
 * The ledger of directives: SQL only. Texts come in masked. A row of `ledger` is never changed and never goes; what was said stands
 * beside it in `ledger_texts`, from where it can be taken away.
 */
import type Database from 'better-sqlite3';
import { activeDirectives, openProposals } from '../hot/directives.ts';
import type { Author, NewDirective, ProposedDirective, StoredDirective } from '../ports/ledger.ts';

interface Row {
  id: number;
  status: StoredDirective['status'];
  who: Author;
  project: string | null;
  replaces: number | null;
  successor: number | null;
  expires_ms: number | null;
  created_ms: number;
  session: string | null;
  source: string | null;
  text: string | null;
}

/** Proposals of a project that wait at the same time; more are not taken, since nobody would read them. */
const MAX_OPEN_PROPOSALS = 50;
/** A proposal that nobody has answered for so long is dropped. */
const PROPOSAL_MS = 30 * 86_400_000;

const ENDS: ReadonlySet<string> = new Set(['revoked', 'superseded', 'expired']);

function directiveOf(row: Row): StoredDirective {
  return {
    id: row.id,
    project: row.project ?? undefined,
    session: row.session ?? undefined,
    status: row.status,
    text: row.text ?? '',
    replaces: row.replaces ?? undefined,
    who: row.who,
    source: row.source ?? undefined,
    expiresMs: row.expires_ms ?? undefined,
    successor: row.successor ?? undefined,
    createdMs: row.created_ms,
  };
}

/** The ledger in its order; an end is given the text of what it ends. */
function ledgerOf(rows: readonly Row[]): StoredDirective[] {
  const texts = new Map<number, string>();
  return rows.map((row) => {
    const entry = directiveOf(row);
    const { id, status, replaces = 0 } = entry;
    const text = ENDS.has(status) ? (texts.get(replaces) ?? '') : entry.text;
    texts.set(id, text);
    return { ...entry, text };
  });
}

/** How texts are compared: what differs in case, spaces and the point at the end says the same. */
function essence(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ').trim().replace(/[.!]$/, '');
}

export interface DirectiveTable {
  add(directive: NewDirective, atMs: number, supersedes?: readonly StoredDirective[]): StoredDirective;
  /** Writes a proposal, unless its text was in the ledger before, whatever became of it, or too many wait. */
  propose(proposal: ProposedDirective, atMs: number): void;
  /** Oldest first. */
  list(project: string | undefined): StoredDirective[];
  /** Whether there is anything to `expire`. */
  isDue(atMs: number): boolean;
  /** Writes that the time of entries has run out. */
  expire(atMs: number): void;
  /** Takes away texts; each that was there leaves an entry which says so. How many there were. */
  removeTexts(ids: readonly number[], atMs: number): number;
  /** Writes that the ledger was emptied. */
  addTombstone(atMs: number): void;
}

export function directiveTable(db: Database.Database): DirectiveTable {
  const insert = db.prepare(
    `INSERT INTO ledger (status, who, project, replaces, successor, expires_ms, created_ms)
     VALUES (@status, @who, @project, @replaces, @successor, @expiresMs, @atMs)`,
  );
  const insertText = db.prepare('INSERT INTO ledger_texts (entry, session, source, text) VALUES (?, ?, ?, ?)');
  const list = db.prepare<[string | null], Row>(
    `SELECT * FROM ledger LEFT JOIN ledger_texts ON entry = id WHERE project IS NULL OR project = ? ORDER BY id`,
  );
  const due = db.prepare<[number], Row>(
    `SELECT * FROM ledger JOIN ledger_texts ON entry = id
     WHERE expires_ms <= ? AND status IN ('proposed', 'accepted', 'amended') AND NOT EXISTS (
       SELECT 1 FROM ledger AS later WHERE later.replaces = ledger.id AND later.status NOT IN ('proposed', 'removed'))
     ORDER BY id`,
  );
  const byId = db.prepare<[number], Row>('SELECT * FROM ledger JOIN ledger_texts ON entry = id WHERE id = ?');
  const removeText = db.prepare('DELETE FROM ledger_texts WHERE entry = ?');

  const write = (directive: NewDirective, atMs: number, successor?: number): StoredDirective => {
    const { project, session, status, text, replaces, who = 'person', source, expiresMs } = directive;
    const { lastInsertRowid } = insert.run({
      status,
      who,
      project: project ?? null,
      replaces: replaces ?? null,
      successor: successor ?? null,
      expiresMs: expiresMs ?? null,
      atMs,
    });
    // An end has the text of what it ends, which then stands in one place only.
    const own = ENDS.has(status) ? '' : text;
    if (own !== '' || session !== undefined) insertText.run(lastInsertRowid, session ?? null, source ?? null, own);
    const id = Number(lastInsertRowid);
    return { id, project, session, status, text, replaces, who, source, expiresMs, successor, createdMs: atMs };
  };
  const bury = (id: number | undefined, project: string | undefined, atMs: number): void => {
    write({ status: 'removed', who: 'person', replaces: id, text: '', project, session: undefined }, atMs);
  };
  return {
    add: (directive, atMs, supersedes = []) => {
      const added = write(directive, atMs);
      for (const { id, text, project } of supersedes) {
        const { session, who } = added;
        write({ status: 'superseded', replaces: id, text, project, session, who }, atMs, added.id);
      }
      return added;
    },
    propose: ({ text, project, session, source }, atMs) => {
      const ledger = ledgerOf(list.all(project ?? null));
      const wanted = essence(text);
      if (wanted === '' || ledger.some((entry) => essence(entry.text) === wanted)) return;
      if (openProposals(ledger).length >= MAX_OPEN_PROPOSALS) return;
      const expiresMs = atMs + PROPOSAL_MS;
      write({ status: 'proposed', who: 'rule', replaces: undefined, text, project, session, source, expiresMs }, atMs);
    },
    list: (project) => ledgerOf(list.all(project ?? null)),
    isDue: (atMs) => due.get(atMs) !== undefined,
    expire: (atMs) => {
      for (const row of due.all(atMs)) {
        const { id, text, project } = directiveOf(row);
        write({ status: 'expired', who: 'rule', replaces: id, text, project, session: undefined }, atMs);
      }
    },
    removeTexts: (ids, atMs) => {
      let count = 0;
      for (const id of ids) {
        const row = byId.get(id);
        if (row === undefined) continue;
        removeText.run(id);
        bury(id, row.project ?? undefined, atMs);
        count += 1;
      }
      return count;
    },
    addTombstone: (atMs) => bury(undefined, undefined, atMs),
  };
}

/** The ledger as it reads at a time, where what has run out could not be written down yet. */
export function asOf(ledger: readonly StoredDirective[], atMs: number): StoredDirective[] {
  const open = new Set([...activeDirectives(ledger), ...openProposals(ledger)]);
  return ledger.map((entry) =>
    entry.expiresMs !== undefined && entry.expiresMs <= atMs && open.has(entry)
      ? { ...entry, status: 'expired' }
      : entry,
  );
}
