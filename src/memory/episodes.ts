/** Compaction episodes: SQL only. Rows come in masked. */
import type Database from 'better-sqlite3';
import type { Episode, EpisodeQuery, StoredEpisode } from '../ports/memory.ts';

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
  created_ms: number;
  done_ms: number | null;
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
    createdMs: row.created_ms,
    doneMs: row.done_ms ?? undefined,
  };
}

export interface EpisodeTable {
  /** The same session and last message again: the newer numbers, unless the compaction is done already. */
  record(episode: Episode, atMs: number): void;
  /** Marks the newest episode of a session that is not younger than `atMs`. */
  finish(session: string, atMs: number): void;
  list(query: EpisodeQuery): StoredEpisode[];
  count(): number;
}

export function episodeTable(db: Database.Database): EpisodeTable {
  // An episode that nothing makes unique may come from the spool twice, with the same time and numbers.
  const insert = db.prepare(
    `INSERT INTO episodes (session, project, last_uuid, state, trigger, strategy, before_tokens, after_tokens, dropped, covered,
       embedding, took_ms, transcript, transcript_bytes, created_ms, done_ms)
     SELECT @session, @project, @lastUuid, @state, @trigger, @strategy, @beforeTokens, @afterTokens, @dropped, @covered,
       @embedding, @tookMs, @transcript, @transcriptBytes, @atMs, iif(@state = 'done', @atMs, NULL)
     WHERE NOT EXISTS (
       SELECT 1 FROM episodes WHERE created_ms = @atMs AND session IS @session AND project IS @project
         AND last_uuid IS @lastUuid AND before_tokens = @beforeTokens AND state = @state)
     ON CONFLICT (session, last_uuid) WHERE session IS NOT NULL AND last_uuid IS NOT NULL DO UPDATE SET
       state = excluded.state, trigger = excluded.trigger, strategy = excluded.strategy,
       before_tokens = excluded.before_tokens, after_tokens = excluded.after_tokens, dropped = excluded.dropped,
       covered = excluded.covered, embedding = excluded.embedding, took_ms = excluded.took_ms,
       transcript = excluded.transcript, transcript_bytes = excluded.transcript_bytes, done_ms = excluded.done_ms
     WHERE episodes.state = 'proposed'`,
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
      insert.run({
        ...episode,
        session: episode.session ?? null,
        project: episode.project ?? null,
        lastUuid: episode.lastUuid ?? null,
        covered: episode.covered ?? 0,
        embedding: episode.embedding ? 1 : 0,
        transcript: episode.transcript ?? null,
        transcriptBytes: episode.transcriptBytes ?? null,
        atMs,
      });
    },
    finish: (session, atMs) => {
      finish.run({ session, atMs });
    },
    list: ({ project, session, limit }) =>
      list.all({ project: project ?? null, session: session ?? null, limit }).map(episodeOf),
    count: () => count.get() ?? 0,
  };
}
