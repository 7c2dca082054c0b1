/** Tickets that were fetched, in one private file of chitta's home. It may be deleted at any time. */
import { dirname, join } from 'node:path';
import { ensurePrivateDir, writePrivateFile } from '../platform/paths.ts';
import { readSmallFile } from '../platform/small-file.ts';
import type { Ticket } from '../ports/tickets.ts';

/** Name of the file in the home. */
export const TICKET_FILE = 'tickets.json';

const MAX_FILE_BYTES = 16_777_216;
const MAX_TICKETS = 200;

export interface CachedTicket {
  readonly ticket: Ticket;
  readonly fetchedMs: number;
  /** As the tracker gave it, to ask whether anything has changed. */
  readonly etag: string | undefined;
}

export interface TicketCache {
  get(key: string): CachedTicket | undefined;
  /** Keeps a ticket; the oldest give way. */
  put(key: string, cached: CachedTicket): void;
  remove(key: string): void;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | undefined {
  // A JSON object: every own key is a string, and values are checked where they are used.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise;
}

function cachedOf(value: unknown): CachedTicket | undefined {
  const [fields, ticket] = [fieldsOf(value), fieldsOf(fieldsOf(value)?.['ticket'])];
  const [number, fetchedMs] = [ticket?.['number'], fields?.['fetchedMs']];
  if (ticket === undefined || typeof number !== 'number' || typeof fetchedMs !== 'number') return undefined;
  const { title, state, body, author, labels, comments, url } = ticket;
  return {
    fetchedMs,
    etag: textOr(fields?.['etag'], undefined),
    ticket: {
      number,
      title: textOr(title, ''),
      state: textOr(state, ''),
      body: textOr(body, ''),
      author: textOr(author, undefined),
      labels: Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [],
      comments: typeof comments === 'number' ? comments : 0,
      url: textOr(url, undefined),
    },
  };
}

/** The cache of a home. A file that cannot be read counts as empty; one that cannot be written costs the copy only. */
export function openTicketCache(home: string, log: (line: string) => void): TicketCache {
  const path = join(home, TICKET_FILE);
  const read = (): Map<string, CachedTicket> => {
    const file = readSmallFile(path, MAX_FILE_BYTES);
    const tickets = new Map<string, CachedTicket>();
    if (file.state !== 'read') return tickets;
    try {
      for (const [key, value] of Object.entries(fieldsOf(JSON.parse(file.text)) ?? {})) {
        const cached = cachedOf(value);
        if (cached !== undefined) tickets.set(key, cached);
      }
    } catch {
      // Whatever it is, it will be overwritten.
    }
    return tickets;
  };
  const write = (tickets: ReadonlyMap<string, CachedTicket>): void => {
    const newest = [...tickets].sort(([, a], [, b]) => b.fetchedMs - a.fetchedMs).slice(0, MAX_TICKETS);
    try {
      ensurePrivateDir(dirname(path));
      writePrivateFile(path, JSON.stringify(Object.fromEntries(newest)));
    } catch (error) {
      log(`error: a ticket was not kept: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return {
    get: (key) => read().get(key),
    put: (key, cached) => write(read().set(key, cached)),
    remove: (key) => {
      const tickets = read();
      if (tickets.delete(key)) write(tickets);
    },
  };
}
