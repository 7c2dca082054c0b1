/**
 * The memory database on SQLite: `memory.db` in chitta's home, with a spool beside it for what cannot be written.
 * Nothing is opened before the first call, and every call waits at most as long as its own deadline.
 */
import { join } from 'node:path';
import { loadSqlite, type SqliteReady } from '../platform/native.ts';
import { reasonOf } from '../platform/small-file.ts';
import type { Forgotten } from '../ports/memories.ts';
import type { MemoryDatabase, MemoryStats } from '../ports/memory.ts';
import { type Connection, connect } from './connection.ts';
import { removeCopies, storeBytes } from './copies.ts';
import { setAsideIfDamaged, tidySetAside } from './damage.ts';
import { type Deadline, deadlineIn, pause } from './deadline.ts';
import { directiveCalls } from './directive-calls.ts';
import { failureOf, storeError, unavailable } from './failure.ts';
import { matchExpression } from './fulltext.ts';
import { leftOut, maskedMemory, maskedPorted, maskedRecord, maskedSession, maskedTurns } from './masked.ts';
import { acceptRecords, applyRecord } from './records.ts';
import { sessionCalls } from './session-calls.ts';
import type { SpoolRecord } from './spool-record.ts';
import { spool, spoolBytes, spooledEpisode, spoolFiles, takeSpool } from './spool.ts';
import { Tables } from './tables.ts';
import { type Trimming, trimSome, usageOf } from './usage.ts';

/** Spooled bytes that are taken in per millisecond, by a busy machine (an idle one does three times as many), and what must be left. */
const TAKE_IN_BYTES_PER_MS = 3_000;
const TAKE_IN_RESERVE_MS = 100;
/** Nobody waits longer than this for the lock only to take in what others left; it is there for the next one. */
const TAKE_IN_WAIT_MS = 100;
/** Between two attempts to get a lock that another holds. */
const BUSY_AGAIN_MS = 5;
/** A process that stays looks for spooled records this often. */
const TAKE_IN_EVERY_MS = 5_000;
/** Bytes of a database for which its full-text indexes are made anew in a millisecond (measured: 6,000). */
const REINDEX_BYTES_PER_MS = 3_000;
/** One attempt at emptying the write-ahead log, and the pause before the next. */
const CHECKPOINT_WAIT_MS = 40;
const CHECKPOINT_PAUSE_MS = 20;

export interface MemoryOptions {
  /** chitta's home; made, with 0700, when the first call needs it. */
  readonly home: string;
  /** Milliseconds since 1970, for the times of rows. */
  readonly now?: () => number;
  /** Told in one line what went wrong and was done about it. */
  readonly log?: (line: string) => void;
}

/** The database of a home. Errors are ChittaErrors: E_STORE_BUSY, E_STORE_CORRUPT, E_STORE_VERSION, E_STORE_UNAVAILABLE. */
export function openMemory({ home, now = Date.now, log = () => undefined }: MemoryOptions): MemoryDatabase {
  const path = join(home, 'memory.db');
  let sqlite: SqliteReady | undefined;
  let connection: Connection | undefined;
  let tables: Tables | undefined;
  let lookAgainAt = 0;

  function close(): void {
    connection?.db.close();
    connection = undefined;
    tables = undefined;
  }

  /** Closes a file that is no longer the database. */
  function leave(loaded: SqliteReady): void {
    close();
    try {
      tidySetAside(loaded, path);
    } catch {
      // Then it stays in several files.
    }
  }

  async function open(deadline: Deadline): Promise<Tables> {
    if (tables !== undefined && connection?.current() === true) return tables;
    const loaded = sqlite ?? (await loadSqlite());
    if (loaded.state !== 'ok') throw unavailable(loaded.reason);
    sqlite = loaded;
    const opened = await connect(loaded, path, deadline);
    if (tables !== undefined && connection?.current() === true) {
      // Another call of this process was faster; its connection is at work.
      opened.db.close();
      return tables;
    }
    // The file was replaced.
    if (connection !== undefined) leave(loaded);
    connection = opened;
    tables = new Tables(opened.db);
    lookAgainAt = 0;
    return tables;
  }

  function takeIn(to: Tables, deadline: Deadline): void {
    const mayTake = (bytes: number): boolean => deadline.left() - TAKE_IN_RESERVE_MS > bytes / TAKE_IN_BYTES_PER_MS;
    if (performance.now() < lookAgainAt || !mayTake(0)) return;
    lookAgainAt = performance.now() + TAKE_IN_EVERY_MS;
    if (spoolFiles(home).length === 0) return;
    to.db.pragma(`busy_timeout = ${Math.min(TAKE_IN_WAIT_MS, deadline.busyMs())}`);
    try {
      const accept = (records: readonly SpoolRecord[]): void => {
        acceptRecords(to, records.map(maskedRecord), log);
        // Set aside in this moment, with what it took in: the new one takes it in again.
        if (connection?.current() !== true) throw unavailable('it was just replaced');
      };
      takeSpool(home, accept, mayTake);
    } catch (error) {
      const failure = failureOf(error);
      // Met here, and perhaps not by the work itself: who has the time for any repair makes it.
      if ((failure === 'damaged' || failure === 'index') && deadline.allows(Infinity)) throw error;
      // It is still there for the next one.
      log(`spooled records were not taken in: ${reasonOf(error)}`);
    }
  }

  /** Whether it is worth trying again. */
  function repaired(error: unknown, deadline: Deadline): boolean {
    const failure = failureOf(error);
    if (failure === 'index' && tables !== undefined) {
      if (!deadline.allows(storeBytes(path) / REINDEX_BYTES_PER_MS)) return false;
      log('the full-text index was damaged and is made anew');
      tables.rebuildIndexes();
      return true;
    }
    if (failure !== 'damaged' || sqlite === undefined) return false;
    close();
    const aside = setAsideIfDamaged(sqlite, path, deadline, now());
    if (aside !== undefined) log(`memory.db was damaged and set aside as ${aside}`);
    return true;
  }

  async function use<T>(deadline: Deadline, work: (tables: Tables) => T): Promise<T> {
    let mayRepair = true;
    for (;;) {
      try {
        const opened = await open(deadline);
        takeIn(opened, deadline);
        opened.db.pragma(`busy_timeout = ${deadline.atOnceMs()}`);
        return work(opened);
      } catch (error) {
        if (failureOf(error) === 'busy' && deadline.busyMs() > 0) {
          await pause(BUSY_AGAIN_MS);
          continue;
        }
        try {
          if (mayRepair && repaired(error, deadline)) {
            mayRepair = false;
            continue;
          }
        } catch (second) {
          throw storeError(second, deadline.ms);
        }
        throw storeError(error, deadline.ms);
      }
    }
  }

  const read = <T>(deadlineMs: number, work: (tables: Tables) => T): Promise<T> => use(deadlineIn(deadlineMs), work);
  async function write<T>(deadlineMs: number, work: (tables: Tables) => T): Promise<T> {
    const deadline = deadlineIn(deadlineMs);
    const once = (): Promise<{ value: T; isThere: boolean }> =>
      use(deadline, (opened) => ({
        value: opened.write(() => work(opened)),
        isThere: connection?.current() === true,
      }));
    const { value, isThere } = await once();
    // It was set aside as damaged, with what was just written: the new one has to hold it as well.
    return isThere ? value : (await once()).value;
  }

  /** Writes records, or spools them. Rejects only if neither was possible. */
  async function keep(records: readonly SpoolRecord[], deadlineMs: number): Promise<void> {
    if (records.length === 0) return;
    try {
      await write(deadlineMs, (opened) => records.forEach((record) => applyRecord(opened, record)));
    } catch (error) {
      let lost: number;
      try {
        lost = spool(home, records);
      } catch (second) {
        log(`the spool cannot be written either: ${reasonOf(second)}`);
        throw error;
      }
      const full = lost === 0 ? '' : ', for more there is no room';
      log(`${records.length - lost} of ${records.length} records were spooled${full}: ${reasonOf(error)}`);
      if (lost > 0) throw error;
    }
  }

  async function later(records: readonly SpoolRecord[]): Promise<void> {
    const lost = spool(home, records);
    if (lost > 0) throw unavailable(`${lost} of ${records.length} records had no room in the spool`);
  }

  async function emptyJournal(deadline: Deadline): Promise<boolean> {
    for (;;) {
      if (await use(deadline, (opened) => opened.checkpoint(Math.min(CHECKPOINT_WAIT_MS, deadline.busyMs()))))
        return true;
      if (deadline.busyMs() === 0) return false;
      await pause(CHECKPOINT_PAUSE_MS);
    }
  }

  /** Removes something, and its bytes; `work` answers whether it was there. */
  async function erase(deadlineMs: number, work: (tables: Tables) => boolean): Promise<Forgotten> {
    const deadline = deadlineIn(deadlineMs);
    const found = await use(deadline, (opened) => opened.write(() => work(opened)));
    if (!found) return { found, removedFiles: [], erased: true };
    return { found, removedFiles: removeCopies(path), erased: await emptyJournal(deadline) };
  }

  return {
    ...sessionCalls({ read, write, keep, later, now, log }),
    archive: (turns, ms) => {
      const { records, late, tooLong } = maskedTurns(turns, now(), ms);
      if (late + tooLong > 0) log(leftOut(late + tooLong));
      return keep(records, ms);
    },
    recordEpisode: (episode, ms) => keep([maskedRecord({ kind: 'episode', atMs: now(), episode })], ms),
    finishEpisode: (session, ms) => keep([maskedRecord({ kind: 'finish', atMs: now(), session })], ms),
    newestEpisode: async (session, ms) => {
      const masked = maskedSession(session);
      const kept = await read(ms, ({ episodes }) => episodes.list({ session: masked, limit: 1 })[0]).catch(
        (error: unknown) => {
          if (spooledEpisode(home, masked) === undefined) throw error;
          return undefined;
        },
      );
      // Taken in or not, it is the same one.
      const waiting = spooledEpisode(home, masked);
      return kept === undefined || (waiting !== undefined && waiting.createdMs > kept.createdMs) ? waiting : kept;
    },
    episodes: (query, ms) => read(ms, ({ episodes }) => episodes.list(query)),
    turns: (handle, ms) => read(ms, ({ turns }) => turns.byHandle(handle)),
    turnsById: (ids, ms) => read(ms, ({ turns }) => ids.flatMap((id) => turns.byId(id) ?? [])),
    turnTexts: (range, ms) =>
      read(ms, (opened) => ({
        storeId: opened.storeId(),
        newest: opened.turns.newestId(),
        turns: opened.turns.texts(range),
      })),
    newestTurns: (query, ms) => read(ms, ({ turns }) => turns.newest(query)),
    neighbours: (turn, count, ms) => read(ms, ({ turns }) => turns.neighbours(turn, count)),

    remember: (memory, ms, supersedes = []) => {
      const masked = maskedMemory(memory);
      return write(ms, ({ memories }) => memories.add(masked, now(), supersedes));
    },
    memoriesById: (ids, ms) => read(ms, ({ memories }) => ids.flatMap((id) => memories.byId(id) ?? [])),
    noteUsed: (ids, ms) =>
      write(ms, ({ memories }) => {
        for (const id of ids) memories.use(id, now());
      }),
    memories: (query, ms) => read(ms, ({ memories }) => memories.list(query)),
    allMemories: (project, ms) => read(ms, ({ memories }) => memories.all(project)),
    takeOver: (list, ms) => {
      const masked = list.map(maskedPorted);
      return write(ms, ({ memories }) => masked.map((memory) => memories.takeOver(memory)));
    },
    linkSuperseded: (links, ms) =>
      write(ms, ({ memories }) => {
        for (const { id, by } of links) memories.link(id, by);
      }),
    forget: (id, ms) => erase(ms, ({ memories }) => memories.remove(id, now())),
    searchText: (query, project, limit, ms, only) => {
      const expression = matchExpression(query);
      if (expression === undefined) return Promise.resolve({ memories: [], turns: [] });
      return read(ms, ({ memories, turns }) => ({
        memories: memories.search(expression, project, limit),
        turns: only === undefined ? turns.search(expression, project, limit) : [],
      }));
    },

    ...directiveCalls({ read, write, erase, now }),

    missingVectors: (model, limit, ms) => read(ms, ({ vectors }) => vectors.missing(model, limit)),
    putVectors: (model, list, ms) =>
      write(ms, ({ memories, vectors, learned }) => {
        for (const vector of list) vectors.put(model, vector, memories.nextRevision);
        for (const { id } of list) learned.mergeSame(model, id);
      }),
    changesSince: (model, revision, limit, ms) =>
      read(ms, (opened) => ({ storeId: opened.storeId(), rows: opened.vectors.changes(model, revision, limit) })),
    madeFrom: (sourceIds, ms) =>
      read(ms, ({ memories }) => new Map(sourceIds.map((id) => [id, memories.madeFrom(id)]))),

    usage: (ms) => read(ms, ({ db }) => ({ ...usageOf(db, now()), cacheBytes: storeBytes(join(home, 'vectors.db')) })),
    trimArchive: async (limits, ms) => {
      const deadline = deadlineIn(ms);
      let trimmed = 0;
      const known: Trimming = {};
      for (;;) {
        const count = await use(deadline, (opened) => opened.write(() => trimSome(opened.db, limits, known)));
        trimmed += count;
        if (count === 0 || deadline.busyMs() === 0) return trimmed;
        await pause(0);
      }
    },
    stats: (ms) =>
      read(ms, ({ memories, vectors, turns, episodes, sessions }): MemoryStats => ({
        memories: memories.counts(),
        vectors: vectors.counts(),
        turns: turns.count(),
        episodes: episodes.count(),
        prompts: sessions.prompts(),
        bytes: storeBytes(path),
        spoolBytes: spoolBytes(home),
      })),
    close,
  };
}
