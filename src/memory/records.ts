/** Records, on their way from a call or from the spool into the tables. They come in masked. */
import { reasonOf } from '../platform/small-file.ts';
import { failureOf } from './failure.ts';
import type { SpoolRecord } from './spool-record.ts';
import type { Tables } from './tables.ts';

/** Writes one record; twice is once. Throws what SQLite throws. */
export function applyRecord(to: Tables, record: SpoolRecord): void {
  switch (record.kind) {
    case 'turn':
      return to.turns.add(record.turn, record.turn.text, record.atMs);
    case 'episode':
      return to.episodes.record(record.episode, record.atMs);
    case 'finish':
      return to.episodes.finish(record.session, record.atMs);
    case 'leave':
      to.turns.leave(record.session, record.stillThere, record.atMs);
      return to.sessions.leave(record.session, record.atMs);
    case 'progress':
      return to.sessions.proceed(record.progress, record.atMs);
    case 'prompt':
      return to.sessions.addPrompt(record.prompt, record.atMs);
    case 'proposal':
      return to.directives.propose(record.proposal, record.atMs);
    case 'learned':
      return to.learned.add(record.memory, record.atMs);
  }
}

/**
 * Writes records in one transaction; if one of them is at fault, each by itself, so that it does not keep back the others. Throws
 * what SQLite throws if it is not about a record.
 */
export function acceptRecords(to: Tables, records: readonly SpoolRecord[], log: (line: string) => void): void {
  try {
    to.write(() => records.forEach((record) => applyRecord(to, record)));
  } catch (error) {
    if (failureOf(error) !== 'refused') throw error;
    if (records.length > 1) records.forEach((record) => acceptRecords(to, [record], log));
    else log(`error: a spooled ${records[0]?.kind} cannot be taken in and is left out: ${reasonOf(error)}`);
  }
}
