/** The calls of the store that are about sessions. */
import type { MemoryDatabase } from '../ports/memory.ts';
import type { ArchivedTurn } from '../ports/turns.ts';
import { allExpression, matchExpression, phraseExpression } from './fulltext.ts';
import {
  areMany,
  leftOut,
  leftToNext,
  maskedTurns,
  maskedNotes,
  maskedRecord,
  maskedSession,
  maskedSummary,
} from './masked.ts';
import type { SpoolRecord } from './spool-record.ts';
import type { Tables } from './tables.ts';

/** How the store reaches its tables. */
export interface Access {
  read<T>(deadlineMs: number, work: (tables: Tables) => T): Promise<T>;
  /** Rejects where `keep` would spool. */
  write<T>(deadlineMs: number, work: (tables: Tables) => T): Promise<T>;
  /** Writes masked records, or spools them. */
  keep(records: readonly SpoolRecord[], deadlineMs: number): Promise<void>;
  /** Spools masked records. */
  later(records: readonly SpoolRecord[]): Promise<void>;
  now(): number;
  log(line: string): void;
}

type SessionCalls = Pick<
  MemoryDatabase,
  | 'noteEpisode'
  | 'session'
  | 'newestSession'
  | 'sessionActivity'
  | 'beginSession'
  | 'capture'
  | 'ingest'
  | 'archiveLater'
  | 'recordReplacement'
  | 'leaveContext'
  | 'recordPrompt'
  | 'injected'
  | 'findNames'
  | 'areLive'
  | 'searchLeft'
  | 'summaries'
  | 'addSummary'
>;

export function sessionCalls({ read, write, keep, later, now, log }: Access): SessionCalls {
  const unknownOf = (turns: readonly ArchivedTurn[], ms: number): Promise<readonly ArchivedTurn[]> =>
    read(ms, (tables): readonly ArchivedTurn[] => tables.turns.unknownOf(turns)).catch(() => turns);
  return {
    noteEpisode: (session, notes, ms) => {
      const masked = maskedNotes(notes);
      return write(ms, ({ episodes }) => episodes.note(maskedSession(session), masked));
    },
    session: (session, ms) => read(ms, ({ sessions }) => sessions.get(maskedSession(session))),
    newestSession: (project, except, ms) => read(ms, ({ sessions }) => sessions.newest(project, maskedSession(except))),
    sessionActivity: (query, ms) => read(ms, ({ sessions }) => sessions.activity(query)),
    beginSession: (session, begun, ms) =>
      write(ms, ({ sessions }) => sessions.begin(maskedSession(session), begun, now())),
    capture: async (
      { turns, proposals = [], learned = [], session, project, transcript, archivedBytes },
      ms,
      when = 'now',
    ) => {
      const atMs = now();
      const progress = { session, project, transcript, archivedBytes };
      // Where an event had no time for all, the next one is not to begin with what is archived already.
      const missing = areMany(turns, ms) ? await unknownOf(turns, ms) : turns;
      const { records: masked, late, tooLong } = maskedTurns(missing, atMs, ms);
      if (late > 0) log(leftToNext(late));
      if (tooLong > 0) log(leftOut(tooLong));
      const records = [
        ...masked,
        ...proposals.map((proposal) => maskedRecord({ kind: 'proposal', atMs, proposal })),
        ...learned.map((memory) => maskedRecord({ kind: 'learned', atMs, memory })),
      ];
      // The progress last: if there is no time or no room for all, the turns are read again.
      if (late === 0) records.push(maskedRecord({ kind: 'progress', atMs, progress }));
      await (when === 'later' ? later(records) : keep(records, ms));
      return late === 0;
    },
    ingest: (parts, ms) =>
      write(ms, (opened) =>
        opened.turns.inBulk(() => {
          for (const { turns, texts, atMs, session, project, transcript, archivedBytes } of parts) {
            let at = 0;
            for (const turn of turns) {
              opened.turns.add(turn, Buffer.from(texts.buffer, at, turn.bytes), atMs);
              at += turn.bytes;
            }
            opened.sessions.proceed({ session, project, transcript, archivedBytes }, atMs);
          }
        }),
      ),
    archiveLater: async (turns, ms) => {
      const missing = await unknownOf(turns, ms);
      const atMs = now();
      const { records, late, tooLong } = maskedTurns(missing, atMs, ms);
      if (late + tooLong > 0) log(leftOut(late + tooLong));
      await later(records).catch(() => keep(records, ms));
    },
    recordReplacement: ({ episode, stillThere }) => {
      const atMs = now();
      const { session } = episode;
      const records = [maskedRecord({ kind: 'episode', atMs, episode })];
      if (session !== undefined && stillThere !== undefined)
        records.push(maskedRecord({ kind: 'leave', atMs, session, stillThere }));
      return later(records);
    },
    leaveContext: (session, stillThere, ms) =>
      write(ms, ({ sessions, turns }) => {
        const atMs = now();
        turns.leave(maskedSession(session), stillThere, atMs);
        sessions.leave(maskedSession(session), atMs);
      }),
    summaries: (session, ms) => read(ms, ({ summaries }) => summaries.of(maskedSession(session))),
    addSummary: (summary, ms) => {
      const masked = maskedSummary(summary);
      return write(ms, ({ summaries }) => summaries.add(masked, now()));
    },
    recordPrompt: (prompt, ms) => keep([maskedRecord({ kind: 'prompt', atMs: now(), prompt })], ms),
    injected: (session, ms) => read(ms, ({ sessions }) => sessions.injected(maskedSession(session))),
    findNames: (names, scope, limit, ms) =>
      read(ms, ({ turns }) =>
        names.map((name) => {
          const expression = phraseExpression(name);
          if (expression === undefined) return { name, isLive: false, turns: [] };
          const isLive = turns.isLive(expression, scope.session);
          return { name, isLive, turns: isLive ? [] : turns.searchAway(expression, scope, limit) };
        }),
      ),
    searchLeft: (query, session, limit, ms) => {
      const expression = matchExpression(query);
      if (expression === undefined) return Promise.resolve([]);
      return read(ms, ({ turns }) => turns.searchLeft(expression, maskedSession(session), limit));
    },
    areLive: (session, texts, ms) =>
      read(ms, ({ turns }) =>
        texts.map((text) => {
          const expression = allExpression(text);
          return expression !== undefined && turns.isLive(expression, session);
        }),
      ),
  };
}
