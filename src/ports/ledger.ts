/** The ledger of directives, as the use cases see it. */
import type { Directive, DirectiveStatus } from '../hot/directives.ts';
import type { Forgotten } from './memories.ts';

/** Who made an entry of the ledger: a person, the model on purpose, or a rule of chitta's own. */
export type Author = 'person' | 'model' | 'rule';

/** An entry of the ledger of directives, which only grows: what changes or ends an older entry names it in `replaces`. */
export interface NewDirective {
  readonly text: string;
  readonly status: DirectiveStatus;
  readonly replaces: number | undefined;
  /** undefined: for every project. */
  readonly project: string | undefined;
  readonly session: string | undefined;
  /** `person` if it is not told. */
  readonly who?: Author | undefined;
  /** Handle of the message that said it. */
  readonly source?: string | undefined;
  /** Holds until then, or waits until then, in milliseconds since 1970; undefined: for good. */
  readonly expiresMs?: number | undefined;
}

export interface StoredDirective extends NewDirective, Directive {
  readonly who: Author;
  /** Of an entry that says `superseded`: the one that took the place. */
  readonly successor?: number | undefined;
}

/** A rule found in a prompt, for a person to accept. */
export interface ProposedDirective {
  readonly text: string;
  readonly project: string | undefined;
  readonly session: string | undefined;
  /** Handle of the message that said it. */
  readonly source: string | undefined;
}

/** What can be done with the ledger of directives. Every call has its deadline; texts are masked before they are kept. */
export interface LedgerCalls {
  /**
   * Writes an entry; `replaces` must be an entry that is there. `supersedes` names entries that it takes the place of, which end with
   * it.
   */
  addDirective(
    directive: NewDirective,
    deadlineMs: number,
    supersedes?: readonly StoredDirective[],
  ): Promise<StoredDirective>;
  /** Takes away the texts of entries, with their bytes; that something was there stays. */
  forgetDirectives(ids: readonly number[], deadlineMs: number): Promise<Forgotten>;
  /**
   * The whole ledger of the project with what is for every project, oldest first; undefined: only the latter. What has expired
   * says so.
   */
  directives(project: string | undefined, deadlineMs: number): Promise<readonly StoredDirective[]>;
}
