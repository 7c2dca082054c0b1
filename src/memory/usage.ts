/** What takes the room in the database, and making some: SQL only. */
import type Database from 'better-sqlite3';
import type { ArchiveLimits, MemoryUsage } from '../ports/memory.ts';

const DAY_MS = 86_400_000;
const SPANS_DAYS = [7, 30] as const;
/** Turns that are deleted in one transaction: a fraction of a second of others' waiting. */
const AT_ONCE = 200;
/** Which part of the store a table or an index belongs to. */
function partOf(name: string): keyof MemoryUsage['room'] {
  if (name.startsWith('turns')) return 'turns';
  if (name.startsWith('vectors') || name.startsWith('sqlite_autoindex_vectors')) return 'vectors';
  return /^(?:memories|memory_sources|forgotten)/.test(name) ? 'memories' : 'rest';
}

/** What each project has. The length of a text stands in the head of its row: texts are not read for it. */
function projectsOf(db: Database.Database): MemoryUsage['projects'] {
  const rows = db.prepare<[], { project: string | null; memories: number; turns: number; bytes: number }>(
    `SELECT project, sum(memories) AS memories, sum(turns) AS turns, sum(bytes) AS bytes FROM (
       SELECT project, 0 AS memories, count(*) AS turns, sum(octet_length(text)) AS bytes FROM turns GROUP BY project
       UNION ALL
       SELECT project, count(*), 0, sum(octet_length(text)) FROM memories WHERE status = 'active' GROUP BY project)
     GROUP BY project ORDER BY bytes DESC, project`,
  );
  return rows.all().map(({ project, ...counts }) => ({ project: project ?? undefined, ...counts }));
}

/** Bytes of text that were archived since then. */
export function archivedSince(db: Database.Database, sinceMs: number): number {
  const sum = db.prepare<[number], number>(
    'SELECT ifnull(sum(octet_length(text)), 0) FROM turns WHERE archived_ms >= ?',
  );
  return sum.pluck().get(sinceMs) ?? 0;
}

/** Reads the size of each page; a gigabyte takes seconds. */
export function usageOf(db: Database.Database, nowMs: number): Omit<MemoryUsage, 'cacheBytes'> {
  const room = { turns: 0, memories: 0, vectors: 0, rest: 0 };
  const sizes = db.prepare<[], { name: string; bytes: number }>(
    'SELECT name, pgsize AS bytes FROM dbstat WHERE aggregate = TRUE',
  );
  for (const { name, bytes } of sizes.all()) room[partOf(name)] += bytes;
  const turns = db.prepare<[number], { count: number; bytes: number }>(
    'SELECT count(*) AS count, ifnull(sum(octet_length(text)), 0) AS bytes FROM turns WHERE archived_ms >= ?',
  );
  const memories = db.prepare<[number], number>('SELECT count(*) FROM memories WHERE created_ms >= ?').pluck();
  const growth = SPANS_DAYS.map((days) => {
    const since = nowMs - days * DAY_MS;
    const { count, bytes } = turns.get(since) ?? { count: 0, bytes: 0 };
    return { days, turns: count, memories: memories.get(since) ?? 0, bytes };
  });
  return { room, growth, projects: projectsOf(db) };
}

/** What is known from one call of `trimSome` to the next: the bytes of all texts, as of a state of the file. */
export interface Trimming {
  textBytes?: number;
  state?: unknown;
}

/** Bytes of all texts: summed up once, unless somebody else writes meanwhile. */
function textBytes(db: Database.Database, known: Trimming): number {
  // Changes with what other connections write, and not with what this one does.
  const state = db.pragma('data_version', { simple: true });
  if (known.textBytes === undefined || known.state !== state) {
    known.textBytes = db.prepare<[], number>('SELECT ifnull(sum(octet_length(text)), 0) FROM turns').pluck().get() ?? 0;
    known.state = state;
  }
  return known.textBytes;
}

/**
 * Deletes a few of the oldest turns beyond the limits, in the caller's transaction; answers how many. By their texts, not by pages: the
 * full-text index gives room back only when it is made anew.
 */
export function trimSome(db: Database.Database, { beforeMs, maxBytes }: ArchiveLimits, known: Trimming): number {
  if (beforeMs !== undefined) {
    const old = db.prepare(
      'DELETE FROM turns WHERE id IN (SELECT id FROM turns WHERE archived_ms < ? ORDER BY archived_ms, id LIMIT ?)',
    );
    const { changes } = old.run(beforeMs, AT_ONCE);
    delete known.textBytes;
    if (changes > 0) return changes;
  }
  if (maxBytes === undefined) return 0;
  let bytes = textBytes(db, known);
  if (bytes <= maxBytes) return 0;
  const oldest = db.prepare<[number], { id: number; bytes: number }>(
    'SELECT id, octet_length(text) AS bytes FROM turns ORDER BY archived_ms, id LIMIT ?',
  );
  const beyond: number[] = [];
  for (const turn of oldest.all(AT_ONCE)) {
    if (bytes <= maxBytes) break;
    beyond.push(turn.id);
    bytes -= turn.bytes;
  }
  known.textBytes = bytes;
  const { changes } = db
    .prepare('DELETE FROM turns WHERE id IN (SELECT value FROM json_each(?))')
    .run(JSON.stringify(beyond));
  return changes;
}
