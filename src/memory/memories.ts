/** Memories: SQL only. Rows come in masked. Every change takes the next revision, for indexes that follow. */
import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Memory, MemoryQuery, MemoryStatus, NewMemory, PortedMemory, Remembered } from '../ports/memories.ts';

interface Row {
  id: number;
  kind: Memory['kind'];
  project: string | null;
  session: string | null;
  origin: Memory['origin'];
  status: MemoryStatus;
  superseded_by: number | null;
  text: string;
  created_ms: number;
  quote: string | null;
  topic: string | null;
  confidence: number | null;
  uses: number;
  used_ms: number | null;
  imported: string | null;
  sources: string;
}

const COLUMNS = `memories.id, kind, project, session, origin, status, superseded_by, memories.text, created_ms, quote, topic,
  confidence, uses, used_ms, imported,
  (SELECT json_group_array(source_id) FROM memory_sources WHERE memory_id = memories.id) AS sources`;

function memoryOf(row: Row): Memory {
  // SQLite made it, of a column that holds text.
  const sourceIds = JSON.parse(row.sources) as string[];
  return {
    id: row.id,
    kind: row.kind,
    project: row.project ?? undefined,
    session: row.session ?? undefined,
    origin: row.origin,
    status: row.status,
    supersededBy: row.superseded_by ?? undefined,
    text: row.text,
    sourceIds,
    createdMs: row.created_ms,
    ...(row.quote === null ? {} : { quote: row.quote }),
    ...(row.topic === null ? {} : { topic: row.topic }),
    ...(row.confidence === null ? {} : { confidence: row.confidence }),
    ...(row.imported === null ? {} : { imported: row.imported }),
    ...(row.uses === 0 ? {} : { uses: row.uses }),
    ...(row.used_ms === null ? {} : { usedMs: row.used_ms }),
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface MemoryTable {
  nextRevision(): number;
  /** Once per scope and text. A person's or the model's word makes an automatic row theirs. */
  add(memory: NewMemory, atMs: number, supersedes: readonly number[]): Remembered;
  byId(id: number): Memory | undefined;
  list(query: MemoryQuery): Memory[];
  /** Oldest first. */
  all(project: MemoryQuery['project']): Memory[];
  /** As it was in another store, unless it is here, whatever its status. */
  takeOver(memory: PortedMemory): { id: number; added: boolean };
  /** Of a superseded row: the one that took its place. */
  link(id: number, by: number): void;
  /** Leaves the id behind as a tombstone. False if there is no such memory. */
  use(id: number, atMs: number): void;
  remove(id: number, atMs: number): boolean;
  search(expression: string, project: string | undefined, limit: number): Memory[];
  madeFrom(sourceId: string): number[];
  counts(): Record<MemoryStatus, number>;
}

export function memoryTable(db: Database.Database): MemoryTable {
  const nextRevision = db.prepare<[], number>('UPDATE store SET revision = revision + 1 RETURNING revision').pluck();
  const same = db.prepare<[string, string | null], number>(
    `SELECT id FROM memories WHERE hash = ? AND ifnull(project, '') = ifnull(?, '') AND status = 'active'`,
  );
  same.pluck();
  const insert = db.prepare(
    `INSERT INTO memories (kind, project, session, origin, status, text, hash, created_ms, revision, quote, topic, confidence,
       uses, used_ms, imported)
     VALUES (@kind, @project, @session, @origin, @status, @text, @hash, @atMs, @revision, @quote, @topic, @confidence, @uses,
       @usedMs, @imported)`,
  );
  const sameThen = db
    .prepare<[string, string | null, number], number>(
      `SELECT id FROM memories WHERE hash = ? AND ifnull(project, '') = ifnull(?, '') AND created_ms = ? ORDER BY id LIMIT 1`,
    )
    .pluck();
  const link = db.prepare(
    `UPDATE memories SET superseded_by = @by WHERE id = @id AND status = 'superseded' AND superseded_by IS NULL AND id <> @by`,
  );
  const all = db.prepare<[{ all: number; project: string | null }], Row>(
    `SELECT ${COLUMNS} FROM memories WHERE (@all OR project IS NULL OR project = @project) ORDER BY created_ms, id`,
  );
  const addToIndex = db.prepare('INSERT INTO memories_fts (rowid, text) VALUES (?, ?)');
  const adopt = db.prepare(
    'UPDATE memories SET kind = @kind, session = @session, origin = @origin, revision = @revision WHERE id = @id',
  );
  const addSource = db.prepare(
    'INSERT INTO memory_sources (source_id, memory_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const supersede = db.prepare(
    `UPDATE memories SET status = 'superseded', superseded_by = @by, revision = @revision
     WHERE id = @id AND status = 'active' AND id <> @by`,
  );
  const ofTopic = db
    .prepare<[string, string | null], number>(
      `SELECT id FROM memories WHERE topic = ? AND status = 'active' AND ifnull(project, '') = ifnull(?, '')`,
    )
    .pluck();
  const byId = db.prepare<[number], Row>(`SELECT ${COLUMNS} FROM memories WHERE id = ?`);
  const list = db.prepare<[{ all: number; project: string | null; status: string | null; limit: number }], Row>(
    `SELECT ${COLUMNS} FROM memories WHERE (@all OR project IS NULL OR project = @project)
       AND (@status IS NULL OR status = @status) ORDER BY id DESC LIMIT @limit`,
  );
  const use = db.prepare('UPDATE memories SET uses = uses + 1, used_ms = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM memories WHERE id = ?');
  const bury = db.prepare('INSERT INTO forgotten (memory_id, revision, forgotten_ms) VALUES (?, ?, ?)');
  const search = db.prepare<[string, string | null, number], Row>(
    `SELECT ${COLUMNS} FROM memories_fts JOIN memories ON memories.id = memories_fts.rowid
     WHERE memories_fts MATCH ? AND status = 'active' AND (project IS NULL OR project = ?)
     ORDER BY bm25(memories_fts), memories.id DESC LIMIT ?`,
  );
  const madeFrom = db
    .prepare<[string], number>(
      `SELECT memory_id FROM memory_sources JOIN memories ON id = memory_id
       WHERE source_id = ? AND origin = 'auto'`,
    )
    .pluck();
  const counts = db.prepare<[], { status: MemoryStatus; count: number }>(
    'SELECT status, count(*) AS count FROM memories GROUP BY status',
  );

  const revision = (): number => nextRevision.get() ?? 0;
  const read = (id: number): Memory | undefined => {
    const row = byId.get(id);
    return row && memoryOf(row);
  };
  const known = (id: number): Memory => {
    const memory = read(id);
    if (memory === undefined) throw new Error(`memory ${id} is gone within its own transaction`);
    return memory;
  };
  const addNew = (memory: NewMemory | PortedMemory, hash: string, atMs: number): number => {
    const { uses = 0, usedMs = null, status = 'active' } = 'status' in memory ? memory : {};
    const { lastInsertRowid } = insert.run({
      kind: memory.kind,
      project: memory.project ?? null,
      session: memory.session ?? null,
      origin: memory.origin,
      status,
      text: memory.text,
      hash,
      atMs,
      revision: revision(),
      quote: memory.quote ?? null,
      topic: memory.topic ?? null,
      confidence: memory.confidence ?? null,
      uses,
      usedMs,
      imported: memory.imported ?? null,
    });
    addToIndex.run(lastInsertRowid, memory.text);
    const id = Number(lastInsertRowid);
    for (const sourceId of memory.sourceIds) addSource.run(sourceId, id);
    return id;
  };
  const adoptIfAuto = (id: number, memory: NewMemory): void => {
    if (memory.origin === 'auto' || known(id).origin !== 'auto') return;
    const { kind, origin, session = null } = memory;
    adopt.run({ id, kind, origin, session, revision: revision() });
  };
  return {
    nextRevision: revision,
    add: (memory, atMs, supersedes) => {
      const hash = hashOf(memory.text);
      const existing = same.get(hash, memory.project ?? null);
      const id = existing ?? addNew(memory, hash, atMs);
      if (existing !== undefined) adoptIfAuto(existing, memory);
      for (const sourceId of memory.sourceIds) addSource.run(sourceId, id);
      // A word given later about the same takes the place of the earlier one, whoever said it.
      const earlier = memory.topic === undefined ? [] : ofTopic.all(memory.topic, memory.project ?? null);
      for (const old of [...supersedes, ...earlier]) supersede.run({ id: old, by: id, revision: revision() });
      return { memory: known(id), added: existing === undefined };
    },
    byId: read,
    list: ({ project, status, limit }) => {
      const all = typeof project === 'object';
      return list
        .all({ all: all ? 1 : 0, project: all ? null : (project ?? null), status: status ?? null, limit })
        .map(memoryOf);
    },
    all: (project) => {
      const everywhere = typeof project === 'object';
      return all.all({ all: everywhere ? 1 : 0, project: everywhere ? null : (project ?? null) }).map(memoryOf);
    },
    takeOver: (memory) => {
      const [hash, project] = [hashOf(memory.text), memory.project ?? null];
      const there =
        sameThen.get(hash, project, memory.createdMs) ??
        (memory.status === 'active' ? same.get(hash, project) : undefined);
      return there === undefined
        ? { id: addNew(memory, hash, memory.createdMs), added: true }
        : { id: there, added: false };
    },
    link: (id, by) => {
      link.run({ id, by });
    },
    use: (id, atMs) => {
      use.run(atMs, id);
    },
    remove: (id, atMs) => {
      if (remove.run(id).changes === 0) return false;
      bury.run(id, revision(), atMs);
      return true;
    },
    search: (expression, project, limit) => search.all(expression, project ?? null, limit).map(memoryOf),
    madeFrom: (sourceId) => madeFrom.all(sourceId),
    counts: () => {
      const counted = { active: 0, superseded: 0, archived: 0 };
      for (const { status, count } of counts.all()) counted[status] = count;
      return counted;
    },
  };
}
