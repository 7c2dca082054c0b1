/** The calls of the store that are about directives. */
import type { Forgotten } from '../ports/memories.ts';
import type { MemoryDatabase } from '../ports/memory.ts';
import { asOf } from './directives.ts';
import { maskedDirective } from './masked.ts';
import type { Access } from './session-calls.ts';
import type { Tables } from './tables.ts';

/** Nobody who only reads waits longer than this to have it written down that something has expired. */
const EXPIRE_WAIT_MS = 15;

interface DirectiveAccess extends Pick<Access, 'read' | 'write' | 'now'> {
  /** Removes something, and its bytes; `work` answers whether it was there. */
  erase(deadlineMs: number, work: (tables: Tables) => boolean): Promise<Forgotten>;
}

type DirectiveCalls = Pick<MemoryDatabase, 'addDirective' | 'forgetDirectives' | 'directives'>;

/** Writes down what has expired, if that takes no waiting; the next who reads will. */
function expire(tables: Tables, atMs: number): void {
  const { db, directives } = tables;
  const waitMs = Number(db.pragma('busy_timeout', { simple: true }));
  try {
    db.pragma(`busy_timeout = ${Math.min(EXPIRE_WAIT_MS, waitMs)}`);
    tables.write(() => directives.expire(atMs));
  } catch {
    // Locked or full: the reader is told all the same.
  } finally {
    db.pragma(`busy_timeout = ${waitMs}`);
  }
}

export function directiveCalls({ read, write, erase, now }: DirectiveAccess): DirectiveCalls {
  return {
    addDirective: (directive, ms, supersedes) => {
      const masked = maskedDirective(directive);
      return write(ms, ({ directives }) => directives.add(masked, now(), supersedes));
    },
    forgetDirectives: (ids, ms) => erase(ms, ({ directives }) => directives.removeTexts(ids, now()) > 0),
    directives: (project, ms) =>
      read(ms, (tables) => {
        const atMs = now();
        if (tables.directives.isDue(atMs)) expire(tables, atMs);
        return asOf(tables.directives.list(project), atMs);
      }),
  };
}
