/** The calls of the store that are about sessions. */
import type { MemoryDatabase } from '../ports/memory.ts';
import { allExpression, matchExpression, phraseExpression } from './fulltext.ts';
import { leftOut, maskedTurns, maskedNotes, maskedRecord, maskedSession, maskedSummary } from './masked.ts';
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
    capture: (
      { turns, proposals = [], learned = [], session, project, transcript, archivedBytes },
      ms,
      when = 'now',
    ) => {
      const atMs = now();
      const progress = { session, project, transcript, archivedBytes };
      // The progress last: if there is no room for all, the turns are read again.
      const masked = maskedTurns(turns, atMs, ms);
      if (masked.left > 0) log(leftOut(masked.left));
      const records = [
        ...masked.records,
        ...proposals.map((proposal) => maskedRecord({ kind: 'proposal', atMs, proposal })),
        ...learned.map((memory) => maskedRecord({ kind: 'learned', atMs, memory })),
        maskedRecord({ kind: 'progress', atMs, progress }),
      ];
      return when === 'later' ? later(records) : keep(records, ms);
    },
    ingest: (parts, ms) =>
      write(ms, (opened) =>
        opened.turns.inBulk(() => {
          for (const { turns, atMs, session, project, transcript, archivedBytes } of parts) {
            for (const turn of turns) opened.turns.add(turn, atMs);
            opened.sessions.proceed({ session, project, transcript, archivedBytes }, atMs);
          }
        }),
      ),
    archiveLater: async (turns, ms) => {
      const missing = await read(ms, (tables) => tables.turns.unknownOf(turns)).catch(() => turns);
      const atMs = now();
      const { records, left } = maskedTurns(missing, atMs, ms);
      if (left > 0) log(leftOut(left));
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
