/** Where tickets (issues) of a project are got from, by their numbers. */

export interface Ticket {
  readonly number: number;
  /** One line. Masked, as is all of it. */
  readonly title: string;
  readonly state: string;
  readonly body: string;
  readonly author: string | undefined;
  readonly labels: readonly string[];
  readonly comments: number;
  readonly url: string | undefined;
}

export interface FoundTicket {
  readonly ticket: Ticket;
  /** When the tracker last said so, in milliseconds since 1970. */
  readonly fetchedMs: number;
  /** Why the tracker could not be asked, and an older copy stands in; undefined if it is fresh enough. */
  readonly stale: string | undefined;
}

export interface TicketSource {
  /** For people: host and repository; never holds a token. */
  readonly name: string;
  /** Rejects with E_NOT_FOUND, or E_TICKETS if the tracker cannot be asked and there is no copy. */
  ticket(number: number): Promise<FoundTicket>;
}

/** The source of a project's tickets, or in a few words why there is none. */
export type TicketAccess =
  | { readonly state: 'on'; readonly source: TicketSource }
  | { readonly state: 'off'; readonly why: string };
