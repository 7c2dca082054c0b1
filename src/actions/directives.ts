/** The ledger of directives: adds, changes and revokes, always by a new entry. */
import { ChittaError } from '../errors.ts';
import { activeDirectives, activeFor } from '../hot/directives.ts';
import { toWellFormed } from '../messages/wellformed.ts';
import type { MemoryDatabase, StoredDirective } from '../ports/memory.ts';
import { maskSecrets } from '../redact/mask.ts';

type Store = Pick<MemoryDatabase, 'addDirective' | 'directives'>;

/** Characters. A directive is in every context; what explains it belongs into a file. */
const MAX_LENGTH = 2_000;

export interface DirectiveRequest {
  readonly text: string;
  readonly project: string;
  /** For every project, not only this one. */
  readonly everywhere?: boolean | undefined;
  /** The directive that this text takes the place of, by the number of any of its entries. */
  readonly amends?: number | undefined;
  readonly session?: string | undefined;
  readonly deadlineMs: number;
}

function standing(entries: readonly StoredDirective[], id: number): StoredDirective {
  const found = activeFor(entries, id);
  if (found !== undefined) return found;
  const known = entries.some((entry) => entry.id === id);
  throw new ChittaError('E_NOT_FOUND', known ? `directive ${id} holds no longer` : `there is no directive ${id} here`, {
    hint: known ? 'chitta directives list --all' : 'chitta directives list',
  });
}

function checked(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new ChittaError('E_PARAM_INVALID', 'the directive has no text', { field: 'text' });
  if (trimmed.length <= MAX_LENGTH) return trimmed;
  throw new ChittaError(
    'E_PARAM_INVALID',
    `the text has ${trimmed.length} characters; at most ${MAX_LENGTH} are kept`,
    {
      field: 'text',
      hint: 'say what to do in a sentence or two, and name the file that holds the rest',
    },
  );
}

/**
 * Writes a directive that holds from now on, secrets masked. `added` is false if the same text holds in the same scope
 * already. Rejects with E_PARAM_INVALID, E_NOT_FOUND (nothing to amend), or as the store does.
 */
export async function addDirective(
  store: Store,
  { text, project, everywhere = false, amends, session, deadlineMs }: DirectiveRequest,
): Promise<{ readonly directive: StoredDirective; readonly added: boolean }> {
  const wanted = checked(text);
  const ledger = await store.directives(project, deadlineMs);
  const origin = amends === undefined ? undefined : standing(ledger, amends);
  // An amendment holds where its origin does.
  const scope = origin === undefined ? (everywhere ? undefined : project) : origin.project;
  const stored = maskSecrets(toWellFormed(wanted).text).text;
  const same = activeDirectives(ledger).find((one) => one.text === stored && one.project === scope);
  if (same !== undefined) return { directive: same, added: false };
  const status = origin === undefined ? 'accepted' : 'amended';
  const entry = { text: wanted, status, replaces: origin?.id, project: scope, session } as const;
  return { directive: await store.addDirective(entry, deadlineMs), added: true };
}

export interface DirectiveList {
  /** Newest first. */
  readonly active: readonly StoredDirective[];
  /** Every entry, newest first. */
  readonly all: readonly StoredDirective[];
}

/** The directives of a project and those for every project. Rejects as the store does. */
export async function listDirectives(store: Store, project: string, deadlineMs: number): Promise<DirectiveList> {
  const ledger = await store.directives(project, deadlineMs);
  return { active: activeDirectives(ledger), all: ledger.toReversed() };
}

/** Ends a directive, by the number of any of its entries; answers the entry that says so. Rejects with E_NOT_FOUND, or as the store does. */
export async function revokeDirective(
  store: Store,
  id: number,
  project: string,
  deadlineMs: number,
): Promise<StoredDirective> {
  const active = standing(await store.directives(project, deadlineMs), id);
  const { text, project: scope } = active;
  return store.addDirective(
    { text, status: 'revoked', replaces: active.id, project: scope, session: undefined },
    deadlineMs,
  );
}
