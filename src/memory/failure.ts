/** What SQLite says, as an error for people; and which of its errors mean what. */
import { ChittaError } from '../errors.ts';
import { codeOf, reasonOf } from '../platform/small-file.ts';

/**
 * What to do about an error of SQLite. `index`: only the full-text index is damaged, and can be made anew; `foreign`: the file is
 * sound, but not what chitta made; `refused`: the row is at fault, not the file.
 */
export type Failure = 'busy' | 'damaged' | 'index' | 'unavailable' | 'foreign' | 'refused' | 'other';

/** Beginnings of result codes that come from the file, its folder or the disk (https://sqlite.org/rescode.html). */
const UNAVAILABLE: readonly string[] = [
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY',
  'SQLITE_PERM',
  'SQLITE_AUTH',
  'SQLITE_NOLFS',
  'SQLITE_NOMEM',
  'SQLITE_PROTOCOL',
];

/** Sorts an error thrown by better-sqlite3, by its extended result code. */
export function failureOf(error: unknown): Failure {
  const code = codeOf(error) ?? '';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy';
  if (code === 'SQLITE_CORRUPT_VTAB') return 'index';
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return 'damaged';
  if (code === 'SQLITE_ERROR') return 'foreign';
  if (code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_TOOBIG') return 'refused';
  return UNAVAILABLE.some((start) => code.startsWith(start)) ? 'unavailable' : 'other';
}

/** The error a caller sees. Errors that are chitta's own, or no business of the store, stay what they are. */
export function storeError(error: unknown, deadlineMs: number): unknown {
  if (error instanceof ChittaError) return error;
  switch (failureOf(error)) {
    case 'busy':
      return new ChittaError(
        'E_STORE_BUSY',
        `memory.db is in use: another process held it for ${Math.round(deadlineMs)} ms`,
        {
          hint: 'run the command again',
          cause: error,
        },
      );
    case 'damaged':
      return corrupt(`memory.db is damaged: ${reasonOf(error)}`, error);
    case 'index':
      return corrupt(`the full-text index of memory.db is damaged: ${reasonOf(error)}`, error);
    case 'foreign':
      return corrupt(`memory.db is not as chitta made it: ${reasonOf(error)}`, error);
    case 'unavailable':
      return unavailable(reasonOf(error), error);
    default:
      return error;
  }
}

function corrupt(message: string, cause: unknown): ChittaError {
  return new ChittaError('E_STORE_CORRUPT', message, { hint: 'chitta doctor', cause });
}

/** memory.db cannot be used at all, for the reason given. */
export function unavailable(reason: string, cause?: unknown): ChittaError {
  return new ChittaError('E_STORE_UNAVAILABLE', `memory.db cannot be used: ${reason}`, {
    hint: 'chitta doctor',
    cause,
  });
}

/** memory.db was written by a chitta that knows more steps than this one. */
export function tooNew(version: number, known: number): ChittaError {
  return new ChittaError(
    'E_STORE_VERSION',
    `memory.db has format ${version}, and this chitta knows formats up to ${known}; the file was left as it is`,
    { hint: 'update chitta, or point CHITTA_HOME at another folder' },
  );
}
