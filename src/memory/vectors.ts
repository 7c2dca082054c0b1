/** Vectors of memories: SQL only. A blob is dim × float32, little endian (docs/memory-format.md). */
import type Database from 'better-sqlite3';
import type { IndexedMemory, MissingVector, NewVector } from '../ports/memories.ts';

interface ChangeRow {
  id: number;
  revision: number;
  project: string | null;
  origin: IndexedMemory['origin'] | null;
  traced: number;
  vector: Buffer | null;
}

function blobOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** A copy: the blob may stand at an address that floats cannot be read from. */
function vectorOf(blob: Buffer): Float32Array {
  return new Float32Array(new Uint8Array(blob).buffer);
}

export interface VectorTable {
  missing(model: string, limit: number): MissingVector[];
  /** Replaces a vector of the same model. `revision` is asked once per vector. False if there is no such memory. */
  put(model: string, vector: NewVector, revision: () => number): boolean;
  changes(model: string, revision: number, limit: number): IndexedMemory[];
  counts(): { model: string; count: number }[];
}

export function vectorTable(db: Database.Database): VectorTable {
  const missing = db.prepare<[string, number, number], MissingVector>(
    `SELECT id, text FROM memories WHERE status = 'active' AND text <> ''
       AND NOT EXISTS (SELECT 1 FROM vectors WHERE memory_id = memories.id AND model = ?)
       AND revision > ? ORDER BY revision DESC LIMIT ?`,
  );
  const revision = db.prepare<[], number>('SELECT revision FROM store').pluck();
  // By model: up to here every memory was found to have its vector. Whatever changes gets a later revision, so that a
  // look for missing ones costs what changed, not the whole table each time.
  const complete = new Map<string, number>();
  const touch = db.prepare('UPDATE memories SET revision = ? WHERE id = ?');
  const exists = db.prepare<[number], number>('SELECT 1 FROM memories WHERE id = ?').pluck();
  const put = db.prepare(
    `INSERT INTO vectors (memory_id, model, dim, vector) VALUES (?, ?, ?, ?)
     ON CONFLICT (memory_id, model) DO UPDATE SET dim = excluded.dim, vector = excluded.vector`,
  );
  // Two walks along an index each, so that the cost is that of what changed.
  const changes = db.prepare<[{ model: string; revision: number; limit: number }], ChangeRow>(
    `SELECT * FROM (
       SELECT memories.id, revision, project, origin,
         origin <> 'auto' OR EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = memories.id) AS traced,
         iif(status = 'active' AND kind <> 'episode', vector, NULL) AS vector
       FROM memories LEFT JOIN vectors ON memory_id = memories.id AND model = @model
       WHERE revision > @revision ORDER BY revision LIMIT @limit)
     UNION ALL
     SELECT * FROM (
       SELECT memory_id, revision, NULL, NULL, 0, NULL FROM forgotten
       WHERE revision > @revision ORDER BY revision LIMIT @limit)
     ORDER BY revision LIMIT @limit`,
  );
  const counts = db.prepare<[], { model: string; count: number }>(
    'SELECT model, count(*) AS count FROM vectors GROUP BY model ORDER BY model',
  );
  return {
    missing: (model, limit) => {
      // Before the look: a change in between is looked at again.
      const now = revision.get() ?? 0;
      const found = missing.all(model, complete.get(model) ?? 0, limit);
      if (found.length === 0) complete.set(model, now);
      return found;
    },
    put: (model, { id, vector }, revision) => {
      if (exists.get(id) === undefined) return false;
      put.run(id, model, vector.length, blobOf(vector));
      touch.run(revision(), id);
      return true;
    },
    changes: (model, revision, limit) =>
      changes.all({ model, revision, limit }).map((row) => ({
        id: row.id,
        revision: row.revision,
        project: row.project ?? undefined,
        origin: row.origin ?? 'auto',
        traced: row.traced !== 0,
        vector: row.vector === null ? undefined : vectorOf(row.vector),
      })),
    counts: () => counts.all(),
  };
}
