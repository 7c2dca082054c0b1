/** Shows a ticket by its number. */
import { ChittaError } from '../errors.ts';
import type { FoundTicket, TicketAccess } from '../ports/tickets.ts';
import { type Passages, passagesOf } from './passages.ts';

/** The number in `ticket:123`; undefined for anything else, such as a handle, which has no colon. */
export function ticketNumber(text: string): number | undefined {
  const digits = /^ticket:#?(\d{1,9})$/i.exec(text.trim())?.[1];
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits);
}

export interface TicketRequest {
  readonly number: number;
  /** Only the lines of its text around these words. */
  readonly about?: string | undefined;
  /** Only these lines, first and last, from 1. */
  readonly lines?: readonly [first: number, last: number] | undefined;
}

export interface ShownTicket extends FoundTicket, Passages {
  readonly source: string;
  readonly totalLines: number;
}

/** Rejects with E_TICKETS if no tracker is configured or it cannot be asked, and E_NOT_FOUND. */
export async function showTicket(access: TicketAccess, request: TicketRequest): Promise<ShownTicket> {
  if (access.state === 'off') {
    throw new ChittaError('E_TICKETS', `tickets are off: ${access.why}`, {
      hint: 'chitta config set tickets.HOST.kind github (or gitea); docs/ledger.md says more',
    });
  }
  const found = await access.source.ticket(request.number);
  const { body } = found.ticket;
  const totalLines = body === '' ? 0 : body.split('\n').length;
  return { ...found, source: access.source.name, totalLines, ...passagesOf(body, request) };
}

/** As JSON for programs: snake_case. docs/ledger.md lists the fields. */
export function ticketJson({ ticket, source, fetchedMs, stale, totalLines, passages, more }: ShownTicket): object {
  const { number, title, state, author, labels, comments, url } = ticket;
  return {
    ticket: number,
    title,
    state,
    author: author ?? null,
    labels,
    comments,
    url: url ?? null,
    source,
    fetched: new Date(fetchedMs).toISOString(),
    stale: stale ?? null,
    text: passages.map(({ text }) => text).join('\n…\n'),
    total_lines: totalLines,
    passages,
    more,
  };
}
