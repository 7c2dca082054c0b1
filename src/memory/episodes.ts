/** Compaction episodes: SQL only. Rows come in masked. */
import type Database from 'better-sqlite3';
import type { Episode, EpisodeNotes, EpisodeQuery, StoredEpisode } from '../ports/episodes.ts';

interface Row {
  id: number;
  session: string | null;
  project: string | null;
  last_uuid: string | null;
  state: Episode['state'];
  trigger: string;
  strategy: string;
  before_tokens: number;
  after_tokens: number;
  dropped: number;
  covered: number;
  embedding: number;
  took_ms: number;
  transcript: string | null;
  transcript_bytes: number | null;
  decisions: string | null;
  restored: string | null;
  audit: string | null;
  created_ms: number;
  done_ms: number | null;
}

/** A column that was written as JSON by this table. */
function parsed<T>(column: string | null): T | undefined {
  // Its own words: `record` and `note` wrote it.
  return column === null ? undefined : (JSON.parse(column) as T);
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function episodeOf(row: Row): StoredEpisode {
  return {
    id: row.id,
    session: row.session ?? undefined,
    project: row.project ?? undefined,
    lastUuid: row.last_uuid ?? undefined,
    state: row.state,
    trigger: row.trigger,
    strategy: row.strategy,
    beforeTokens: row.before_tokens,
    afterTokens: row.after_tokens,
    dropped: row.dropped,
    covered: row.covered,
    embedding: row.embedding !== 0,
    tookMs: row.took_ms,
    transcript: row.transcript ?? undefined,
    transcriptBytes: row.transcript_bytes ?? undefined,
    decisions: parsed(row.decisions),
    restored: row.restored ?? undefined,
    audit: parsed(row.audit),
    createdMs: row.created_ms,
    doneMs: row.done_ms ?? undefined,
  };
}

export interface EpisodeTable {
  /**
   * The same session and last message again: the newer numbers, unless the compaction is done already. What the session
   * only proposed before that gives way: no compaction came of it.
   */
  record(episode: Episode, atMs: number): void;
  /** Marks the newest episode of a session that is not younger than `atMs`. */
  finish(session: string, atMs: number): void;
  /** Adds to the newest episode of a session. */
  note(session: string, notes: EpisodeNotes): void;
  list(query: EpisodeQuery): StoredEpisode[];
  count(): number;
}

export function episodeTable(db: Database.Database): EpisodeTable {
  // An episode that nothing makes unique may come from the spool twice, with the same time and numbers.
  const insert = db.prepare(
    `INSERT INTO episodes (session, project, last_uuid, state, trigger, strategy, before_tokens, after_tokens, dropped, covered,
       embedding, took_ms, transcript, transcript_bytes, decisions, created_ms, done_ms)
     SELECT @session, @project, @lastUuid, @state, @trigger, @strategy, @beforeTokens, @afterTokens, @dropped, @covered,
       @embedding, @tookMs, @transcript, @transcriptBytes, @decisions, @atMs, iif(@state = 'done', @atMs, NULL)
     WHERE NOT EXISTS (
       SELECT 1 FROM episodes WHERE created_ms = @atMs AND session IS @session AND project IS @project
         AND last_uuid IS @lastUuid AND before_tokens = @beforeTokens AND state = @state)
     ON CONFLICT (session, last_uuid) WHERE session IS NOT NULL AND last_uuid IS NOT NULL DO UPDATE SET
       state = excluded.state, trigger = excluded.trigger, strategy = excluded.strategy,
       before_tokens = excluded.before_tokens, after_tokens = excluded.after_tokens, dropped = excluded.dropped,
       covered = excluded.covered, embedding = excluded.embedding, took_ms = excluded.took_ms,
       transcript = excluded.transcript, transcript_bytes = excluded.transcript_bytes, decisions = excluded.decisions, done_ms = excluded.done_ms
     WHERE episodes.state = 'proposed'`,
  );
  const forgo = db.prepare(
    `DELETE FROM episodes WHERE session = @session AND state = 'proposed' AND created_ms <= @atMs AND last_uuid IS NOT @lastUuid`,
  );
  const note = db.prepare(
    `UPDATE episodes SET restored = coalesce(@restored, restored), audit = coalesce(@audit, audit)
     WHERE id = (SELECT id FROM episodes WHERE session = @session ORDER BY created_ms DESC, id DESC LIMIT 1)`,
  );
  const finish = db.prepare(
    `UPDATE episodes SET state = 'done', done_ms = @atMs WHERE state = 'proposed' AND id = (
       SELECT id FROM episodes WHERE session = @session AND created_ms <= @atMs ORDER BY created_ms DESC, id DESC LIMIT 1)`,
  );
  const list = db.prepare<[{ project: string | null; session: string | null; limit: number }], Row>(
    `SELECT * FROM episodes WHERE (@project IS NULL OR project = @project) AND (@session IS NULL OR session = @session)
     ORDER BY created_ms DESC, id DESC LIMIT @limit`,
  );
  const count = db.prepare<[], number>('SELECT count(*) FROM episodes').pluck();
  return {
    record: (episode, atMs) => {
      const { session = null, lastUuid = null } = episode;
      forgo.run({ session, lastUuid, atMs });
      insert.run({
        ...episode,
        session: episode.session ?? null,
        project: episode.project ?? null,
        lastUuid: episode.lastUuid ?? null,
        covered: episode.covered ?? 0,
        embedding: episode.embedding ? 1 : 0,
        transcript: episode.transcript ?? null,
        transcriptBytes: episode.transcriptBytes ?? null,
        decisions: json(episode.decisions),
        atMs,
      });
    },
    finish: (session, atMs) => {
      finish.run({ session, atMs });
    },
    note: (session, { restored, audit }) => {
      note.run({ session, restored: restored ?? null, audit: json(audit) });
    },
    list: ({ project, session, limit }) =>
      list.all({ project: project ?? null, session: session ?? null, limit }).map(episodeOf),
    count: () => count.get() ?? 0,
  };
}
