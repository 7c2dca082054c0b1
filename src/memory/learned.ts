/** What chitta found in sessions by itself, on its way into the memories: once each, superseding what it changes, and bounded. SQL only. */
import type Database from 'better-sqlite3';
import { confirmed, usefulnessOf } from '../lifecycle/usefulness.ts';
import type { NewMemory } from '../ports/memories.ts';
import { differenceOf } from '../scoring/contradiction.ts';
import { areDuplicates } from '../scoring/novelty.ts';
import { matchExpression } from './fulltext.ts';
import type { MemoryTable } from './memories.ts';

/** Active memories of a project that chitta made by itself, at most. */
export const LIVE_BUDGET = 500;
/** Memories of the same words that one is compared with. */
const LOOKED_AT = 8;
/** From this cosine on two memories may say the same. */
const SAME_COSINE = 0.95;
/** Vectors that one is compared with, the newest: more than a project has of memories made by chitta. */
const VECTORS_LOOKED_AT = 2_000;

export interface LearnedTable {
  add(memory: NewMemory, atMs: number): void;
  /** Where an automatic memory says the same as an older one by its vector, the older one alone stays active. */
  mergeSame(model: string, id: number): void;
}

interface Near {
  id: number;
  text: string;
  vector: Buffer;
}

function cosine(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at += 4) sum += one.readFloatLE(at) * other.readFloatLE(at);
  return sum;
}

export function learnedTable(db: Database.Database, memories: MemoryTable): LearnedTable {
  const madeOf = db
    .prepare<[string, string | null, string], number>(
      `SELECT 1 FROM memory_sources JOIN memories ON id = memory_id
       WHERE source_id = ? AND ifnull(project, '') = ifnull(?, '') AND memories.text = ? LIMIT 1`,
    )
    .pluck();
  const confirm = db.prepare('UPDATE memories SET confidence = ?, used_ms = max(ifnull(used_ms, 0), ?) WHERE id = ?');
  const addSource = db.prepare(
    'INSERT INTO memory_sources (source_id, memory_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const live = db.prepare<
    [string | null],
    { id: number; confidence: number | null; uses: number; used_ms: number | null; created_ms: number }
  >(
    `SELECT id, confidence, uses, used_ms, created_ms FROM memories
     WHERE status = 'active' AND origin = 'auto' AND kind <> 'episode' AND ifnull(project, '') = ifnull(?, '')`,
  );
  const archive = db.prepare(`UPDATE memories SET status = 'archived', revision = ? WHERE id = ?`);
  const supersede = db.prepare(
    `UPDATE memories SET status = 'superseded', superseded_by = ?, revision = ? WHERE id = ? AND status = 'active'`,
  );
  const own = db.prepare<[string, number], Near & { project: string | null }>(
    `SELECT memories.id, text, project, vector FROM memories JOIN vectors ON memory_id = memories.id AND model = ?
     WHERE memories.id = ? AND status = 'active' AND origin = 'auto' AND confidence IS NOT NULL`,
  );
  const older = db.prepare<[{ model: string; id: number; project: string | null; limit: number }], Near>(
    `SELECT memories.id, text, vector FROM memories JOIN vectors ON memory_id = memories.id AND model = @model
     WHERE memories.id < @id AND status = 'active' AND (project IS NULL OR project = @project)
     ORDER BY memories.id DESC LIMIT @limit`,
  );

  const bound = (project: string | undefined, atMs: number): void => {
    const rows = live.all(project ?? null);
    if (rows.length <= LIVE_BUDGET) return;
    const ranked = rows
      .map(({ id, confidence, uses, used_ms: usedMs, created_ms: createdMs }) => ({
        id,
        useful: usefulnessOf({ confidence: confidence ?? 0.5, uses, lastMs: Math.max(usedMs ?? 0, createdMs) }, atMs),
      }))
      .sort((a, b) => a.useful - b.useful || a.id - b.id);
    for (const { id } of ranked.slice(0, rows.length - LIVE_BUDGET)) archive.run(memories.nextRevision(), id);
  };
  const sayAgain = (id: number, memory: NewMemory, atMs: number): void => {
    const known = memories.byId(id);
    if (known?.origin !== 'auto') return;
    confirm.run(confirmed(known.confidence ?? memory.confidence ?? 0.5), atMs, id);
    // Neither does it cover the message that says so again.
    for (const sourceId of memory.sourceIds) addSource.run(sourceId, id);
  };
  return {
    add: (memory, atMs) => {
      const { text, project } = memory;
      // Read again, as the newest turns always are; whatever became of it.
      if (memory.sourceIds.some((sourceId) => madeOf.get(sourceId, project ?? null, text) !== undefined)) return;
      const expression = matchExpression(text);
      const alike = expression === undefined ? [] : memories.search(expression, project, LOOKED_AT);
      const same = alike.find((known) => known.text === text || areDuplicates(text, known.text));
      if (same !== undefined) {
        sayAgain(same.id, memory, atMs);
        return;
      }
      memories.add(memory, atMs, []);
      bound(project, atMs);
    },
    mergeSame: (model, id) => {
      const mine = own.get(model, id);
      if (mine === undefined) return;
      let same: number | undefined;
      // Nothing is written while rows are read one by one.
      for (const other of older.iterate({ model, id, project: mine.project, limit: VECTORS_LOOKED_AT })) {
        if (cosine(mine.vector, other.vector) < SAME_COSINE) continue;
        if (differenceOf(mine.text, other.text) !== undefined || differenceOf(other.text, mine.text) !== undefined)
          continue;
        same = other.id;
        break;
      }
      if (same === undefined) return;
      for (const sourceId of memories.byId(id)?.sourceIds ?? []) addSource.run(sourceId, same);
      supersede.run(same, memories.nextRevision(), id);
    },
  };
}
